import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Federation } from '../../core/federation/federation.ts'
import type { SelectorConsent } from '../../core/selector/selector.ts'
import {
  type DesiredSelector,
  previewSelector,
  type SelectorPreview,
  setSelector,
} from '../../core/selector/set-selector.ts'
import { type FederationDriverDescription, rightsTaken } from '../../drivers/contract/federation-driver-description.ts'
import { type Asker, isAllowed, policyForbids } from '../policy.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import type { WantedSelector } from './selector.schema.ts'

type About = Pick<Federation, 'projectId' | 'userId' | 'properties'> & Partial<Pick<Federation, 'id'>>

/**
 * Asks once for all clusters that the selector will bring: those of the whole project, else those that the caller made.
 *
 * @throws PolicyForbids where it is not even these
 */
export const consentTo = (
  asker: Asker,
  driver: FederationDriverDescription,
  { id, projectId, userId: owner, properties }: About,
): SelectorConsent => {
  const { userId } = asker.principal
  const rights = rightsTaken(driver, properties).member
  const federation = { ...(id && { id }), projectId, userId: owner }
  const mayJoin = (cluster: { projectId: string; userId?: string }): boolean =>
    isAllowed(asker, 'federation:join', federation, { driver: driver.id, rights, cluster }) &&
    isAllowed(asker, 'cluster:join', cluster, {
      driver: driver.id,
      rights,
      federation,
    })
  if (mayJoin({ projectId })) return { userId, rights, clusters: 'all' }
  if (mayJoin({ projectId, userId })) return { userId, rights, clusters: 'own' }
  throw policyForbids(asker, 'cluster:join', ': "member_selector" would have clusters of the project joined.')
}

/** The selector of a request, with its caller's consent; null: none. */
export const desiredSelector = (
  request: Pick<ApiRequest, 'ports' | 'principal' | 'settings'>,
  federation: About & Pick<Federation, 'driver'>,
  wanted: WantedSelector,
): DesiredSelector => ({
  ...wanted,
  consent: consentTo(request, request.ports.drivers.federation.resolve(federation.driver), federation),
})

const named = (clusters: readonly Cluster[]) => clusters.map(({ id, name }) => ({ uuid: id, name }))

/** What of a dry run's answer is a selector's. */
export const showPreview = ({ join, leave }: SelectorPreview) => ({
  would_join: named(join),
  would_leave: named(leave),
})

/** `replace` or `remove /member_selector`. */
export const patchSelector = async (
  request: Pick<ApiRequest, 'ports' | 'principal' | 'settings'>,
  federation: Federation,
  { wanted, isDryRun }: { wanted: WantedSelector | null; isDryRun: boolean },
): Promise<ApiResponse> => {
  const desired = wanted && desiredSelector(request, federation, wanted)
  if (!isDryRun) {
    await setSelector(request.ports, federation, desired)
    return { status: 202, body: { uuid: federation.id } }
  }
  const preview = desired === null ? { join: [], leave: [] } : await previewSelector(request.ports, federation, desired)
  return { status: 200, body: { would_succeed: true, findings: [], would_make: [], ...showPreview(preview) } }
}
