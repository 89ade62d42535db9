import * as z from 'zod'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { type AppError, isAppError } from '../../core/values/app-error.ts'
import { type Access, deniedAccess, describeAccess } from '../../kubernetes/access-review.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../kubernetes/client.ts'
import { ApiThrottled, ApiUnavailable } from '../../kubernetes/errors.ts'
import { clusterRoles, namespaces } from '../../kubernetes/resources.ts'
import type { Finding, MemberContext } from '../contract/federation-driver.ts'
import { blockersOf, terminatingSeconds } from './namespace.ts'
import { FEDERATION_LABEL, isOwned, isTerminating, nameOf, type Site } from './owned.ts'

const ANYTHING: Access = { verb: '*', group: '*', resource: '*' }

/** What the credential may not do, in words: empty when nothing. One call for an administrator, else one more for each request. */
export const missingAccess = async (client: KubernetesClient, desired: readonly Access[]): Promise<string> => {
  const restricted = (await deniedAccess(client, [ANYTHING])).length > 0
  const denied = restricted ? await deniedAccess(client, desired) : []
  return denied.map(describeAccess).join('; ')
}

/** The same verbs on one kind of objects. */
export const accessTo = (verbs: readonly string[], object: Omit<Access, 'verb'>): Access[] =>
  verbs.map((verb) => ({ verb, ...object }))

export const errorFinding = (reason: string, message: string): Finding => ({ severity: 'error', reason, message })
export const warningFinding = (reason: string, message: string): Finding => ({ severity: 'warning', reason, message })

/** True for what a server says that starts, or is asked too much: 429 and 503. */
const asksForPatience = (error: AppError): boolean =>
  error instanceof ApiThrottled || (error instanceof ApiUnavailable && error.details.status === 503)

const fromError = (error: AppError): Finding => ({
  ...errorFinding(error.name, error.message),
  ...(error.retryable ? { retryable: true } : {}),
  ...(asksForPatience(error) ? { passing: true } : {}),
})

/** Runs one check; a refusal of the cluster (401, 403, unreachable) is a finding of its own. */
export const attempt = async (check: () => Promise<Finding[]>): Promise<Finding[]> => {
  try {
    return await check()
  } catch (error) {
    if (!isAppError(error) || error.kind === 'internal') throw error
    return [fromError(error)]
  }
}

/** One finding that lists all that the credential may not do. */
export const permissionFindings = async (
  client: KubernetesClient,
  where: string,
  desired: readonly Access[],
): Promise<Finding[]> => {
  const missing = await missingAccess(client, desired)
  if (missing === '') return []
  return [
    errorFinding(
      'PermissionDenied',
      `The credential of ${where} may not: ${missing}. Grant these, or give another kubeconfig.`,
    ),
  ]
}

const foreign = (site: Site, object: KubernetesObject): Finding[] =>
  isOwned(site, object)
    ? []
    : [
        errorFinding(
          'ForeignObject',
          `${nameOf(site, object)} exists and does not carry the label ${FEDERATION_LABEL}=${site.federationId}. Remove or rename it.`,
        ),
      ]

/** An object with a name that we need is there and is not ours. */
export const foreignFindings = async (site: Site, resource: Resource, name: string): Promise<Finding[]> => {
  const object = await site.client.get(resource, name)
  return object === undefined ? [] : foreign(site, object)
}

/** Longest that a healthy namespace controller takes for an empty namespace, seconds; younger ones are waited for. */
const TERMINATING_SECONDS = 15

const terminating = async (site: Site, namespace: KubernetesObject, now: string): Promise<Finding[]> => {
  const age = Math.round(await terminatingSeconds(site, namespace, now))
  const blockers = blockersOf(namespace)
  const message =
    `${nameOf(site, namespace)} has been Terminating for ${age} s` +
    (blockers === '' ? '; it must be gone first.' : `, which is blocked: ${blockers}`)
  const stuck = blockers !== '' || age > TERMINATING_SECONDS
  return [(stuck ? errorFinding : warningFinding)('NamespaceTerminating', message)]
}

/** The namespace that we need is somebody else's, or is still being deleted. */
export const namespaceFindings = async (site: Site, name: string, now: string): Promise<Finding[]> => {
  const namespace = await site.client.get(namespaces, name)
  if (namespace === undefined) return []
  return isTerminating(namespace) && isOwned(site, namespace)
    ? terminating(site, namespace, now)
    : foreign(site, namespace)
}

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

const isLoopback = (server: string): boolean => URL.canParse(server) && LOOPBACK.test(new URL(server).hostname)

const peerServer = ({ endpoint }: Cluster): string => endpoint?.serverForPeers ?? endpoint?.server ?? ''

/** kind and k3d write 127.0.0.1 into kubeconfigs: nothing in the host can use that, unless the host is on the same machine. */
export const addressFindings = ({ host, member }: MemberContext): Finding[] => {
  const server = peerServer(member.cluster)
  if (!isLoopback(server) || isLoopback(peerServer(host.cluster))) return []
  return [
    warningFinding(
      'MemberAddressIsLoopback',
      `Consumers in the host would look for the member at ${server}, which is their own machine. ` +
        "Register the cluster with server_for_peers, the API server's address as other clusters see it.",
    ),
  ]
}

/** What is used of a ClusterRole. API servers write `rules: null` for a role whose rules nobody has put together yet. */
const RoleSchema = z.object({ rules: z.array(z.unknown()).nullish(), aggregationRule: z.unknown().optional() })

/** `view` and its like get their rules from a controller: kube-apiserver alone serves them empty. */
const WITHOUT_CONTROLLER =
  'Its rules are put together by the controller clusterrole-aggregation of kube-controller-manager, which does not seem to run there: ' +
  'run it, or set'

const emptiness = (role: KubernetesObject, property: string): Finding[] => {
  const { rules, aggregationRule } = RoleSchema.parse(role)
  if ((rules ?? []).length > 0) return []
  const remedy = aggregationRule ? WITHOUT_CONTROLLER : 'Give it rules, or set'
  return [
    warningFinding(
      'MemberRoleEmpty',
      `ClusterRole ${role.metadata.name} of the member has no rules, so the credential that is made for the federation could read nothing there. ` +
        `${remedy} property ${property}.`,
    ),
  ]
}

/** The role that the member's credential is bound to, named by `property`: missing is an error, empty a warning. */
export const memberRoleFindings = async (
  { client }: Site,
  { name, property }: { name: string; property: string },
): Promise<Finding[]> => {
  const role = await client.get(clusterRoles, name)
  if (role !== undefined) return emptiness(role, property)
  return [
    errorFinding(
      'MemberRoleMissing',
      `ClusterRole ${name} does not exist in the member. Make it there, or set property ${property}.`,
    ),
  ]
}
