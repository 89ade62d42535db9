import * as z from 'zod'
import { InvalidRequest, StateConflict } from '../../core/errors.ts'
import { type Federation, isInitialized } from '../../core/federation/federation.ts'
import { federationContext, hostAccess } from '../../core/federation/federation-context.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Secret } from '../../core/values/secret.ts'
import { quote } from '../../core/values/wording.ts'
import type { FederationDriver } from '../../drivers/contract/federation-driver.ts'
import { BrowserRefused } from '../errors.ts'
import { find } from '../lookup.ts'
import { prefers } from '../negotiation.ts'
import { requirePolicy } from '../policy.ts'
import { timestamp } from '../representation.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'

/** Media type of the bare file. */
export const YAML = 'application/yaml'

const SECONDS_MIN = 600
const SECONDS_MAX = 86_400
const SECONDS_DEFAULT = 3600
const SECONDS_RULE = `must be a number of seconds from ${SECONDS_MIN} to ${SECONDS_MAX}`

/** `?expires_in=`: seconds that the credential lives. */
export const expiresIn = z
  .string()
  .regex(/^[0-9]{1,6}$/, { error: SECONDS_RULE })
  .transform(Number)
  .refine((seconds) => seconds >= SECONDS_MIN && seconds <= SECONDS_MAX, { error: SECONDS_RULE })
  .optional()
  .transform((seconds) => seconds ?? SECONDS_DEFAULT)

type Request = KeysRequest<{ expires_in: number }>
type Issued = { kubeconfig: Secret; expiresAt: string }

/** @throws InvalidRequest naming the driver */
const kubeconfigOf = (driver: FederationDriver): NonNullable<FederationDriver['kubeconfig']> => {
  if (driver.capabilities.kubeconfig && driver.kubeconfig !== undefined) return driver.kubeconfig
  throw new InvalidRequest(
    `Federations of the driver ${driver.id} have no API server of their own, and so no kubeconfig. Their "endpoint" tells where their content is.`,
  )
}

/** One with a fault gives a kubeconfig too: it may be what is needed to find the fault. @throws StateConflict */
const requireUp = (federation: Federation): void => {
  const { name, id, status } = federation
  if (isInitialized(federation) && !status.startsWith('DELETE_')) return
  throw new StateConflict(
    `Federation ${quote(name)} (${id}) is ${status}; a kubeconfig is given while its control plane is up.`,
  )
}

/** Issuing opens the host, and no request opens a cluster of another project. @throws StateConflict */
const requireOwnHost = ({ name, id, hostLoan }: Federation): void => {
  if (hostLoan === undefined) return
  throw new StateConflict(
    `The host of federation ${quote(name)} (${id}) is another project's cluster, which no request may open; so no kubeconfig is issued. Read one in the host, or ask its project.`,
  )
}

/** The route's rule is asked again, now of this federation, for policies that check its owner. */
const findUp = async (request: Request): Promise<Federation> => {
  const { ports, principal, params } = request
  const ident = params.federation ?? ''
  const federation = await find(ports.stores.federations, 'Federation', principal.projectId, ident)
  await ports.stores.integrity.requireFederation(federation)
  requirePolicy(request, request.rule, { projectId: federation.projectId, userId: federation.userId })
  kubeconfigOf(ports.drivers.federation.resolve(federation.driver))
  requireOwnHost(federation)
  requireUp(federation)
  return federation
}

const issue = async ({ ports, principal, query }: Request, federation: Federation): Promise<Issued> => {
  const driver = ports.drivers.federation.resolve(federation.driver)
  const host = await hostAccess(ports, federation)
  try {
    const asked = { user: principal.userId, seconds: query.expires_in }
    return await kubeconfigOf(driver).call(driver, federationContext(ports, federation, host), asked)
  } finally {
    host.close()
  }
}

/** Written down before it is handed out: who, and until when; never what. */
const audit = ({ ports, principal }: Request, federation: Federation, { expiresAt }: Issued): Promise<void> =>
  ports.stores.commit([
    ports.stores.federations.change(federation, {}),
    ownerEvent(ports, 'federation', federation, {
      action: 'kubeconfig',
      outcome: 'success',
      reason: 'KubeconfigIssued',
      message: `User ${principal.userId} was given a kubeconfig of ${federation.name} that is valid until ${expiresAt}.`,
    }),
  ])

const NO_STORE = { 'Cache-Control': 'no-store' }

const headersOf = ({ headers }: Request): Record<string, string> =>
  prefers(headers.accept, YAML) ? { ...NO_STORE, 'Content-Type': YAML } : NO_STORE

const answer = (request: Request, { kubeconfig, expiresAt }: Issued): ApiResponse => {
  const [headers, text] = [headersOf(request), kubeconfig.reveal()]
  return 'Content-Type' in headers
    ? { status: 200, headers, text }
    : { status: 200, headers, body: { kubeconfig: text, expires_at: timestamp(expiresAt) } }
}

/**
 * `POST /v1/federations/{federation}/kubeconfig`: a kubeconfig of the control plane, with a credential for the caller that expires. As JSON, or
 * as the bare file for `Accept: application/yaml`.
 */
export const issueKubeconfig = async (request: Request): Promise<ApiResponse> => {
  const federation = await findUp(request)
  const issued = await issue(request, federation)
  await retryOnConflict(async () => audit(request, await findUp(request), issued))
  return answer(request, issued)
}

/** What browsers add to every request, of themselves; `Sec-Fetch-Mode` alone is Node's `fetch`. */
const OF_BROWSERS = ['origin', 'sec-fetch-site', 'sec-fetch-dest', 'sec-fetch-user']

/** Any page can have a browser send a GET, by an image or a link. @throws BrowserRefused */
const assertNoBrowser = ({ headers }: Request): void => {
  if (!OF_BROWSERS.some((name) => name in headers)) return
  throw new BrowserRefused(
    'A GET that issues a credential is not taken from a browser, which a page may have made send it. Send POST /v1/federations/{federation}/kubeconfig.',
  )
}

/** `GET /v1/federations/{federation}/kubeconfig`: the same for other clients than browsers. HEAD issues none. @throws BrowserRefused */
export const getKubeconfig = async (request: Request): Promise<ApiResponse> => {
  assertNoBrowser(request)
  if (!request.isHead) return issueKubeconfig(request)
  await findUp(request)
  return { status: 200, headers: { 'Content-Type': 'application/json', ...headersOf(request) }, text: '' }
}
