import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ObjectConflict, ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { isTerminating, listAll } from '../../../../support/owned.ts'
import { settleAll } from '../../../../support/settle-all.ts'
import { Pending } from '../../../../support/step.ts'
import { inParallel } from '../control-plane/apply-all.ts'
import { KEEP_LABEL } from '../control-plane/keep-workloads.ts'
import { clusters, WORK_FINALIZER, works } from './names.ts'

/** A member's things in the control plane, besides its Secrets. */
export type Leaving = {
  cluster: KubernetesObject | undefined
  namespace: KubernetesObject | undefined
  works: readonly KubernetesObject[]
}

/** Where they are. */
export type LeavingSite = { client: KubernetesClient; memberName: string; space: string }

/** Undefined where they are not served. */
const worksOf = async (client: KubernetesClient, space: string): Promise<KubernetesObject[] | undefined> => {
  try {
    return await listAll(client, works(space))
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined
    throw error
  }
}

/**
 * Works are not served where the control plane got no CRDs, since its create ended half-way: then Karmada has made no namespace for them either.
 *
 * @throws Pending where there may be some that can't be seen
 */
export const lookAt = async ({ client, memberName, space }: LeavingSite): Promise<Leaving> => {
  const [cluster, namespace, found] = await settleAll([
    () => client.get(clusters, memberName),
    () => client.get(namespaces, space),
    () => worksOf(client, space),
  ])
  if (found === undefined && namespace !== undefined) {
    throw new Pending(`the control plane to serve works.work.karmada.io again: namespace ${space} may have some`)
  }
  return { cluster, namespace, works: found ?? [] }
}

/** What is gone, or changed, when it is to be changed is looked at again. */
export const unlessGone = async (act: () => Promise<unknown>): Promise<void> => {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof ObjectNotFound || error instanceof ObjectConflict)) throw error
  }
}

/** Changes them side by side, each unless it is gone meanwhile. */
const patchEach = (
  { client, space }: LeavingSite,
  objects: readonly KubernetesObject[],
  patch: (work: KubernetesObject) => unknown,
): Promise<void> =>
  inParallel(objects, (work) => unlessGone(() => client.patch(works(space), work.metadata.name, patch(work))))

/** The API server refuses from now on that a mark of `keep` is taken away (`keep-workloads.ts`), or allows it again. */
export const markNamespace = async (
  { client, space }: LeavingSite,
  namespace: KubernetesObject,
  keep: boolean,
): Promise<void> => {
  const label = namespace.metadata.labels?.[KEEP_LABEL]
  if (keep ? label === 'true' : label === undefined) return
  await unlessGone(() =>
    client.patch(namespaces, space, { metadata: { labels: { [KEEP_LABEL]: keep ? 'true' : null } } }),
  )
}

/** Marks Works so that what they brought stays in the member when they go, or does not. */
export const setPreserve = (site: LeavingSite, objects: readonly KubernetesObject[], keep: boolean): Promise<void> =>
  patchEach(site, objects, () => ({ spec: { preserveResourcesOnDeletion: keep } }))

/**
 * Deletes Works one by one. Karmada's own way, through their namespace, takes longer: the namespace controller looks at what is left in it only after
 * 8 s more.
 */
export const deleteWorks = ({ client, space }: LeavingSite, objects: readonly KubernetesObject[]): Promise<void> =>
  inParallel(objects, ({ metadata: { name, uid } }) =>
    unlessGone(() => client.delete(works(space), name, uid === undefined ? {} : { uid })),
  )

/** Lets Works go without a further look at the member. */
export const releaseWorks = (site: LeavingSite, objects: readonly KubernetesObject[]): Promise<void> =>
  patchEach(site, objects.filter(isTerminating), ({ metadata }) => ({
    metadata: { finalizers: (metadata.finalizers ?? []).filter((finalizer) => finalizer !== WORK_FINALIZER) },
  }))
