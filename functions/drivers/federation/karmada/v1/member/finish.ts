import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { isTerminating } from '../../../../support/owned.ts'
import { clusterTime } from '../../../../support/who-am-i.ts'
import { type Leaving, type LeavingSite, unlessGone } from './leaving.ts'
import { CLUSTER_FINALIZER, clusters } from './names.ts'

/**
 * Seconds that a namespace has been Terminating before we end it, when nothing is left in it: within that all API servers know that nothing may be
 * made there any more. The namespace controller takes 5 s for the same (and comes first where a member has many Works).
 */
const NAMESPACE_SECONDS = 2

/** With `force`: times the patience with a Work that a Cluster is given. */
const CLUSTER_FACTOR = 3

/** On a Cluster that is being deleted: how many times it was touched. */
const NUDGE_ANNOTATION = 'fedplane.io/looked-at'

export type Finishing = { now: string; workPatienceSeconds: number; force: boolean }

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
 * Karmada looks at a Cluster that it removes every 10 s, and whenever it changes: a change once the namespace of its Works is gone saves the rest of
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
  const { now, force, workPatienceSeconds } = finishing
  const late = force && (await secondsOf(at, cluster, now)) >= workPatienceSeconds * CLUSTER_FACTOR
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
