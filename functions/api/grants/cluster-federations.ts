import { type Cluster, type FederationUse, federationUses } from '../../core/cluster/cluster.ts'
import type { Federation } from '../../core/federation/federation.ts'
import type { Grant } from '../../core/grant/grant.ts'
import { mapLimited } from '../../core/map-limited.ts'
import { type Membership, wholeFaultOf, wholeProgressOf } from '../../core/membership/membership.ts'
import type { TablePorts } from '../../core/ports.ts'
import { describeObject } from '../../core/values/object-ref.ts'
import { rightsTaken } from '../../drivers/contract/federation-driver-description.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { timestamp } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

type Use = FederationUse & { federation: { projectId: string; id: string } }

/** What is told of a member to the owner of its cluster: all that is about the cluster, and what of the federation is in it. */
const memberFacts = (membership: Membership) => ({
  name_in_federation: membership.memberName,
  state: membership.state,
  reason: wholeFaultOf(membership)?.reason ?? null,
  message: wholeFaultOf(membership)?.message ?? wholeProgressOf(membership),
  made: membership.made.filter(({ where }) => where === 'member').map(describeObject),
  credential: membership.credential && {
    kind: membership.credential.kind,
    expires_at: timestamp(membership.credential.expiresAt),
  },
})

/** Of a host it is the status; what else is known of the control plane is its owner's. */
const hostFacts = (federation: Federation | undefined) => ({
  name_in_federation: null,
  state: federation?.status ?? null,
  reason: null,
  message: null,
  made: federation?.made.filter(({ where }) => where === 'host').map(describeObject) ?? [],
  credential: null,
})

/** Rights that a federation takes in clusters; null where nobody knows. */
export const federationRights = (
  { drivers }: TablePorts,
  side: Use['side'],
  federation: Federation | undefined,
): string | null => {
  if (federation === undefined) return null
  const driver = drivers.federation.list().find(({ id }) => id === federation.driver)
  return rightsTaken(driver ?? {}, federation.properties)[side]
}

type Lent = { cluster: Cluster; grants: readonly Grant[] }

const sinceOf = ({ grants }: Lent, { side, federation }: Use) => {
  for (const grant of grants) {
    const use = grant.uses.find((it) => it.side === side && it.federationId === federation.id)
    if (use !== undefined) return { grant_id: grant.id, since: use.since }
  }
  return null
}

const showUse = async (ports: TablePorts, lent: Lent, use: Use) => {
  const { side, federation: key } = use
  const { stores } = ports
  const federation = await stores.federations.get(key)
  const membership =
    side === 'member'
      ? await stores.memberships.get({ projectId: key.projectId, federationId: key.id, clusterId: lent.cluster.id })
      : undefined
  const by = sinceOf(lent, use)
  return {
    uuid: key.id,
    name: federation?.name ?? null,
    project_id: key.projectId,
    role: side,
    driver: federation?.driver ?? null,
    rights: federationRights(ports, side, federation),
    grant_id: by?.grant_id ?? null,
    since: timestamp(by?.since ?? membership?.since ?? federation?.createdAt ?? null),
    ...(membership === undefined ? hostFacts(side === 'host' ? federation : undefined) : memberFacts(membership)),
  }
}

/** `GET /v1/clusters/{cluster}/federations`: who uses the cluster, of whichever project, since when, with which rights, and by which grant. */
export const listClusterFederations = async (request: ApiRequest): Promise<ApiResponse> => {
  const { ports } = request
  const cluster = await findCluster(request)
  const lent = { cluster, grants: await ports.stores.grants.listOf(cluster) }
  const federations = await mapLimited(federationUses(cluster), (use) => showUse(ports, lent, use))
  return { status: 200, body: { federations } }
}
