import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { isAppError } from '../core/values/app-error.ts'
import { sessionOf } from '../identity/session.ts'
import { createCredential, deleteCredential, listCredentials, showCredential } from './application-credentials.ts'
import type { IdentityAnswer, IdentityPorts, IdentityRequest } from './context.ts'
import { catalogOf, projectsView, tokenView, versionsView, versionView } from './domain.ts'
import { errorAnswer, forbidden, IdentityRefusal, invalid, notFound, type RefusalKind, unauthorized } from './errors.ts'
import { type Issued, logIn, logInFederated } from './login.ts'

/** The facade of Keystone: its own path, with `/v3` as the only segment that looks like a version. */
export const IDENTITY_PATH = '/identity'

type Handle = (request: IdentityRequest) => Promise<IdentityAnswer>

const identityUrl = ({ baseUrl }: IdentityRequest): string => `${baseUrl}${IDENTITY_PATH}/v3`

const catalogFor = async ({ ports, baseUrl, query }: IdentityRequest) =>
  query.has('nocatalog') ? undefined : catalogOf(baseUrl, (await ports.directory()).region)

const issued = async (request: IdentityRequest, { token }: Issued): Promise<IdentityAnswer> => {
  const session = await sessionOf(request.ports, token)
  if ('reason' in session) throw unauthorized(session.reason)
  request.ports.log.info('logged in', {
    userId: session.user.id,
    projectId: session.project?.id ?? null,
    methods: session.claims.methods,
  })
  const body = { token: tokenView(session, await catalogFor(request)) }
  return { status: 201, headers: { 'X-Subject-Token': token }, body }
}

/** The session of `X-Subject-Token`, which must be of the caller: nobody else's tokens are shown or revoked. */
const subjectOf = async ({ ports, headers, session }: IdentityRequest) => {
  const caller = await session()
  const token = headers['x-subject-token']?.trim() ?? ''
  if (token === '') throw invalid('The header X-Subject-Token is missing: it names the token that is asked about.')
  const subject = await sessionOf(ports, token)
  if ('reason' in subject) throw notFound(`Could not find the token: ${subject.reason}`)
  if (subject.user.id !== caller.user.id || subject.source !== caller.source) {
    throw forbidden('The token is of another user.')
  }
  return { subject, token }
}

const showToken: Handle = async (request) => {
  const { subject, token } = await subjectOf(request)
  const body = { token: tokenView(subject, await catalogFor(request)) }
  return { status: 200, headers: { 'X-Subject-Token': token }, body }
}

const revokeToken: Handle = async (request) => {
  const { claims } = (await subjectOf(request)).subject
  await request.ports.store.revoke(claims.id, claims.expiresAt)
  return { status: 204 }
}

const listProjects: Handle = async (request) => ({
  status: 200,
  body: projectsView((await request.session()).projects, identityUrl(request)),
})

/** `openstack project list --my-projects` asks here. */
const listOwnProjects: Handle = async (request) => {
  const { user } = await request.session()
  if (user.id !== request.params.user) throw forbidden('Projects are shown to their user alone.')
  return listProjects(request)
}

const showCatalog: Handle = async (request) => {
  if ((await request.session()).project === null) throw forbidden('An unscoped token has no catalog.')
  const { region } = await request.ports.directory()
  const links = { self: `${identityUrl(request)}/auth/catalog`, next: null, previous: null }
  return { status: 200, body: { catalog: catalogOf(request.baseUrl, region), links } }
}

const FEDERATED = 'v3/OS-FEDERATION/identity_providers/{provider}/protocols/{protocol}/auth'
const CREDENTIALS = 'v3/users/{user}/application_credentials'
const federated: Handle = async (request) => issued(request, await logInFederated(request))

/** Methods by path below `/identity`, without slashes around it. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, Handle>>>> = {
  '': { GET: async (request) => ({ status: 300, body: versionsView(identityUrl(request)) }) },
  v3: { GET: async (request) => ({ status: 200, body: versionView(identityUrl(request)) }) },
  'v3/auth/tokens': {
    POST: async (request) => issued(request, await logIn(request)),
    GET: showToken,
    DELETE: revokeToken,
  },
  'v3/auth/projects': { GET: listProjects },
  'v3/auth/catalog': { GET: showCatalog },
  'v3/users/{user}/projects': { GET: listOwnProjects },
  [FEDERATED]: { GET: federated, POST: federated },
  [CREDENTIALS]: { GET: listCredentials, POST: createCredential },
  [`${CREDENTIALS}/{credential}`]: { GET: showCredential, DELETE: deleteCredential },
}

const paramsOf = (pattern: string, path: readonly string[]): Record<string, string> | undefined => {
  const segments = pattern.split('/')
  if (segments.length !== path.length) return
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const value = path[index] ?? ''
    if (segment.startsWith('{') && value !== '') params[segment.slice(1, -1)] = value
    else if (segment !== value) return
  }
  return params
}

type Found = { handle: Handle; params: Record<string, string> }

/** @throws IdentityRefusal (404, 405) */
const find = (method: string, pathBelow: string): Found => {
  const path = pathBelow.replace(/^\/+|\/+$/g, '').split('/')
  for (const [pattern, methods] of Object.entries(ROUTES)) {
    const params = paramsOf(pattern, path)
    if (params === undefined) continue
    const handle = methods[method === 'HEAD' ? 'GET' : method]
    if (handle !== undefined) return { handle, params }
    const allow = Object.keys(methods).join(', ')
    throw new IdentityRefusal('method-not-allowed', `The method is not allowed here; allowed: ${allow}.`, {
      Allow: allow,
    })
  }
  throw notFound('The resource could not be found: this facade of Keystone has logins and application credentials.')
}

/** Room for a login with a long password, and for nothing else. */
const BODY_BYTES_MAX = 64 * 1024

const jsonOf = ({ body = '', isBase64Encoded }: APIGatewayProxyEventV2): unknown => {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > BODY_BYTES_MAX) {
    throw new IdentityRefusal('too-large', `The body is too large: at most ${BODY_BYTES_MAX} bytes are accepted.`)
  }
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // The parser's message quotes the body, which holds a password.
    throw invalid('The body is not JSON.')
  }
}

const requestOf = (ports: IdentityPorts, event: APIGatewayProxyEventV2, params: Found['params']): IdentityRequest => {
  const headers = Object.fromEntries(Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    ports,
    headers,
    params,
    baseUrl: ports.baseUrl(headers),
    query: new URLSearchParams(event.rawQueryString),
    sourceIp: event.requestContext.http.sourceIp,
    json: () => jsonOf(event),
    session: async () => {
      const token = headers['x-auth-token']?.trim() ?? ''
      if (token === '') throw unauthorized()
      const session = await sessionOf(ports, token)
      if ('reason' in session) throw unauthorized(session.reason)
      return session
    },
  }
}

/** Refusals as they are; what only waiting helps against as 503; of everything else nothing is told. */
const refusalOf = (
  error: unknown,
): { kind: RefusalKind; message: string; headers: Readonly<Record<string, string>> } => {
  if (error instanceof IdentityRefusal) return error
  const isPassing = isAppError(error) && error.kind === 'unavailable'
  return isPassing
    ? { kind: 'unavailable', message: "Who calls can't be found out at the moment: try again later.", headers: {} }
    : { kind: 'internal', message: 'The server failed to answer. The request id leads to the cause.', headers: {} }
}

/**
 * Path of a request below `/identity`, which is below the mount path of the base URL where a proxy or gateway leaves that; undefined for all
 * others.
 */
export const identityPathOf = (rawPath: string, baseUrl: string): string | undefined => {
  const root = ['', new URL(baseUrl).pathname.replace(/\/+$/, '')]
    .map((mount) => `${mount}${IDENTITY_PATH}`)
    .find((start) => rawPath === start || rawPath.startsWith(`${start}/`))
  return root && rawPath.slice(root.length)
}

const answerOf = async (ports: IdentityPorts, event: APIGatewayProxyEventV2): Promise<IdentityAnswer> => {
  try {
    const below = identityPathOf(event.rawPath, ports.baseUrl(event.headers))
    if (below === undefined) throw notFound('The resource could not be found.')
    const { handle, params } = find(event.requestContext.http.method, below)
    return await handle(requestOf(ports, event, params))
  } catch (error) {
    const { kind, message, headers } = refusalOf(error)
    if (kind === 'unavailable' || kind === 'internal') ports.log.error('identity request failed', { error })
    else ports.log.info('identity request refused', { kind, sourceIp: event.requestContext.http.sourceIp })
    const uri = `${ports.baseUrl({})}${IDENTITY_PATH}/v3`
    const challenge = kind === 'unauthenticated' ? { 'WWW-Authenticate': `Keystone uri="${uri}"` } : {}
    return { ...errorAnswer(kind, message), headers: { ...headers, ...challenge } }
  }
}

export type IdentityApp = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>

/** The facade as one function from an event of an HTTP API to its answer; it never rejects. */
export const identityApp =
  (ports: IdentityPorts): IdentityApp =>
  async (event) => {
    const requestId = `req-${event.requestContext.requestId}`
    const log = ports.log.child({ requestId })
    const { status, headers, body } = await answerOf({ ...ports, log }, event)
    const isBare = body === undefined || event.requestContext.http.method === 'HEAD'
    return {
      statusCode: status,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        'Cache-Control': 'no-store',
        Vary: 'X-Auth-Token',
        'X-Openstack-Request-Id': requestId,
        ...headers,
      },
      body: isBare ? '' : JSON.stringify(body),
    }
  }
