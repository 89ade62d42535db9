import { type AppError, isAppError } from '../../core/values/app-error.ts'
import type { Access } from '../../kubernetes/access-review.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../kubernetes/client.ts'
import { namespaces } from '../../kubernetes/resources.ts'
import type { Finding } from '../contract/federation-driver.ts'
import { blockersOf, terminatingSeconds } from './namespace.ts'
import { FEDERATION_LABEL, isOwned, isTerminating, nameOf, type Site } from './owned.ts'
import { missingAccess } from './permissions.ts'

export const errorFinding = (reason: string, message: string): Finding => ({ severity: 'error', reason, message })
export const warningFinding = (reason: string, message: string): Finding => ({ severity: 'warning', reason, message })

const fromError = (error: AppError): Finding => ({
  ...errorFinding(error.name, error.message),
  ...(error.retryable ? { retryable: true } : {}),
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
