import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '../core/values/identity.ts'
import type { UserProject } from '../identity/directory.schema.ts'
import type { Session } from '../identity/session.ts'
import { AlreadyExists } from '../store/errors.ts'
import type { ApplicationCredential } from '../store/identity.store.ts'
import type { IdentityAnswer, IdentityRequest } from './context.ts'
import { keystoneTime } from './domain.ts'
import { forbidden, IdentityRefusal, invalid, notFound } from './errors.ts'
import { CredentialRequest, RoleName } from './request.schema.ts'

const CREDENTIALS_MAX = 100

const view = (credential: ApplicationCredential, baseUrl: string, secret?: string) => {
  const { id, name, description, userId, projectId, roles, unrestricted, expiresAt } = credential
  const user = encodeURIComponent(userId)
  return {
    id,
    name,
    description,
    user_id: userId,
    project_id: projectId,
    roles: roles.map((role) => ({ id: role, name: role })),
    unrestricted,
    expires_at: expiresAt === null ? null : keystoneTime(new Date(expiresAt)),
    links: { self: `${baseUrl}/identity/v3/users/${user}/application_credentials/${id}` },
    ...(secret === undefined ? {} : { secret }),
  }
}

/** The caller's session, when the path is about them. Users of an identity provider have none: they would outlive what it says. */
const ownSession = async (request: IdentityRequest): Promise<Session> => {
  const session = await request.session()
  if (session.source !== 'users') {
    throw forbidden(
      'Application credentials are for users of this installation, not for those of an identity provider.',
    )
  }
  if (session.user.id !== request.params.user) throw forbidden('Application credentials are for their user alone.')
  return session
}

const changingSession = async (request: IdentityRequest): Promise<Session> => {
  const session = await ownSession(request)
  if (session.applicationCredential?.unrestricted === false) {
    throw forbidden('A restricted application credential makes and deletes none: log in with a password.')
  }
  return session
}

const rolesOf = ({ roles }: CredentialRequest, project: UserProject): readonly Role[] => {
  if (!roles || roles.length === 0) return project.roles
  const wanted = roles.map(({ id, name }) => RoleName.safeParse(name ?? id).data)
  const own = project.roles.filter((role) => wanted.includes(role))
  if (own.length === new Set(wanted).size) return own
  throw invalid(`The roles must be among those of the token: ${project.roles.join(', ')}.`)
}

/** Keystone's form has no zone, and means UTC. */
const expiryOf = ({ expires_at: text }: CredentialRequest, now: Date): string | null => {
  if (!text) return null
  const date = new Date(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)
  if (Number.isNaN(date.getTime()) || date <= now) {
    throw invalid('expires_at must be a time to come, like 2030-01-31T12:00:00Z.')
  }
  return date.toISOString()
}

const bodyOf = (json: unknown): CredentialRequest => {
  const parsed = CredentialRequest.safeParse(json)
  if (parsed.success) return parsed.data.application_credential
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`)
  throw invalid(`The application credential is not as it must be. ${[...new Set(faults)].join('; ')}.`)
}

/** POST /v3/users/{user_id}/application_credentials: the secret is shown this once. */
export const createCredential = async (request: IdentityRequest): Promise<IdentityAnswer> => {
  const { ports, baseUrl } = request
  const { user, project } = await changingSession(request)
  if (project === null) throw forbidden('An application credential is for the project of the token: log in with one.')
  const body = bodyOf(request.json())
  if ((body.project_id ?? project.id) !== project.id) throw forbidden('The project must be that of the token.')
  const there = await ports.store.applicationCredentialsOf(user.id)
  if (there.length >= CREDENTIALS_MAX) {
    throw forbidden(`The user has ${there.length} application credentials already: delete one that is not needed.`)
  }
  const now = ports.clock.now()
  const secret = randomBytes(32).toString('base64url')
  const credential: ApplicationCredential = {
    id: randomBytes(16).toString('hex'),
    name: body.name,
    description: body.description ?? '',
    userId: user.id,
    projectId: project.id,
    roles: rolesOf(body, project),
    unrestricted: body.unrestricted ?? false,
    secretDigest: createHash('sha256').update(secret).digest('base64'),
    expiresAt: expiryOf(body, now),
    createdAt: now.toISOString(),
  }
  await ports.store.addApplicationCredential(credential).catch((error: unknown) => {
    throw error instanceof AlreadyExists ? new IdentityRefusal('conflict', error.message) : error
  })
  return { status: 201, body: { application_credential: view(credential, baseUrl, secret) } }
}

/** GET /v3/users/{user_id}/application_credentials. */
export const listCredentials = async (request: IdentityRequest): Promise<IdentityAnswer> => {
  const { ports, baseUrl, query } = request
  const { user } = await ownSession(request)
  const name = query.get('name')
  const all = await ports.store.applicationCredentialsOf(user.id)
  const shown = all.filter((credential) => name === null || credential.name === name)
  const self = `${baseUrl}/identity/v3/users/${encodeURIComponent(user.id)}/application_credentials`
  const body = {
    application_credentials: shown.map((credential) => view(credential, baseUrl)),
    links: { self, next: null, previous: null },
  }
  return { status: 200, body }
}

const find = async ({ ports, params }: IdentityRequest, { user }: Session): Promise<ApplicationCredential> => {
  const all = await ports.store.applicationCredentialsOf(user.id)
  const found = all.find(({ id }) => id === params.credential)
  if (found === undefined) throw notFound('Could not find the application credential.')
  return found
}

/** GET /v3/users/{user_id}/application_credentials/{id}. */
export const showCredential = async (request: IdentityRequest): Promise<IdentityAnswer> => {
  const credential = await find(request, await ownSession(request))
  return { status: 200, body: { application_credential: view(credential, request.baseUrl) } }
}

/** DELETE: tokens of the credential are refused with it. */
export const deleteCredential = async (request: IdentityRequest): Promise<IdentityAnswer> => {
  await request.ports.store.removeApplicationCredential(await find(request, await changingSession(request)))
  return { status: 204 }
}
