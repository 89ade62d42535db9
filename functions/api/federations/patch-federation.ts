import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Federation } from '../../core/federation/federation.ts'
import type { WorkloadsWish } from '../../core/operation/operation.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { quote } from '../../core/values/wording.ts'
import { StateConflict } from '../errors.ts'
import { find } from '../lookup.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { restingMembers } from './check-update.ts'
import { requireClusterUse } from './cluster-use.ts'
import { commitPatch, launchPatch } from './commit-patch.ts'
import type { FederationPatch } from './federation-patch.ts'
import { namesElsewhere } from './names-elsewhere.ts'
import type { MembersInput } from './plan-members.ts'
import { type PatchPlan, planPatch } from './plan-patch.ts'
import { preflightOfPatch } from './preflight.ts'
import { resolveTargets } from './resolve-members.ts'
import { requireWorkloads } from './workloads.ts'

type Request = KeysRequest<{ dry_run: boolean; force: boolean; workloads?: WorkloadsWish }, FederationPatch>

/** The federation before its memberships: a membership that moves in between fails the commit by its own revision. */
const read = async (request: Request): Promise<MembersInput> => {
  const { ports, principal, params, body, query } = request
  const { stores, drivers } = ports
  const federation = await find(stores.federations, 'Federation', principal.projectId, params.federation ?? '')
  const driver = drivers.federation.resolve(federation.driver)
  requireWorkloads(driver, query.workloads)
  const memberships = await stores.memberships.listOf(federation)
  const targets = await resolveTargets(request, { federation, memberships }, body.members)
  await Promise.all(targets.join.map((cluster) => stores.integrity.requireCluster(cluster)))
  const elsewhere = await namesElsewhere(ports, driver, federation.id, targets.join)
  const { force, workloads } = query
  return { federation, memberships, targets, driver, drivers, elsewhere, force, workloads }
}

const hostOf = ({ ports, principal: { projectId } }: Request, { federation }: MembersInput) =>
  find(ports.stores.clusters, 'Cluster', projectId, federation.hostClusterId)

/** Clusters of the members that properties reach into: those that stay. One that is no longer registered gives nothing. */
const stayingClusters = ({ ports, principal }: Request, { memberships }: MembersInput, { steps }: PatchPlan) => {
  const leaving = new Set(steps.flatMap((step) => (step.kind === 'join' ? [] : [step.before.clusterId])))
  const ids = memberships.map(({ clusterId }) => clusterId).filter((id) => !leaving.has(id))
  return ports.stores.clusters.getMany(principal.projectId, ids)
}

/**
 * Asks for what the request takes in clusters. Properties decide what runs in the host and with which rights in the members, so that changing them
 * is using all of them anew.
 *
 * @param host null while properties stay
 *
 * @throws PolicyForbids, and ItemAltered where somebody else wrote what the rules are asked about; unjoins ask nothing, so that a member can always leave
 */
const requireUses = async (
  request: Request,
  input: MembersInput,
  plan: PatchPlan,
  host: Cluster | null,
): Promise<void> => {
  if (input.targets.join.length === 0 && host === null) return
  const { federation, driver } = input
  const { integrity } = request.ports.stores
  await integrity.requireFederation(federation)
  const using = { driver, federation: { ...federation, ...plan.update } }
  for (const cluster of input.targets.join) requireClusterUse(request, cluster, 'member', using)
  if (host === null) return
  const staying = await stayingClusters(request, input, plan)
  await Promise.all([host, ...staying].map((cluster) => integrity.requireCluster(cluster)))
  requireClusterUse(request, host, 'host', using)
  for (const cluster of staying) requireClusterUse(request, cluster, 'member', using)
}

/** Id of the update of properties that runs on a federation. */
const updateOf = ({ operation }: Federation): string | null => (operation?.kind === 'update' ? operation.id : null)

/**
 * A change of properties replaces the update that its caller could know of, and no other: of two at once the second would undo the first unseen.
 *
 * @throws StateConflict
 */
const requireSameUpdate = (federation: Federation, known: string | null): void => {
  if (updateOf(federation) === null || updateOf(federation) === known) return
  throw new StateConflict(
    `Federation ${quote(federation.name)} (${federation.id}): Another request began to change its properties at the same time. Look at them, and send yours again if they are not as you want them.`,
  )
}

/** What a request saw in its first round: the id of the update that ran then, null for none. */
type Seen = { update?: string | null }

/** Reads, decides, commits. The plan is null when there is nothing to do. */
const decide = async (request: Request, seen: Seen): Promise<{ id: string; plan: PatchPlan | null }> => {
  const { ports, body } = request
  const input = await read(request)
  if (seen.update === undefined) seen.update = updateOf(input.federation)
  const plan = planPatch(ports, input, body)
  const { id } = input.federation
  if (plan?.operation) requireSameUpdate(input.federation, seen.update)
  if (plan === null) return { id, plan }
  // Only properties have to do with the host: they decide what runs there, and may ask for namespaces.
  const host = plan.operation === null ? null : await hostOf(request, input)
  await requireUses(request, input, plan, host)
  await commitPatch(ports, plan, input.driver, host ?? { identity: null })
  return { id, plan }
}

const dryRun = async (request: Request): Promise<ApiResponse> => {
  const { ports, body } = request
  const input = await read(request)
  const driver = ports.drivers.federation.resolve(input.federation.driver)
  const plan = planPatch(ports, input, body)
  const host = await hostOf(request, input)
  if (plan !== null) await requireUses(request, input, plan, plan.operation === null ? null : host)
  const steps = plan?.steps ?? []
  return preflightOfPatch(request, {
    federation: { ...input.federation, ...(plan?.update.properties && { properties: plan.update.properties }) },
    driver,
    steps,
    reached: plan?.update.properties ? restingMembers(input.memberships, steps) : null,
    force: request.query.force,
    host,
  })
}

/**
 * `PATCH /v1/federations/{federation}` → 202 (magnum-rest.md 8.3 and 8.5, design section 2): joins, unjoins and properties, all accepted
 * in one transaction or none. Two requests at once both count: the later one decides again on what the earlier one left. Of two that
 * change properties at once one is 409; one that comes later takes the place of the update that runs (decision 0023).
 */
export const patchFederation = async (request: Request): Promise<ApiResponse> => {
  if (request.query.dry_run) return dryRun(request)
  const seen: Seen = {}
  const { id, plan } = await retryOnConflict(() => decide(request, seen))
  if (plan !== null) await launchPatch(request.ports, plan)
  return { status: 202, body: { uuid: id } }
}
