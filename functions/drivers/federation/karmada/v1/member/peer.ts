import { rootCertificates } from 'node:tls'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import { hostOf } from '../../../../../kubernetes/address-guard.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'

/** How the control plane is to reach a member. */
export type Peer = {
  /** `https://host:port[/path]`. */
  server: string
  /** PEM; null where the certificate is not checked. */
  caBundle: string | null
  /** Name in the member's certificate that is not the host of `server`: Karmada can't be told one. */
  tlsServerName: string | null
}

/**
 * The member's API server as its peers see it, and the authorities that vouch for it. Karmada knows no authorities of its own, so a certificate of a
 * public one is given all of those.
 *
 * @throws CredentialMissing when no endpoint is known
 */
export const peerOf = ({ endpoint, name }: Pick<Cluster, 'endpoint' | 'name'>): Peer => {
  if (endpoint === null) {
    throw new CredentialMissing(`The endpoint of cluster ${name} is not known. Register the cluster first.`)
  }
  const server = (endpoint.serverForPeers ?? endpoint.server).replace(/\/+$/, '')
  const { tlsVerify, tlsServerName } = endpoint
  return {
    server,
    caBundle: tlsVerify ? (endpoint.caPem ?? rootCertificates.join('\n')) : null,
    tlsServerName: tlsVerify && tlsServerName !== hostOf(new URL(server)) ? tlsServerName : null,
  }
}
