import { ItemAltered } from '../../store/errors.ts'
import type { Stores } from '../../store/stores.ts'
import type { Write } from '../../store/write.ts'
import { type Cluster, useMark } from '../cluster/cluster.ts'
import { isManagementCluster } from '../cluster/management.ts'
import type { Federation } from '../federation/federation.ts'
import type { Membership } from '../membership/membership.ts'
import type { Clock } from '../ports.ts'
import { type Grant, type GrantAction, type GrantUse, isFor, isLive, type Loan, useOfLoan } from './grant.ts'

/** A cluster as a federation uses it; of another project by a grant. */
export type UsedCluster = Cluster & { readonly grant?: Grant }

type FederationRef = { projectId: string; id: string }
type Side = GrantUse['side']
type LoanStores = Pick<Stores, 'clusters' | 'grants'>

const ACTION_OF: Readonly<Record<Side, GrantAction>> = { host: 'host', member: 'join' }

/** What is kept of a use that begins; nothing of a cluster of the own project. */
export const newLoan = ({ grant }: Pick<UsedCluster, 'grant'>, since: string): Loan | undefined =>
  grant && { projectId: grant.projectId, grantId: grant.id, since }

/** Where the cluster of a membership is. */
export const memberClusterKey = ({
  projectId,
  clusterId,
  loan,
}: Pick<Membership, 'projectId' | 'clusterId' | 'loan'>) => ({
  projectId: loan?.projectId ?? projectId,
  id: clusterId,
})

/** Where the grant of a loan is. */
export const grantKeyOf = ({ projectId, grantId: id }: Loan, clusterId: string) => ({ projectId, clusterId, id })

/** Where the host of a federation is. */
export const hostKey = ({
  projectId,
  hostClusterId,
  hostLoan,
}: Pick<Federation, 'projectId' | 'hostClusterId' | 'hostLoan'>) => ({
  projectId: hostLoan?.projectId ?? projectId,
  id: hostClusterId,
})

/** A use of a cluster that begins, by a loan or in the own project. */
export type BegunUse = { side: Side; grant: Grant | undefined; loan: Loan | undefined }

/** Marks a cluster as used by a federation, and the grants by which it is: these must be as they were read. */
export const markUses = (
  { clusters, grants }: LoanStores,
  federation: FederationRef,
  cluster: Cluster,
  uses: readonly BegunUse[],
): Write[] => {
  const byGrant = Map.groupBy(
    uses.flatMap(({ side, grant, loan }) => (grant && loan ? [{ grant, use: useOfLoan(side, federation, loan) }] : [])),
    ({ grant }) => grant.id,
  )
  return [
    clusters.addUses(
      cluster,
      uses.map(({ side }) => useMark(side, federation, cluster.projectId)),
      // Of a host it was asked who can edit its namespaces.
      uses.some(({ side }) => side === 'host') ? cluster.revision : undefined,
    ),
    ...[...byGrant.values()].flatMap((those) =>
      those[0] === undefined
        ? []
        : [
            grants.addUses(
              those[0].grant,
              those.map(({ use }) => use),
            ),
          ],
    ),
  ]
}

/** Takes the marks of a use away, from the cluster and from the grant. */
const unmark = (
  { clusters, grants }: LoanStores,
  federation: FederationRef,
  cluster: { projectId: string; id: string },
  { side, loan }: Pick<BegunUse, 'side' | 'loan'>,
): Write[] => [
  clusters.removeUses(cluster, [useMark(side, federation, cluster.projectId)]),
  ...(loan === undefined ? [] : [grants.removeUses(grantKeyOf(loan, cluster.id), [useOfLoan(side, federation, loan)])]),
]

/** For the end of a membership. */
export const unmarkMember = (stores: LoanStores, membership: Membership): Write[] =>
  unmark(stores, { projectId: membership.projectId, id: membership.federationId }, memberClusterKey(membership), {
    side: 'member',
    loan: membership.loan,
  })

/** For the end of a federation. */
export const unmarkHost = (stores: LoanStores, federation: Federation): Write[] =>
  unmark(stores, federation, hostKey(federation), { side: 'host', loan: federation.hostLoan })

const RANK = { view: 0, edit: 1, more: 2 } as const

/** The grant that gives most, and of those the one that lasts longest. */
const better = (one: Grant, other: Grant): Grant => {
  if (RANK[one.rights] !== RANK[other.rights]) return RANK[one.rights] > RANK[other.rights] ? one : other
  if (one.expiresAt === null || other.expiresAt === null) return one.expiresAt === null ? one : other
  return one.expiresAt >= other.expiresAt ? one : other
}

/** Whose federation wants a cluster; without `id` one that is yet to be made, which only its project can have received grants for. */
export type Borrower = { projectId: string; id?: string }

/**
 * A cluster of another project that a live grant gives to this federation or its project. Undefined for every other id, whether it is a
 * cluster's or nobody's.
 */
export const findLent = async (
  { stores, clock }: { stores: LoanStores; clock: Clock },
  { projectId, id: federationId }: Borrower,
  { clusterId, side }: { clusterId: string; side: Side },
): Promise<UsedCluster | undefined> => {
  const now = clock.now().toISOString()
  const received = await Promise.all([
    stores.grants.received({ projectId }, clusterId),
    federationId === undefined ? [] : stores.grants.received({ federationId }, clusterId),
  ])
  const live = received.flat().filter((grant) => isLive(grant, now) && grant.actions.includes(ACTION_OF[side]))
  if (live.length === 0) return undefined
  const grant = live.reduce(better)
  const cluster = await stores.clusters.get({ projectId: grant.projectId, id: clusterId })
  return cluster && { ...cluster, grant }
}

/** The grant of a loan, while it is of this cluster and for this federation; undefined when it is gone. */
const grantOfLoan = async (
  { grants }: Pick<Stores, 'grants'>,
  { federation, clusterId, loan }: { federation: FederationRef; clusterId: string; loan: Loan },
): Promise<Grant | undefined> => {
  const grant = await grants.get(grantKeyOf(loan, clusterId))
  return grant && isFor(grant, federation) ? grant : undefined
}

/** The cluster of a membership or the host of a federation, with the grant by which it is used. Undefined when it is no longer registered. */
export const findUsed = async (
  stores: LoanStores,
  federation: FederationRef,
  { id: clusterId, projectId, loan }: { projectId: string; id: string; loan: Loan | undefined },
): Promise<UsedCluster | undefined> => {
  const cluster = await stores.clusters.get({ projectId, id: clusterId })
  if (cluster === undefined || loan === undefined) return cluster
  const grant = await grantOfLoan(stores, { federation, clusterId, loan })
  return grant && { ...cluster, grant }
}

/** Clusters of memberships of one federation, in whichever projects they are; those that are no longer registered are left out. */
export const clustersOfMembers = async (
  { clusters }: Pick<Stores, 'clusters'>,
  memberships: readonly Membership[],
): Promise<Cluster[]> => {
  const byProject = Map.groupBy(memberships.map(memberClusterKey), ({ projectId }) => projectId)
  const found = await Promise.all(
    [...byProject].map(([projectId, keys]) =>
      clusters.getMany(
        projectId,
        keys.map(({ id }) => id),
      ),
    ),
  )
  return found.flat()
}

/**
 * That the cluster of a loan was lent by its owner, to this federation. The credential is opened by the flow only, and only so. Whether the grant
 * is over by now is nothing to it: what a federation made in the cluster is to be taken away, too.
 *
 * @throws ItemAltered for a grant that nobody with keys wrote, or that is gone
 */
export const requireLent = async (
  stores: Pick<Stores, 'grants' | 'integrity'>,
  federation: FederationRef,
  { clusterId, loan }: { clusterId: string; loan: Loan | undefined },
): Promise<void> => {
  if (loan === undefined) return
  const grant = await grantOfLoan(stores, { federation, clusterId, loan })
  if (grant !== undefined) return stores.integrity.requireGrant(grant)
  throw new ItemAltered(
    `The grant ${loan.grantId}, by which cluster ${clusterId} is used, is gone or for another federation; so the cluster is not opened. Find out who writes the table.`,
  )
}

/** True when others depend on which cluster it is: it makes clusters, or other projects may use it (decision 0029). */
export const isReliedOn = async ({ stores }: { stores: Pick<Stores, 'grants'> }, cluster: Cluster): Promise<boolean> =>
  isManagementCluster(cluster) || (await stores.grants.listOf(cluster)).length > 0
