import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { agrees, listAll } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { clusterTime } from '../../../../support/who-am-i.ts'
import { ImageNotPulled } from '../model/options.ts'
import { readEvents } from './host-events.ts'
import { replicaSets } from './plan.ts'
import { type ImageFault, imageFaultOf } from './pod-reasons.ts'
import { podsOf, reasonOf } from './reasons.ts'

/** Seconds in which the kubelet tries a pull some four times (it waits 10 s, then twice as long each time). */
const TIMEOUT_SECONDS = 120
/** Seconds after which it has tried once more whatever came before: it waits 300 s at most. */
const LONGEST_PAUSE_SECONDS = 330

/** When an operation began, by our clock, and what time it is; `startedAt` is null where none runs. */
export type OperationTime = { now: string; startedAt: string | null }

export const operationTime = ({ federation: { operation }, now }: FederationContext): OperationTime => ({
  now: now(),
  startedAt: operation?.startedAt ?? null,
})

const texts = z.record(z.string(), z.string()).default({})
/** Of a Deployment, or of a ReplicaSet of it, which has a label more. */
const Templated = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: texts, annotations: texts }).prefault({}),
      spec: z.unknown(),
    }),
  }),
})
const StatefulSet = z.object({ status: z.object({ updateRevision: z.string().optional() }).prefault({}) })
const Owned = z.object({ ownerReferences: z.array(z.object({ uid: z.string() })).default([]) })

/** Label of a StatefulSet's pods: the revision that they were made from. */
const REVISION = 'controller-revision-hash'

const isOwnedBy = (object: KubernetesObject, uid: string | undefined): boolean =>
  uid !== undefined && Owned.parse(object.metadata).ownerReferences.some((owner) => owner.uid === uid)

const TEMPLATE_HASH = 'pod-template-hash'

const templateOf = (object: KubernetesObject) => {
  const { metadata, spec } = Templated.parse(object).spec.template
  const { [TEMPLATE_HASH]: _, ...labels } = metadata.labels
  return { labels, annotations: metadata.annotations, spec }
}

type IsNewest = (pod: KubernetesObject) => boolean

/** Which pods are of the newest template: those of an older one go anyway. Of a Deployment as its controller knows them: by the ReplicaSet. */
const newestOf = async (client: KubernetesClient, workload: KubernetesObject): Promise<IsNewest> => {
  if (workload.kind === 'StatefulSet') {
    const { updateRevision } = StatefulSet.parse(workload).status
    return (pod) => pod.metadata.labels?.[REVISION] === updateRevision
  }
  const sets = await listAll(client, replicaSets(workload.metadata.namespace ?? ''))
  const newest = sets.find(
    (set) => isOwnedBy(set, workload.metadata.uid) && agrees(templateOf(set), templateOf(workload)),
  )
  return (pod) => isOwnedBy(pod, newest?.metadata.uid)
}

const secondsBetween = (from: string, to: Date): number => (to.getTime() - Date.parse(from)) / 1000

/** A fault from before the operation may be repaired by now, and is reported only when the kubelet has tried once more. */
const isFinal = (failing: number, { now, startedAt }: OperationTime): boolean => {
  const running = startedAt === null ? Number.POSITIVE_INFINITY : secondsBetween(startedAt, new Date(now))
  return failing <= running ? failing >= TIMEOUT_SECONDS : running >= LONGEST_PAUSE_SECONDS
}

const sentence = (workload: KubernetesObject, { pod, image, words }: ImageFault, failing: number): string =>
  `Pod ${pod} of ${workload.kind} ${workload.metadata.name} can't get image ${image} for ${Math.round(failing)} s: ${words}. ` +
  'Check the image tags, image-registry and image-pull-secret among the properties, or at the registry.'

/**
 * Ends the wait for pods whose image is not to be had, well before the deadline of their phase: a name that is wrong does not get better. Pods of an
 * older template don't count.
 *
 * @throws ImageNotPulled naming pod and image, after 120 s of failed pulls
 */
export const requireImages = async (
  client: KubernetesClient,
  workload: KubernetesObject,
  time: OperationTime,
): Promise<void> => {
  const found = await podsOf(client, workload)
  if (!found.some((pod) => imageFaultOf(pod, []) !== null)) return
  const [isNewest, events, hostTime] = [
    await newestOf(client, workload),
    await readEvents(client, workload.metadata.namespace ?? ''),
    await clusterTime(client, time.now),
  ]
  for (const pod of found.filter(isNewest)) {
    const fault = imageFaultOf(pod, events)
    if (fault === null || fault.since === null) continue
    const failing = secondsBetween(fault.since, hostTime)
    if (isFinal(failing, time)) throw new ImageNotPulled(sentence(workload, fault, failing))
  }
}

const Workload = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), namespace: z.string(), generation: z.number().default(0) }),
  spec: z.object({ replicas: z.number().default(1) }),
  status: z
    .object({
      observedGeneration: z.number().default(0),
      replicas: z.number().default(0),
      updatedReplicas: z.number().default(0),
      readyReplicas: z.number().default(0),
      availableReplicas: z.number().default(0),
      // Of StatefulSets: equal once every pod has the newest template.
      currentRevision: z.string().optional(),
      updateRevision: z.string().optional(),
    })
    .prefault({}),
})
type Workload = z.infer<typeof Workload>

const UNSEEN = 'not observed by its controller yet'

/** How far a Deployment or StatefulSet is; null when all its pods are those of the newest template, and available. */
export const progressOf = (object: KubernetesObject): string | null => {
  const { metadata, spec, status }: Workload = Workload.parse(object)
  if (status.observedGeneration < metadata.generation) return UNSEEN
  if (status.updatedReplicas < spec.replicas) return `${status.updatedReplicas} of ${spec.replicas} pods are the newest`
  if (status.replicas > status.updatedReplicas) return `${status.replicas - status.updatedReplicas} old pods still run`
  if (status.availableReplicas < spec.replicas) {
    return `${status.availableReplicas} of ${spec.replicas} pods are available`
  }
  return null
}

/**
 * Waits for rollouts to be over, by what the API says of them now.
 *
 * @throws Pending with the first that is not, how far it is, and what its pods and events say of the cause
 * @throws ImageNotPulled: see `requireImages`
 */
export const requireRolledOut = async (
  client: KubernetesClient,
  workloads: readonly KubernetesObject[],
  time: OperationTime,
): Promise<void> => {
  for (const workload of workloads) {
    const progress = progressOf(workload)
    if (progress === null) continue
    if (progress !== UNSEEN) await requireImages(client, workload, time)
    const reason = await reasonOf(client, workload)
    const { name } = workload.metadata
    throw new Pending(`${workload.kind} ${name} to be rolled out: ${progress}${reason === null ? '' : `; ${reason}`}`)
  }
}
