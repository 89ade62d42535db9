import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import * as z from 'zod'
import { TooManyRequests } from '../core/errors.ts'
import type { TablePorts } from '../core/ports.ts'
import { isAppError } from '../core/values/app-error.ts'
import { IDENTITY_SOURCES, type Principal, ROLES } from '../core/values/identity.ts'
import { Allowance } from './allowance.ts'
import { errorResponse } from './envelope.ts'
import { IdentityUnknown, MicroversionUnsupported, PolicyForbids, Unauthenticated } from './errors.ts'
import type { Exchange } from './match.ts'
import { parseMicroversion, versionHeaders } from './negotiation.ts'
import type { ApiResponse } from './route.ts'
import type { ApiSettings } from './settings.ts'

const principal = z.object({
  userId: z.string().min(1),
  projectId: z.string().min(1),
  roles: z.array(z.string()).transform((roles) => ROLES.filter((role) => roles.includes(role))),
  source: z.enum(IDENTITY_SOURCES),
})

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue('not JSON')
    return z.NEVER
  }
})

/** What the authorizer put into the event (`functions/core/values/identity.ts`): it always allows, and says who it is or why nobody. */
const authorizerContext = z.union([
  z.object({ principal: json.pipe(principal) }),
  z.object({ reason: z.string() }),
  z.object({ unavailable: z.string() }),
])

const requestContext = z.object({ authorizer: z.object({ lambda: authorizerContext }) })

/** What API Gateway puts into the event where IAM has authorised the request: it has checked the signature. */
const signedContext = z.object({ authorizer: z.object({ iam: z.object({ userArn: z.string() }) }) })

const NOBODY = 'The request you have made requires authentication.'

/** @throws Unauthenticated for a caller that the operator has not named */
const signedPrincipal = (userArn: string, { awsCallers }: Callers): Principal => {
  const principal = awsCallers?.(userArn)
  if (principal !== undefined) return principal
  throw new Unauthenticated(`${userArn} has no role in a project here: the operator adds it to the setting awsCallers.`)
}

type Callers = Pick<ApiSettings, 'awsCallers'>

/**
 * @throws Unauthenticated with the authorizer's reason
 * @throws IdentityUnknown when the authorizer could not find out
 */
export const principalOf = (context: unknown, callers: Callers = {}): Principal => {
  const signed = signedContext.safeParse(context)
  if (signed.success) return signedPrincipal(signed.data.authorizer.iam.userArn, callers)
  const parsed = requestContext.safeParse(context)
  if (!parsed.success) throw new Unauthenticated(NOBODY)
  const { lambda } = parsed.data.authorizer
  if ('principal' in lambda) return lambda.principal
  if ('unavailable' in lambda) throw new IdentityUnknown(lambda.unavailable)
  throw new Unauthenticated(lambda.reason === '' ? NOBODY : lambda.reason)
}

/** An answer as API Gateway takes it. HEAD gets the headers only. */
export const toResult = (event: APIGatewayProxyEventV2, response: ApiResponse): APIGatewayProxyStructuredResultV2 => {
  const text = response.text ?? (response.body === undefined ? '' : JSON.stringify(response.body))
  const type: Record<string, string> = text === '' ? {} : { 'Content-Type': 'application/json' }
  return {
    statusCode: response.status,
    headers: { ...type, ...response.headers },
    body: event.requestContext.http.method === 'HEAD' ? '' : text,
  }
}

/** A middy middleware around the handlers of the API. */
type ApiMiddleware = MiddlewareObj<Exchange, APIGatewayProxyStructuredResultV2>

/** `/` and `/healthcheck` are outside of the version; all other paths are under `/v1`, unknown ones too. */
export const isVersioned = ({ target }: Pick<Exchange, 'target'>): boolean =>
  !('route' in target) || target.route.path.startsWith('/v1')

/** Reads the version header, before anything is done that depends on it. */
const negotiateVersion = (): ApiMiddleware => ({
  before: ({ event }) => {
    if (!isVersioned(event)) return
    try {
      event.minor = parseMicroversion(event.http.headers['openstack-api-version'])
      event.versionHeaders = versionHeaders(`1.${event.minor}`)
    } catch (error) {
      if (error instanceof MicroversionUnsupported) {
        event.versionHeaders = versionHeaders(String(error.details.requested))
      }
      throw error
    }
  },
})

/** One line per request: the route's pattern instead of the path, so that lines group and nobody's text is in them. */
const accessLog = (ports: Pick<TablePorts, 'clock'>): ApiMiddleware => {
  const write: NonNullable<ApiMiddleware['after']> = ({ event, response }) => {
    const { http, target, principal, startedAt, minor } = event
    event.log.info('request', {
      method: http.requestContext.http.method,
      route: 'route' in target ? target.route.path : null,
      status: response?.statusCode ?? 500,
      milliseconds: ports.clock.now().getTime() - startedAt,
      minor,
      userId: principal?.userId ?? null,
    })
  }
  return { after: write, onError: write }
}

/** For operators: a metric counts these lines (decision 0042). Roles and rule say what is missing. */
const logRefusal = ({ log, http, target, principal }: Exchange, { details }: PolicyForbids): void =>
  log.info('refused', {
    ...details,
    userId: principal?.userId ?? null,
    source: principal?.source ?? null,
    roles: principal?.roles ?? [],
    method: http.requestContext.http.method,
    route: 'route' in target ? target.route.path : null,
  })

/** Turns what was thrown into an answer; what nobody expected is logged with its stack and shown to nobody. */
const errorEnvelope = (settings: ApiSettings): ApiMiddleware => ({
  onError: (request) => {
    const { event, error } = request
    if (!isAppError(error) || error.kind === 'internal') event.log.error('request failed', { error })
    if (error instanceof PolicyForbids) logRefusal(event, error)
    const { baseUrl } = event
    request.response = toResult(event.http, errorResponse(error, { baseUrl, authUrl: settings.authUrl ?? baseUrl }))
  },
})

/** The request id on every answer; the version headers where they belong (magnum-rest.md 1.3, 13.3). */
const responseHeaders = (): ApiMiddleware => {
  const add: NonNullable<ApiMiddleware['after']> = ({ event, response }) => {
    if (!response) return
    response.headers = {
      ...response.headers,
      ...event.versionHeaders,
      'X-Openstack-Request-Id': event.requestId,
    }
  }
  return { after: add, onError: add }
}

/** Demands a principal, except on public routes. Unknown paths ask too: what exists is not for everybody. */
const authenticate = (callers: Callers): ApiMiddleware => ({
  before: ({ event }) => {
    const { target } = event
    if ('route' in target && target.route.access === 'none') return
    event.principal = principalOf(event.http.requestContext, callers)
    event.log = event.log.child({ projectId: event.principal.projectId })
  },
})

/** Seconds' worth of a rate that may come at once. */
const BURST_SECONDS = 10

const allowanceOf = (perSecond: number): Allowance | undefined =>
  perSecond === 0 ? undefined : new Allowance({ burst: perSecond * BURST_SECONDS, perSecond })

/** Refuses what a caller, or all of a project, sends too fast. Each process counts for itself (decision 0042). */
const limitRates = ({ clock }: Pick<TablePorts, 'clock'>, { rates }: ApiSettings): ApiMiddleware => {
  const principals = allowanceOf(rates?.perPrincipal ?? 0)
  const projects = allowanceOf(rates?.perProject ?? 0)
  const require = (allowance: Allowance | undefined, key: string, whose: string): void => {
    const retryAfterSeconds = allowance?.take(key, clock.now()) ?? 0
    if (retryAfterSeconds === 0) return
    throw new TooManyRequests(`${whose} too many requests a second. Try again in ${retryAfterSeconds} s.`, {
      details: { retryAfterSeconds },
    })
  }
  return {
    before: ({ event: { principal } }) => {
      if (principal === null) return
      const { source, userId, projectId } = principal
      require(principals, JSON.stringify([source, projectId, userId]), `User ${userId} sends`)
      require(projects, projectId, `Project ${projectId} sends`)
    },
  }
}

/**
 * The one list of what happens around every handler. Before: from first to last. After, and on an error: from last to first, so
 * that errors become answers, answers get their headers, and then the line is logged.
 */
export const middlewareBundle = (ports: Pick<TablePorts, 'clock'>, settings: ApiSettings): ApiMiddleware[] => [
  accessLog(ports),
  responseHeaders(),
  errorEnvelope(settings),
  authenticate(settings),
  negotiateVersion(),
  limitRates(ports, settings),
]
