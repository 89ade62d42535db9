import { randomBytes } from 'node:crypto'
import type { CloudGrant } from '../../cloud/cloud.ts'
import { CloudTokenMissing } from '../../cloud/errors.ts'
import {
  cloudOf,
  type GrantChange,
  grantInForce,
  grantRefOf,
  promotedGrant,
  readGrants,
} from '../../core/cluster/cloud-grants.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import type { TablePorts } from '../../core/ports.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { Secret } from '../../core/values/secret.ts'
import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import type { KeysRequest } from '../route.ts'

/** What lending needs of a request. */
export type DelegationRequest = Pick<KeysRequest, 'ports' | 'principal' | 'headers'>

type ClusterRef = Pick<Cluster, 'projectId' | 'id'>

/** Bytes that make a name of its own for each grant. */
const SUFFIX_BYTES = 4

/** The token of a caller whom Keystone vouched for; undefined for others. */
const tokenOf = ({ principal, headers }: DelegationRequest): Secret | undefined => {
  const token = headers['x-auth-token']?.trim()
  return principal.source === 'keystone' && token ? new Secret(token) : undefined
}

/** True for callers who can delegate to a cluster of the project something: those with a token of Keystone for it. */
export const mayDelegate = (request: DelegationRequest, { projectId }: Pick<Cluster, 'projectId'>): boolean =>
  request.ports.cloud !== undefined && request.principal.projectId === projectId && tokenOf(request) !== undefined

/** @throws CloudMissing, CloudTokenMissing */
const requireDelegator = (request: DelegationRequest, { projectId }: Pick<Cluster, 'projectId'>): Secret => {
  cloudOf(request.ports)
  const token = tokenOf(request)
  if (token !== undefined && request.principal.projectId === projectId) return token
  throw new CloudTokenMissing(
    'The cluster needs application credentials of a member of its project, which are made with his token of Keystone: send one for that project in X-Auth-Token, got with a user name and password or with an application credential made with --unrestricted.',
  )
}

/** Best effort: a leftover is named in the log, as it is in Keystone. */
const takeBack = async ({ ports }: DelegationRequest, grant: CloudGrant): Promise<void> => {
  const { userId, restricted, unrestricted } = grant
  try {
    await cloudOf(ports).revoke(grantRefOf(grant))
  } catch (error) {
    ports.log.warn('application credentials not revoked', {
      userId,
      restrictedId: restricted.id,
      unrestrictedId: unrestricted.id,
      error,
    })
  }
}

/**
 * Has the caller delegate to a cluster application credentials.
 *
 * @throws CloudMissing, CloudTokenMissing, CloudTokenRefused, CloudCredentialRefused, IdentityProviderUnavailable
 */
export const delegate = (request: DelegationRequest, { projectId, id }: ClusterRef): Promise<CloudGrant> => {
  const token = requireDelegator(request, { projectId })
  const suffix = randomBytes(SUFFIX_BYTES).toString('hex')
  return cloudOf(request.ports).grant(token, request.principal.userId, { projectId, clusterId: id, suffix })
}

/**
 * Does something that stores what was delegated. It is revoked again when that is refused; after a failure whose outcome is unknown it stays, since
 * it may be stored.
 */
export const keeping = async <T>(
  request: DelegationRequest,
  grant: CloudGrant,
  store: () => Promise<T>,
): Promise<T> => {
  try {
    return await store()
  } catch (error) {
    if (isAppError(error)) await takeBack(request, grant)
    throw error
  }
}

type Desired = Pick<PlannedCluster, 'cluster' | 'template' | 'management'>

const needs = ({ drivers }: Pick<TablePorts, 'drivers'>, desired: Desired): boolean =>
  drivers.cluster.resolve(desired.cluster.driver).needsCloudCredential?.(desired) ?? false

/** The caller can delegate what the new cluster needs, if it needs something. @throws CloudMissing, CloudTokenMissing */
export const requireDelegable =
  (request: DelegationRequest) =>
  (desired: Desired): void => {
    if (needs(request.ports, desired)) requireDelegator(request, desired.cluster)
  }

/**
 * Stores a new cluster, with what its caller lends it in the cloud if it needs that. The last thing before the commit: nothing is made for a
 * request that is refused.
 *
 * @throws what `delegate` and `store` throw
 */
export const storeDelegated =
  (request: DelegationRequest) =>
  async (desired: Desired, store: (delegated: GrantChange) => Promise<void>): Promise<void> => {
    if (!needs(request.ports, desired)) return store({ change: {}, writes: [] })
    const grant = await delegate(request, desired.cluster)
    await keeping(request, grant, async () => store(await grantInForce(request.ports, desired.cluster, grant)))
  }

const NOTHING: GrantChange = { change: {}, writes: [] }

/** True when Keystone takes nothing of what the cluster was delegated any more; false also when Keystone can't be asked. */
const isDead = async ({ ports }: DelegationRequest, cluster: Cluster): Promise<boolean> => {
  const { current, candidate } = await readGrants(ports, cluster)
  const grant = candidate ?? current
  return grant !== null && !(await cloudOf(ports).isAlive(grant))
}

/** What the caller lends in place of what is dead; null when that is not needed, or can't be had. */
const fresh = async (request: DelegationRequest, cluster: Cluster): Promise<CloudGrant | null> => {
  if (!mayDelegate(request, cluster)) return null
  try {
    return (await isDead(request, cluster)) ? await delegate(request, cluster) : null
  } catch (error) {
    if (!isAppError(error)) throw error
    request.ports.log.warn('cluster deleted with what it was delegated', { clusterId: cluster.id, error })
    return null
  }
}

/**
 * Stores the deletion of a cluster, with application credentials that work: machines, load balancers and volumes are removed with them. A
 * rotation that the deletion replaces has brought some; where the user who lent the present ones has left the project, the caller's take
 * their place. Best effort: no deletion is refused for want of it.
 *
 * @throws what `store` throws
 */
export const storeDeletion = async (
  request: DelegationRequest,
  cluster: Cluster,
  store: (delegated: GrantChange) => Promise<void>,
): Promise<void> => {
  if (!cluster.cloud) return store(NOTHING)
  const { ports } = request
  const grant = await fresh(request, cluster)
  if (grant === null) return store((await promotedGrant(ports, cluster)) ?? NOTHING)
  await keeping(request, grant, async () => store(await grantInForce(ports, cluster, grant)))
}
