import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { DirectoryUser, UserDirectory, UserProject } from '../identity/directory.schema.ts'
import { PasswordsBusy, verifyPassword } from '../identity/password.ts'
import { credentialProject, passwordMark, sessionOf } from '../identity/session.ts'
import { signToken, type TokenClaims } from '../identity/token.ts'
import type { ApplicationCredential } from '../store/identity.store.ts'
import type { IdentityPorts, IdentityRequest } from './context.ts'
import { DOMAIN } from './domain.ts'
import { forbidden, IdentityRefusal, invalid, notFound, unauthorized } from './errors.ts'
import { sourceOf, withinLoginLimits } from './login-limits.ts'
import { AuthRequest, type Identity, type Named, type Scope } from './request.schema.ts'

/** Keystone's default. */
const TOKEN_MS = 3600_000
/** Tokens got with tokens: each is checked with all before it. */
const ANCESTORS_MAX = 8
const OIDC_PROVIDER = 'oidc'
const OIDC_PROTOCOL = 'openid'

/** Who has logged in, and what a token of theirs may be for. */
type Authenticated = Omit<TokenClaims, 'id' | 'projectId' | 'issuedAt'> & { projects: readonly UserProject[] }

/** Whether a name or id stands in the one domain that there is. */
const isInDomain = ({ domain }: Named): boolean =>
  (domain?.id === undefined || domain.id === DOMAIN.id) && (domain?.name === undefined || domain.name === DOMAIN.name)

const findUser = ({ byId, byName }: UserDirectory, wanted: Named): DirectoryUser | undefined => {
  if (wanted.id !== undefined) return byId.get(wanted.id)
  return wanted.name !== undefined && isInDomain(wanted) ? byName.get(wanted.name) : undefined
}

/** When a token ends that begins now, which is not after what it was got with. @param bound undefined: that has no end */
const untilOf = ({ clock }: IdentityPorts, bound?: Date): Date =>
  new Date(Math.min(clock.now().getTime() + TOKEN_MS, bound?.getTime() ?? Number.POSITIVE_INFINITY))

const byPassword = async (request: IdentityRequest, { password: given }: Identity): Promise<Authenticated> => {
  const { ports, sourceIp } = request
  if (given === undefined) throw invalid('auth.identity.password is missing: the method password needs it.')
  const { user: wanted } = given
  const user = findUser(await ports.directory(), wanted)
  const login = { user: user?.id ?? wanted.id ?? wanted.name ?? '', source: sourceOf(sourceIp) }
  const isGood = await withinLoginLimits(ports, login, async () =>
    (await verifyPassword(wanted.password, user?.passwordHash)) ? true : undefined,
  )
  if (!isGood || user === undefined) throw unauthorized()
  return {
    userId: user.id,
    methods: ['password'],
    ancestors: [],
    expiresAt: untilOf(ports),
    projects: user.projects,
    password: passwordMark(user),
  }
}

const byToken = async ({ ports }: IdentityRequest, { token: given }: Identity): Promise<Authenticated> => {
  if (given === undefined) throw invalid('auth.identity.token is missing: the method token needs it.')
  const session = await sessionOf(ports, given.id)
  if ('reason' in session) throw unauthorized(session.reason)
  const { claims, projects } = session
  if (claims.applicationCredentialId !== undefined) {
    throw forbidden('A token of an application credential gets no other token: log in with the credential again.')
  }
  if (claims.ancestors.length >= ANCESTORS_MAX) {
    throw forbidden('The token was got with a token too many times over: log in with a password again.')
  }
  const methods = [...new Set([...claims.methods, 'token'])]
  return { ...claims, methods, ancestors: [...claims.ancestors, claims.id], projects }
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

const findCredential = async (
  { store, directory }: IdentityPorts,
  given: NonNullable<Identity['application_credential']>,
): Promise<ApplicationCredential | undefined> => {
  if (given.id !== undefined) return store.applicationCredential(given.id)
  const user = given.user && findUser(await directory(), given.user)
  const all = user === undefined ? [] : await store.applicationCredentialsOf(user.id)
  const named = all.find(({ name }) => name === given.name)
  return named && store.applicationCredential(named.id)
}

const byCredential = async (request: IdentityRequest, identity: Identity): Promise<Authenticated> => {
  const { ports, sourceIp } = request
  const given = identity.application_credential
  if (given === undefined) {
    throw invalid('auth.identity.application_credential is missing: the method application_credential needs it.')
  }
  const credential = await findCredential(ports, given)
  const login = { user: credential?.id ?? given.id ?? given.name ?? '', source: sourceOf(sourceIp) }
  const found = await withinLoginLimits(ports, login, async () => {
    const expected = Buffer.from(credential?.secretDigest ?? digestOf(randomUUID()).toString('base64'), 'base64')
    return timingSafeEqual(digestOf(given.secret), expected) ? credential : undefined
  })
  const user = found && (await ports.directory()).byId.get(found.userId)
  const project = found && user && credentialProject(found, user)
  if (found === undefined || user === undefined || project === undefined) throw unauthorized()
  return {
    userId: user.id,
    methods: ['application_credential'],
    ancestors: [],
    expiresAt: untilOf(ports, found.expiresAt === null ? undefined : new Date(found.expiresAt)),
    projects: [project],
    applicationCredentialId: found.id,
  }
}

const METHODS: Readonly<Record<string, (request: IdentityRequest, identity: Identity) => Promise<Authenticated>>> = {
  password: byPassword,
  token: byToken,
  application_credential: byCredential,
}

const authenticate = (request: IdentityRequest, identity: Identity): Promise<Authenticated> => {
  const [name = '', ...more] = new Set(identity.methods)
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (method !== undefined && more.length === 0) return method(request, identity)
  throw unauthorized(`auth.identity.methods must be one of ${Object.keys(METHODS).join(', ')}.`)
}

/** The project that a token is for; null for none. Without a word on it the only one that there is, as if it were the user's default project. */
const projectOf = (projects: readonly UserProject[], scope: Scope | undefined): string | null => {
  const [only, ...more] = projects
  if (scope === undefined) return only !== undefined && more.length === 0 ? only.id : null
  if (scope === 'unscoped' || 'unscoped' in scope) return null
  const wanted = scope.project
  if (wanted === undefined) throw unauthorized('The scope must be a project: there are no roles in anything else here.')
  const found = projects.find(({ id, name }) =>
    wanted.id === undefined ? wanted.name === name && isInDomain(wanted) : wanted.id === id,
  )
  if (found === undefined) throw unauthorized()
  return found.id
}

/** A token, and what it says. */
export type Issued = { token: string; claims: TokenClaims }

const issue = async (
  { tokenKey, clock }: IdentityPorts,
  { projects: _, ...authenticated }: Authenticated,
  projectId: string | null,
): Promise<Issued> => {
  const claims: TokenClaims = { ...authenticated, projectId, id: randomUUID(), issuedAt: clock.now() }
  return { token: await signToken(claims, await tokenKey()), claims }
}

/** POST /v3/auth/tokens. @throws IdentityRefusal, IdentityProviderUnavailable, StoreBusy */
export const logIn = async (request: IdentityRequest): Promise<Issued> => {
  const parsed = AuthRequest.safeParse(request.json())
  if (!parsed.success) {
    const places = [...new Set(parsed.error.issues.map(({ path }) => path.join('.') || 'the body'))]
    throw invalid(`The request is not as the Identity API has it: see ${places.join(', ')}.`)
  }
  const { identity, scope } = parsed.data.auth
  try {
    const authenticated = await authenticate(request, identity)
    return await issue(request.ports, authenticated, projectOf(authenticated.projects, scope))
  } catch (error) {
    if (!(error instanceof PasswordsBusy)) throw error
    throw new IdentityRefusal('throttled', 'Too many logins at once: try again in a few seconds.', {
      'Retry-After': '5',
    })
  }
}

/** OS-FEDERATION: an unscoped token for a JWT of the OIDC issuer. @throws as `logIn` */
export const logInFederated = async ({ ports, params, headers }: IdentityRequest): Promise<Issued> => {
  if (ports.oidc === undefined || params.provider !== OIDC_PROVIDER || params.protocol !== OIDC_PROTOCOL) {
    throw notFound(
      ports.oidc === undefined
        ? 'No identity provider is configured in this installation.'
        : `The identity provider is ${OIDC_PROVIDER}, its protocol ${OIDC_PROTOCOL}.`,
    )
  }
  const jwt = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (jwt === undefined) throw unauthorized('Send Authorization: Bearer with a token of the identity provider.')
  const identity = await ports.oidc(jwt)
  if ('unavailable' in identity) throw new IdentityRefusal('unavailable', identity.unavailable)
  if ('reason' in identity) throw unauthorized(identity.reason)
  const { userId, projectId, roles } = identity.principal
  // It was checked, and has an expiry.
  const jwtEnd = new Date((decodeJwt(jwt).exp ?? 0) * 1000)
  const federated = { projectId, roles }
  const claims = { userId, methods: ['mapped'], ancestors: [], expiresAt: untilOf(ports, jwtEnd), federated }
  return issue(ports, { ...claims, projects: [] }, null)
}
