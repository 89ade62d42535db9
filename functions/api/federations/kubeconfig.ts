import { requireNoCredentialsInMembers } from '../../core/access/credential-namespaces.ts'
import { InvalidRequest, StateConflict } from '../../core/errors.ts'
import { type Federation, isInitialized } from '../../core/federation/federation.ts'
import { federationContext, hostAccess } from '../../core/federation/federation-context.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { quote } from '../../core/values/wording.ts'
import type { FederationDriver } from '../../drivers/contract/federation-driver.ts'
import { kubeconfigOffer } from '../../drivers/contract/federation-driver-description.ts'
import { BrowserRefused } from '../errors.ts'
import {
  type FreshKubeconfig,
  kubeconfigAnswer,
  kubeconfigHeaders,
  recordOf,
  rightsInWords,
} from '../kubeconfigs/answer-kubeconfig.ts'
import { requireOffered, type WantedKubeconfig, wantedKubeconfig } from '../kubeconfigs/kubeconfig.schema.ts'
import { find } from '../lookup.ts'
import { requireKubeconfigRule } from '../policy.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'

type Request = KeysRequest<{ expires_in?: number | undefined }, Parameters<typeof wantedKubeconfig>[0]['body']>

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

/** Asked first of the caller, as the route's rule was, then of this federation, for policies that check its owner. */
const findUp = async (request: Request, { seconds: _, ...rights }: WantedKubeconfig): Promise<Federation> => {
  const { ports, principal, params } = request
  requireKubeconfigRule(request, rights)
  const ident = params.federation ?? ''
  const federation = await find(ports.stores.federations, 'Federation', principal.projectId, ident)
  await ports.stores.integrity.requireFederation(federation)
  requireKubeconfigRule(request, rights, federation)
  const driver = ports.drivers.federation.resolve(federation.driver)
  kubeconfigOf(driver)
  requireOffered(`The driver ${driver.id}`, kubeconfigOffer(driver), rights)
  requireOwnHost(federation)
  requireUp(federation)
  await requireNoCredentialsInMembers(ports, federation, rights)
  return federation
}

const issue = async (
  { ports, principal }: Request,
  federation: Federation,
  wanted: WantedKubeconfig,
): Promise<FreshKubeconfig> => {
  const driver = ports.drivers.federation.resolve(federation.driver)
  const host = await hostAccess(ports, federation)
  try {
    const asked = { user: principal.userId, ...wanted }
    return await kubeconfigOf(driver).call(driver, federationContext(ports, federation, host), asked)
  } finally {
    host.close()
  }
}

/** Written down before it is handed out: who, as what, and until when; never the credential. */
const audit = (
  { ports, principal }: Request,
  federation: Federation,
  { expiresAt, ...wanted }: WantedKubeconfig & FreshKubeconfig,
): Promise<void> =>
  ports.stores.commit([
    ports.stores.federations.change(federation, {}),
    ports.stores.inventory.remember(
      recordOf({ ports, principal }, { kind: 'federation', ...federation }, { ...wanted, expiresAt }),
    ),
    ownerEvent(ports, 'federation', federation, {
      action: 'kubeconfig',
      outcome: 'success',
      reason: 'KubeconfigIssued',
      message: `User ${principal.userId} was given a kubeconfig of ${federation.name} as ${rightsInWords(wanted)} that is valid until ${expiresAt}.`,
    }),
  ])

/**
 * `POST /v1/federations/{federation}/kubeconfig`: a kubeconfig of the control plane, with a credential for the caller that expires and may do what
 * `role` says. As JSON, or as the bare file for `Accept: application/yaml`.
 */
export const issueKubeconfig = async (request: Request): Promise<ApiResponse> => {
  const wanted = wantedKubeconfig(request)
  const federation = await findUp(request, wanted)
  const issued = await issue(request, federation, wanted)
  await retryOnConflict(async () => audit(request, await findUp(request, wanted), { ...wanted, ...issued }))
  return kubeconfigAnswer(request, issued)
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
  await findUp(request, wantedKubeconfig(request))
  return { status: 200, headers: { 'Content-Type': 'application/json', ...kubeconfigHeaders(request) }, text: '' }
}
