import { counted } from '../../../../../core/values/wording.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ObjectConflict, ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { blockersOf as namespaceBlockers } from '../../../../support/namespace.ts'
import { isTerminating, listAll } from '../../../../support/owned.ts'
import { Pending, settleAll } from '../../../../support/step.ts'
import { clusterTime } from '../../../../support/who-am-i.ts'
import { KEEP_LABEL } from '../control-plane/admission.ts'
import { conditionOf, inParallel } from '../control-plane/apply-all.ts'
import { CLUSTER_FINALIZER, clusters, WORK_FINALIZER, works } from './names.ts'

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
export const observeLeaving = async ({ client, memberName, space }: LeavingSite): Promise<Leaving> => {
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

/** What is gone, or changed, when it is to be changed is observed again. */
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
 * Deletes Works one by one. Karmada's own way, through their namespace, takes longer: the namespace controller checks what is left in it only after
 * 8 s more.
 */
export const deleteWorks = ({ client, space }: LeavingSite, objects: readonly KubernetesObject[]): Promise<void> =>
  inParallel(objects, ({ metadata: { name, uid } }) =>
    unlessGone(() => client.delete(works(space), name, uid === undefined ? {} : { uid })),
  )

/** Lets Works go without a further observation of the member. */
export const releaseWorks = (site: LeavingSite, objects: readonly KubernetesObject[]): Promise<void> =>
  patchEach(site, objects.filter(isTerminating), ({ metadata }) => ({
    metadata: { finalizers: (metadata.finalizers ?? []).filter((finalizer) => finalizer !== WORK_FINALIZER) },
  }))

/**
 * Seconds that a namespace has been Terminating before we end it, when nothing is left in it: within that all API servers know that nothing may be
 * made there any more. The namespace controller takes 5 s for the same (and comes first where a member has many Works).
 */
const NAMESPACE_SECONDS = 2

/** With `force`: times the patience with a Work that a Cluster is given. */
const CLUSTER_FACTOR = 3

/** On a Cluster that is being deleted: how many times it was touched. */
const NUDGE_ANNOTATION = 'fedplane.io/looked-at'

type Finishing = { now: string; workTimeoutSeconds: number; force: boolean }

/** Seconds since its deletion was asked for, by the control plane's own clock. */
const secondsOf = async ({ client }: LeavingSite, { metadata }: KubernetesObject, now: string): Promise<number> => {
  const seen = await clusterTime(client, now)
  return (seen.getTime() - new Date(metadata.deletionTimestamp ?? seen).getTime()) / 1000
}

/** Ends an empty namespace, as the namespace controller would. There are only Works in it, and events, which expire. */
const finishNamespace = async (at: LeavingSite, namespace: KubernetesObject, now: string): Promise<void> => {
  if ((await secondsOf(at, namespace, now)) < NAMESPACE_SECONDS) return
  const body = { ...namespace, spec: { finalizers: [] } }
  await unlessGone(() => at.client.put(`/api/v1/namespaces/${at.space}/finalize`, body))
}

/**
 * Karmada checks a Cluster that it removes every 10 s, and whenever it changes: a change once the namespace of its Works is gone saves the rest of
 * these 10 s.
 */
const nudge = ({ client, memberName }: LeavingSite, { metadata }: KubernetesObject): Promise<void> => {
  const times = Number(metadata.annotations?.[NUDGE_ANNOTATION] ?? 0) + 1
  const patch = { metadata: { annotations: { [NUDGE_ANNOTATION]: String(times) } } }
  return unlessGone(() => client.patch(clusters, memberName, patch))
}

const release = ({ client, memberName }: LeavingSite, { metadata }: KubernetesObject): Promise<void> => {
  const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLUSTER_FINALIZER)
  return unlessGone(() => client.patch(clusters, memberName, { metadata: { finalizers } }))
}

const finishCluster = async (at: LeavingSite, cluster: KubernetesObject, finishing: Finishing): Promise<void> => {
  const { now, force, workTimeoutSeconds } = finishing
  const late = force && (await secondsOf(at, cluster, now)) >= workTimeoutSeconds * CLUSTER_FACTOR
  await (late ? release(at, cluster) : nudge(at, cluster))
}

/** Once all Works are gone: ends their namespace, then has Karmada let the Cluster go, with `force` and late in its place. */
export const finish = async (
  at: LeavingSite,
  { cluster, namespace, works }: Leaving,
  finishing: Finishing,
): Promise<void> => {
  if (works.length > 0) return
  if (namespace !== undefined) {
    if (isTerminating(namespace)) await finishNamespace(at, namespace, finishing.now)
  } else if (cluster !== undefined && isTerminating(cluster)) await finishCluster(at, cluster, finishing)
}

const memberSays = (cluster: KubernetesObject | undefined): string => {
  const ready = conditionOf(cluster, 'Ready')
  return ready === undefined || ready.status === 'True' ? '' : `; Karmada says of the member ${ready.reason}`
}

/** What keeps a member in the control plane, after "waiting for". */
export const blockersOf = (
  { memberName, space }: Pick<LeavingSite, 'memberName' | 'space'>,
  { cluster, namespace, works }: Leaving,
): string => {
  const [first] = works
  if (first !== undefined) {
    return `${counted(works.length, 'Work')} of namespace ${space} to go, for example ${first.metadata.name}${memberSays(cluster)}`
  }
  if (namespace !== undefined) {
    const blocked = namespaceBlockers(namespace)
    return `namespace ${space} in the control plane to be gone${blocked === '' ? '' : `, which is blocked: ${blocked}`}`
  }
  return `Cluster ${memberName} to be gone: Karmada first takes it out of all bindings`
}
