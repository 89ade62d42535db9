import * as z from 'zod'
import { describePlace, type ObjectRef } from '../../core/values/object-ref.ts'
import type { KubernetesObject } from '../../kubernetes/client.ts'
import { ObjectConflict, PermissionDenied } from '../../kubernetes/errors.ts'
import type { Manifest } from '../../kubernetes/manifest.ts'
import { namespaces, serviceAccounts } from '../../kubernetes/resources.ts'
import { marked } from '../contract/object-marks.ts'
import { deleteOwned, ensureSeen, isOwned, isTerminating, ownerLabels, refOf, type Site } from './owned.ts'
import { Pending } from './step.ts'
import { clusterTime } from './who-am-i.ts'

const Conditions = z.object({
  status: z.object({
    conditions: z
      .array(z.object({ type: z.string(), status: z.string(), message: z.string().default('') }))
      .default([]),
  }),
})

/** What blocks the deletion of a namespace, in the words of the namespace controller; empty while nothing does. */
export const blockersOf = (namespace: KubernetesObject): string =>
  (Conditions.safeParse(namespace).data?.status.conditions ?? [])
    .filter((condition) => condition.status === 'True')
    .map((condition) => `${condition.type}: ${condition.message}`)
    .join('; ')

/** Seconds since its deletion was asked for, by the cluster's own clock. */
export const terminatingSeconds = async (site: Site, namespace: KubernetesObject, now: string): Promise<number> => {
  const since = new Date(namespace.metadata.deletionTimestamp ?? now)
  return ((await clusterTime(site.client, now)).getTime() - since.getTime()) / 1000
}

export const namespaceManifest = (federationId: string, name: string): Manifest<'Namespace'> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: ownerLabels(federationId) },
})

/**
 * Creates the namespace with the federation's label. A server-side apply would take over the label of another federation that created it a
 * moment before, and both would believe it theirs: a POST fails then.
 *
 * @throws Pending when another client created it meanwhile, so that it is observed again
 */
export const createNamespace = async (site: Site, name: string): Promise<KubernetesObject> => {
  try {
    return await site.client.create(namespaces, marked(namespaceManifest(site.federationId, name), site.marks))
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    throw new Pending(`namespace ${name} in ${describePlace(site.where)} to be observed: another client created it`)
  }
}

/**
 * Makes sure that there is a namespace of that name with the federation's label. `existing`: as it was just read, undefined for none.
 *
 * @throws ForeignObject when it is not ours
 * @throws Pending when it is being deleted, or another client created it meanwhile
 */
export const ensureNamespace = (
  site: Site,
  name: string,
  existing: KubernetesObject | undefined,
): Promise<KubernetesObject> =>
  existing === undefined
    ? createNamespace(site, name)
    : ensureSeen(site, namespaces, namespaceManifest(site.federationId, name), existing)

export type NamespaceRemoval = {
  name: string
  /** ISO-8601 UTC. */
  now: string
  /**
   * Seconds after which a namespace that nothing has touched counts as one without a namespace controller. The controller waits
   * 5 s on purpose before it checks a deleted namespace; the rest is for a slow one.
   */
  timeoutSeconds: number
}

/** How much longer to be patient where a controller manager is known to run: it is slow then, not absent. */
const SLOW_FACTOR = 5

/**
 * A controller manager gives each namespace a ServiceAccount `default`. Looked for in namespace `default`, since the one in a namespace that
 * is being emptied goes before that. Assumed where we may not look.
 */
const hasControllerManager = async (site: Site): Promise<boolean> => {
  try {
    return (await site.client.get(serviceAccounts('default'), 'default')) !== undefined
  } catch (error) {
    if (error instanceof PermissionDenied) return true
    throw error
  }
}

/** True when no controller works on a namespace that is being deleted: it keeps its finalizer and never gets a condition. */
const isAbandoned = async (site: Site, namespace: KubernetesObject, removal: NamespaceRemoval): Promise<boolean> => {
  const { status } = Conditions.safeParse(namespace).data ?? { status: { conditions: [] } }
  if (status.conditions.length > 0) return false
  const seconds = await terminatingSeconds(site, namespace, removal.now)
  if (seconds < removal.timeoutSeconds) return false
  return seconds >= removal.timeoutSeconds * SLOW_FACTOR || !(await hasControllerManager(site))
}

/**
 * Deletes the namespace when it is ours and waits until it is gone. Empty it of our objects before.
 *
 * Where no namespace controller runs (an API server alone), it stays Terminating for ever: then it is given back as left over.
 *
 * @throws Pending while it is being deleted, with what blocks it
 */
export const removeNamespace = async (site: Site, removal: NamespaceRemoval): Promise<ObjectRef[]> => {
  const namespace = await site.client.get(namespaces, removal.name)
  if (namespace === undefined || !isOwned(site, namespace)) return []
  if (!isTerminating(namespace)) {
    if (await deleteOwned(site, namespaces, namespace)) return []
  } else if (await isAbandoned(site, namespace, removal)) {
    return [refOf(site, namespace)]
  }
  const blockers = blockersOf(namespace)
  throw new Pending(
    `namespace ${removal.name} in ${describePlace(site.where)} to be gone${blockers === '' ? '' : `, which is blocked: ${blockers}`}`,
  )
}
