import type { JsonObject } from '../../../../../core/values/json.ts'
import { hostOf } from '../../../../../kubernetes/address-guard.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { FEDERATION_LABEL } from '../../../../support/owned.ts'
import { ensureAll, inHost, removeSelected } from '../host/host-work.ts'
import { services } from '../host/plan.ts'
import { advertisedUrl, balancerHosts, isIpv6Service, serviceManifests } from '../host/services.ts'
import { API_SERVER, type KarmadaState, stateOf } from '../model/names.ts'

/** Names that a certificate keeps for kubeconfigs that are out; the oldest go first. */
const HOSTS_MAX = 20

/** The old address stays good for who knows no other. */
const noteOf = (known: KarmadaState, endpoint: string, service: KubernetesObject): JsonObject => {
  const hosts = [known.endpoint, endpoint].filter((url) => url !== undefined).map((url) => hostOf(new URL(url)))
  return {
    endpoint,
    isIpv6: isIpv6Service(service),
    hosts: [...new Set([...(known.hosts ?? []), ...hosts, ...balancerHosts(service)])].slice(-HOSTS_MAX),
  }
}

/** The Services, and the address under which the API server is advertised. All that certificates say follows from it. */
export const servicePhase: Phase<FederationContext> = {
  id: 'service',
  title: 'API Service and its address',
  deadlineSeconds: 300,
  ensure: inHost(async (work, trace, context) => {
    const made = await ensureAll(work, trace, serviceManifests(work.plan))
    const service = made.find(({ metadata }) => metadata.name === API_SERVER)
    if (service === undefined) throw new TypeError(`The manifests have no Service ${API_SERVER}.`)
    const known = stateOf(context.federation)
    const endpoint = await advertisedUrl(work, service, known.endpoint)
    return { state: noteOf(known, endpoint, service) }
  }),
  undo: inHost(async (work) => {
    await removeSelected(work, [services(work.namespace)], `${FEDERATION_LABEL}=${work.site.federationId}`)
    return { state: { endpoint: null, isIpv6: null, hosts: null } }
  }),
}
