import type { TakenKubeconfig } from '../../core/cluster/replace-kubeconfig.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { localPolicy } from '../../kubernetes/address-guard.ts'
import { guardedServerUrl } from '../../kubernetes/kubeconfig/guarded-server-url.ts'
import { connectionTo, encodeConnection } from '../../kubernetes/stored-connection.ts'
import type { KeysRequest } from '../route.ts'

export type GivenKubeconfig = {
  kubeconfig: string | JsonObject
  context: string | undefined
  /** The caller's explicit `insecure_skip_tls_verify`. */
  allowInsecure: boolean
  serverForPeers: string | undefined
}

/**
 * Takes one connection out of a kubeconfig. Its parser is loaded at the first use: other requests need no YAML.
 *
 * @throws KubeconfigRejected, AddressForbidden
 */
export const takeKubeconfig = async (
  { ports }: Pick<KeysRequest, 'ports'>,
  given: GivenKubeconfig,
): Promise<TakenKubeconfig> => {
  const { parseKubeconfig } = await import('../../kubernetes/kubeconfig/parse-kubeconfig.ts')
  const intake = parseKubeconfig(given.kubeconfig, {
    ...(given.context === undefined ? {} : { context: given.context }),
    allowInsecure: given.allowInsecure,
    policy: ports.addressPolicy,
    now: ports.clock.now(),
  })
  const peers = given.serverForPeers
  // fedplane never connects to it, and it may be where fedplane can't reach. But it is published with a credential, so an address that no
  // API server has is refused here as everywhere.
  const serverForPeers = peers === undefined ? null : guardedServerUrl(peers, 'server_for_peers', localPolicy)
  return {
    endpoint: { ...intake.endpoint, serverForPeers },
    credential: encodeConnection(connectionTo(intake.endpoint, intake.credential)),
  }
}
