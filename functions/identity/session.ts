import { createHash } from 'node:crypto'
import type { Clock } from '../core/ports.ts'
import type { Identity, Principal, Role } from '../core/values/identity.ts'
import type { ApplicationCredential, IdentityStore } from '../store/identity.store.ts'
import type { DirectoryUser, UserDirectory, UserProject } from './directory.schema.ts'
import { type TokenClaims, verifyToken } from './token.ts'

/** What tokens are made and checked with. */
export type TokenAuthority = {
  /** The users as they are now. @throws IdentityProviderUnavailable */
  directory(): Promise<UserDirectory>
  /** 32 bytes at least. @throws IdentityProviderUnavailable */
  tokenKey(): Promise<Uint8Array>
  store: IdentityStore
  clock: Clock
}

/** Whose token it is, and what they may do with it now. */
export type Session = {
  claims: TokenClaims
  user: { id: string; name: string }
  /** Null: the token is unscoped. */
  project: UserProject | null
  source: Extract<Principal['source'], 'users' | 'oidc'>
  /** Projects that it may be scoped to. */
  projects: readonly UserProject[]
  applicationCredential?: ApplicationCredential
}

type Refused = { reason: string }

/** Changes with the password, and tells nothing of it: what it is made of is a salted hash. */
export const passwordMark = ({ passwordHash }: Pick<DirectoryUser, 'passwordHash'>): string =>
  createHash('sha256').update(passwordHash).digest('base64url').slice(0, 16)

/** What an application credential gives in a project: what it was made with, as far as its user still has it. */
export const credentialProject = (
  { projectId, roles }: ApplicationCredential,
  user: Pick<DirectoryUser, 'projects'>,
): UserProject | undefined => {
  const project = user.projects.find(({ id }) => id === projectId)
  const left: Role[] = project?.roles.filter((role) => roles.includes(role)) ?? []
  return project === undefined || left.length === 0 ? undefined : { ...project, roles: left }
}

const INVALID = 'The token is not valid, or it has expired or was revoked: log in again.'
const refused = (reason = INVALID): Refused => ({ reason })

const federatedSession = (claims: TokenClaims, { projectId, roles }: { projectId: string; roles: readonly Role[] }) => {
  const project: UserProject = { id: projectId, name: projectId, roles }
  return {
    claims,
    user: { id: claims.userId, name: claims.userId },
    project: claims.projectId === null ? null : project,
    projects: [project],
    source: 'oidc' as const,
  }
}

type Found = Pick<Session, 'projects' | 'applicationCredential'>

/** What the user has by the application credential of the token, or all that they have where it is of none. */
const projectsOf = async (
  store: IdentityStore,
  { applicationCredentialId: id }: TokenClaims,
  user: DirectoryUser,
): Promise<Found | Refused> => {
  if (id === undefined) return { projects: user.projects }
  const credential = await store.applicationCredential(id)
  if (credential?.userId !== user.id) {
    return refused('The application credential of the token was deleted, or has expired.')
  }
  const left = credentialProject(credential, user)
  return { projects: left === undefined ? [] : [left], applicationCredential: credential }
}

const userSession = async ({ directory, store }: TokenAuthority, claims: TokenClaims): Promise<Session | Refused> => {
  const user = (await directory()).byId.get(claims.userId)
  if (user === undefined) return refused('The user of the token is not there any more.')
  if (claims.password !== undefined && claims.password !== passwordMark(user)) {
    return refused('The password was changed since the token was issued: log in again.')
  }
  const found = await projectsOf(store, claims, user)
  if ('reason' in found) return found
  const project = claims.projectId === null ? null : found.projects.find(({ id }) => id === claims.projectId)
  if (project === undefined) return refused('The user of the token has no role in its project any more: log in again.')
  return { ...found, claims, user: { id: user.id, name: user.name }, project, source: 'users' }
}

/**
 * What a token gives now, or why it gives nothing: signature, expiry, revocation, user, password, application credential and project are
 * checked at each use.
 *
 * @throws IdentityProviderUnavailable, StoreBusy when that can't be found out
 */
export const sessionOf = async (authority: TokenAuthority, token: string): Promise<Session | Refused> => {
  const claims = await verifyToken(token, await authority.tokenKey(), authority.clock.now())
  if (claims === undefined) return refused()
  if (await authority.store.isAnyRevoked([claims.id, ...claims.ancestors])) return refused()
  return claims.federated === undefined ? userSession(authority, claims) : federatedSession(claims, claims.federated)
}

/**
 * Who calls, by a token of the facade.
 *
 * @throws as `sessionOf`
 */
export const identityOfToken = async (authority: TokenAuthority, token: string): Promise<Identity> => {
  const session = await sessionOf(authority, token)
  if ('reason' in session) return session
  const { user, project, source } = session
  if (project === null) {
    return { reason: 'The token is unscoped, but one for a project is needed: log in with a project.' }
  }
  return { principal: { userId: user.id, projectId: project.id, roles: project.roles, source } }
}
