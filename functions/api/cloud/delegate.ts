import { randomBytes } from 'node:crypto'
import type { CloudGrant } from '../../cloud/cloud.ts'
import { CloudTokenMissing } from '../../cloud/errors.ts'
import { cloudOf, grantRefOf } from '../../core/cluster/cloud-grants.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { Secret } from '../../core/values/secret.ts'
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
export const requireDelegator = (request: DelegationRequest, { projectId }: Pick<Cluster, 'projectId'>): Secret => {
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
