import { describeObject, type ObjectRef, type Place } from '../../core/values/object-ref.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../kubernetes/client.ts'
import { ForeignObject } from '../contract/errors.ts'
import type { FederationContext, MemberContext } from '../contract/federation-driver.ts'
import { type Marks, marked, marksOf } from '../contract/object-marks.ts'
import { KEPT_BYTES_MAX, pagesOf } from './pages.ts'
import { Pending } from './step.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * True when `actual` holds everything that `desired` says: objects may have more fields (defaults, other writers'), lists must be
 * equal in length and order. The API server drops empty maps and lists, so a desired empty one equals an absent one.
 */
export const covers = (actual: unknown, desired: unknown): boolean => {
  if (isRecord(desired)) {
    if (actual === undefined) return Object.keys(desired).length === 0
    return isRecord(actual) && Object.entries(desired).every(([key, value]) => covers(actual[key], value))
  }
  if (Array.isArray(desired)) {
    if (actual === undefined) return desired.length === 0
    return (
      Array.isArray(actual) &&
      actual.length === desired.length &&
      desired.every((item, index) => covers(actual[index], item))
    )
  }
  return Object.is(actual, desired)
}

/** True when each covers the other: for what is ours alone, where a field too many is a difference as well. */
export const agrees = (one: unknown, other: unknown): boolean => covers(one, other) && covers(other, one)

/** Whose object it is: the federation's id. Nothing without it is ever changed or deleted. */
export const FEDERATION_LABEL = 'fedplane.io/federation'
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by'
export const MANAGED_BY = 'fedplane'

export const ownerLabels = (federationId: string): Record<string, string> => ({
  [FEDERATION_LABEL]: federationId,
  [MANAGED_BY_LABEL]: MANAGED_BY,
})

/** Label selector of everything that is the federation's. */
export const federationSelector = (federationId: string): string => `${FEDERATION_LABEL}=${federationId}`

/** A cluster in which a federation has objects. `marks`: for what is made there. */
export type Site = { client: KubernetesClient; where: Place; federationId: string; marks?: Marks }

export const isOwned = (site: Pick<Site, 'federationId'>, object: KubernetesObject): boolean =>
  object.metadata.labels?.[FEDERATION_LABEL] === site.federationId

export const isTerminating = (object: KubernetesObject): boolean => object.metadata.deletionTimestamp !== undefined

export const refOf = (site: Pick<Site, 'where'>, object: KubernetesObject): ObjectRef => ({
  where: site.where,
  apiVersion: object.apiVersion,
  kind: object.kind,
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
  uid: object.metadata.uid ?? '',
})

/** `Secret kueue-system/paris in the host`. */
export const nameOf = (site: Pick<Site, 'where'>, object: KubernetesObject): string =>
  describeObject(refOf(site, object))

/** Throws unless the object carries this federation's label. @throws ForeignObject */
export const requireOwned = (site: Site, object: KubernetesObject): void => {
  if (isOwned(site, object)) return
  throw new ForeignObject(
    `${nameOf(site, object)} exists and does not carry the label ${FEDERATION_LABEL}=${site.federationId}, so it is not touched. ` +
      'Remove or rename it, then try again.',
    { details: { object: refOf(site, object) } },
  )
}

/**
 * Makes the object what `desired` says, in as few writes as possible: none when all its fields are there already.
 *
 * @throws ForeignObject when one of that name is not ours
 * @throws Pending when one of that name is still being deleted
 */
export const ensureOwned = async (
  site: Site,
  resource: Resource,
  desired: KubernetesObject,
): Promise<KubernetesObject> =>
  ensureSeen(site, resource, desired, await site.client.get(resource, desired.metadata.name))

/** `ensureOwned` of an object that was just checked: `existing`, undefined for none. @throws as `ensureOwned` */
export const ensureSeen = async (
  site: Site,
  resource: Resource,
  plain: KubernetesObject,
  existing: KubernetesObject | undefined,
): Promise<KubernetesObject> => {
  const desired = marked(plain, site.marks)
  if (existing === undefined) return site.client.apply(resource, desired)
  requireOwned(site, existing)
  if (isTerminating(existing)) throw new Pending(`${nameOf(site, existing)} to be gone before it is made again`)
  return covers(existing, desired) ? existing : site.client.apply(resource, desired)
}

/** Deletes it when it is ours. True when it is gone, or is not ours, afterwards; false while finalizers hold it. */
export const deleteOwned = async (site: Site, resource: Resource, object: KubernetesObject): Promise<boolean> => {
  if (!isOwned(site, object)) return true
  const { name, uid } = object.metadata
  if (!isTerminating(object)) {
    const left = await site.client.delete(resource, name, uid === undefined ? {} : { uid })
    if (left === undefined) return true
  }
  const seen = await site.client.get(resource, name)
  return seen === undefined || seen.metadata.uid !== uid
}

/** Deletes the object of that name when it is ours. @throws Pending while finalizers hold it */
export const removeOwned = async (site: Site, resource: Resource, name: string): Promise<void> => {
  const existing = await site.client.get(resource, name)
  if (existing !== undefined) await removeAllOwned(site, [{ resource, object: existing }])
}

export type Located = { resource: Resource; object: KubernetesObject }

/** Deletes those that are ours, all of them before it waits for any. @throws Pending naming the first that stays, and its finalizers */
export const removeAllOwned = async (site: Site, objects: readonly Located[]): Promise<void> => {
  const staying: KubernetesObject[] = []
  for (const { resource, object } of objects) {
    if (!(await deleteOwned(site, resource, object))) staying.push(object)
  }
  const [first] = staying
  if (first === undefined) return
  const finalizers = first.metadata.finalizers ?? []
  const held = finalizers.length === 0 ? '' : `, held by the finalizers ${finalizers.join(', ')}`
  const more = staying.length === 1 ? '' : ` (and ${staying.length - 1} more)`
  throw new Pending(`${nameOf(site, first)} to be gone${held}${more}`)
}

/** All objects of a list, of which there are few: where only some of many are wanted, `pagesOf`. @throws ListTooLong as `pagesOf` */
export const listAll = async (
  client: KubernetesClient,
  resource: Resource,
  labelSelector?: string,
): Promise<KubernetesObject[]> => {
  const items: KubernetesObject[] = []
  for await (const page of pagesOf(client, resource, { labelSelector, bytesMax: KEPT_BYTES_MAX })) items.push(...page)
  return items
}

export const hostSite = async (context: FederationContext): Promise<Site> => ({
  client: await context.host.client(),
  where: 'host',
  federationId: context.federation.id,
  marks: marksOf(context.federation.properties),
})

export const memberSite = async (context: MemberContext): Promise<Site> => ({
  client: await context.member.client(),
  where: 'member',
  federationId: context.federation.id,
  marks: marksOf(context.federation.properties),
})
