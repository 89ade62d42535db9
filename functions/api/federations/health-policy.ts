import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { previewPolicy } from '../../core/health-policy/follow.ts'
import type { HealthPolicy } from '../../core/health-policy/health-policy.ts'
import { policyAfter, requireCordon, setHealthPolicy } from '../../core/health-policy/set-policy.ts'
import { type FederationDriverDescription, rightsTaken } from '../../drivers/contract/federation-driver-description.ts'
import { type Asker, isAllowed, policyForbids } from '../policy.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import type { WantedPolicy } from './health-policy.schema.ts'

type Request = Pick<ApiRequest, 'ports' | 'principal' | 'settings'>
type About = Pick<Federation, 'projectId' | 'userId' | 'properties' | 'driver' | 'healthPolicy'>

/** Members leave later, when nobody is there to be asked: whoever sets the policy is. @throws PolicyForbids */
const requireMayUnjoin = (
  asker: Asker,
  driver: FederationDriverDescription,
  { projectId, userId, properties }: About,
) => {
  const rights = rightsTaken(driver, properties).member
  const context = { driver: driver.id, rights, cluster: { projectId } }
  if (isAllowed(asker, 'federation:unjoin', { projectId, userId }, context)) return
  throw policyForbids(asker, 'federation:unjoin', ': "on_unhealthy" would have members leave.')
}

/** The policy of a federation as a request has it. @throws InvalidRequest, PolicyForbids */
export const desiredPolicy = (request: Request, federation: About, wanted: WantedPolicy): HealthPolicy => {
  const driver = request.ports.drivers.federation.resolve(federation.driver)
  const policy = policyAfter(federation, wanted)
  requireCordon(driver, policy)
  if (policy.onUnhealthy === 'unjoin') requireMayUnjoin(request, driver, federation)
  return policy
}

const named = (clusters: readonly Cluster[]) => clusters.map(({ id, name }) => ({ uuid: id, name }))

/** A change of the policy. */
export const patchPolicy = async (
  request: Request,
  federation: Federation,
  { wanted, isDryRun }: { wanted: WantedPolicy; isDryRun: boolean },
): Promise<ApiResponse> => {
  const policy = desiredPolicy(request, federation, wanted)
  if (!isDryRun) {
    await setHealthPolicy(request.ports, federation, (read) => policyAfter(read, wanted))
    return { status: 202, body: { uuid: federation.id } }
  }
  const { leave, cordon, join } = await previewPolicy(request.ports, { ...federation, healthPolicy: policy })
  const would = { would_join: named(join), would_leave: named(leave), would_cordon: named(cordon) }
  return { status: 200, body: { would_succeed: true, findings: [], would_make: [], ...would } }
}
