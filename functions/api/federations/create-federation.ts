import type { Cluster } from '../../core/cluster/cluster.ts'
import { DEADLINE_SECONDS } from '../../core/operation/deadlines.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { launch, newOperation } from '../../core/operation/launch.ts'
import type { Write } from '../../store/write.ts'
import { createOnce } from '../idempotency.ts'
import { locate } from '../lookup.ts'
import { mapLimited } from '../map-limited.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { ownScope } from '../scope.ts'
import {
  requireChangesFit,
  requireDistinct,
  requireHostMayJoin,
  requireReachableKind,
  requireUsable,
} from './cluster-rules.ts'
import { requireClusterUse } from './cluster-use.ts'
import type { CreateFederation } from './federation.schema.ts'
import { namesElsewhere } from './names-elsewhere.ts'
import { namespaceClaims } from './namespace-claims.ts'
import { type FederationPlan, type NewFederation, newFederation, usesOf, waitingMemberships } from './new-federation.ts'
import { preflightOfCreate } from './preflight.ts'
import { checkProperties } from './properties.ts'

type Request = KeysRequest<{ dry_run: boolean }, CreateFederation>

const checkClusters = (
  request: Request,
  { driver, host, members }: Pick<NewFederation, 'driver' | 'host' | 'members'>,
) => {
  const { ports, principal, body } = request
  const { projectId, userId } = principal
  const using = { driver, federation: { projectId, userId, properties: body.properties ?? {} } }
  requireClusterUse(request, host, 'host', using)
  for (const cluster of members) requireClusterUse(request, cluster, 'member', using)
  requireUsable(host, 'host')
  requireReachableKind(driver, ports.drivers, host)
  requireDistinct(members, '"member_ids"')
  for (const cluster of members) {
    requireHostMayJoin(driver, host.id, cluster)
    requireUsable(cluster, 'member')
    requireReachableKind(driver, ports.drivers, cluster)
  }
}

const findClusters = async (request: Request): Promise<{ host: Cluster; members: Cluster[] }> => {
  const { ports, body } = request
  const idents = body.member_ids ?? []
  requireChangesFit(idents.length)
  const one = (ident: string): Promise<Cluster> => locate(ports.stores.clusters, 'Cluster', ownScope(request), ident)
  const host = await one(body.hostcluster_id)
  const members = await mapLimited(idents, one)
  await Promise.all([host, ...members].map((cluster) => ports.stores.integrity.requireCluster(cluster)))
  return { host, members }
}

/** @throws the refusals of the rules; nothing is changed */
const plan = async (request: Request): Promise<FederationPlan> => {
  const { ports, principal, body } = request
  const driver = ports.drivers.federation.choose(body.driver ?? ports.drivers.federation.default)
  checkProperties(driver, body.properties ?? {})
  const clusters = await findClusters(request)
  checkClusters(request, { driver, ...clusters })
  const operation = newOperation(ports, 'create', { deadlineSeconds: DEADLINE_SECONDS['federation-create'] })
  const id = ports.newId()
  const elsewhere = await namesElsewhere(ports, driver, id, clusters.members)
  const given = { id, changeId: ports.newId(), principal, driver, operation, elsewhere, ...clusters }
  const federation = newFederation(body, given)
  return { given, federation, memberships: waitingMemberships(federation, given) }
}

const writesOf = ({ ports: { stores } }: Request, { given, federation, memberships }: FederationPlan): Write[] => {
  return [
    stores.federations.insert(federation),
    ...memberships.map((membership) => stores.memberships.insert(membership)),
    ...usesOf(given).map(({ cluster, uses }) => stores.clusters.addUses(cluster, uses)),
    ...namespaceClaims(stores, given.host, federation, given.driver.hostNamespaces(federation)),
  ]
}

const store = async (request: Request, remember: (id: string) => Write[]): Promise<string> => {
  const { ports } = request
  const planned = await plan(request)
  const { federation, given } = planned
  await ports.stores.commit([
    ...writesOf(request, planned),
    ownerEvent(
      ports,
      'federation',
      { ...federation, revision: 0 },
      {
        action: 'create',
        outcome: 'pending',
        reason: 'Requested',
        message: `Federation ${federation.name} is being created on cluster ${given.host.name}.`,
      },
    ),
    ...remember(federation.id),
  ])
  await launch(ports, {
    flow: 'federation-create',
    projectId: federation.projectId,
    entityId: federation.id,
    operation: given.operation,
  })
  return federation.id
}

/**
 * `POST /v1/federations` (magnum-rest.md 8.2 and 8.5, design section 2): the federation, its memberships and its marks on the clusters
 * come into being in one transaction before the 202. With `?dry_run=true` nothing does: the answer says what would.
 */
export const createFederationHandler = async (request: Request): Promise<ApiResponse> => {
  if (request.query.dry_run) return preflightOfCreate(request, await plan(request))
  const uuid = await createOnce(request, 'POST /v1/federations', (remember) => store(request, remember))
  return { status: 202, body: { uuid } }
}
