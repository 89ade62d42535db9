import * as z from 'zod'
import { counted } from '../../../../../core/values/wording.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { type HostEvent, newestEvent, newestWarning, shortened } from './host-events.ts'

const Terminated = z.object({
  exitCode: z.number().default(0),
  reason: z.string().default(''),
  message: z.string().default(''),
})

type Terminated = z.infer<typeof Terminated>

const ContainerStatus = z.object({
  image: z.string().default(''),
  ready: z.boolean().default(false),
  restartCount: z.number().default(0),
  state: z
    .object({
      waiting: z.object({ reason: z.string().default(''), message: z.string().default('') }).optional(),
      running: z.unknown().optional(),
    })
    .prefault({}),
  lastState: z.object({ terminated: Terminated.optional() }).prefault({}),
})
type ContainerStatus = z.infer<typeof ContainerStatus>

const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string().default(''),
    creationTimestamp: z.string().nullish(),
    deletionTimestamp: z.string().optional(),
  }),
  status: z
    .object({
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().default(''),
            message: z.string().default(''),
            lastTransitionTime: z.string().nullish(),
          }),
        )
        .default([]),
      containerStatuses: z.array(ContainerStatus).default([]),
    })
    .prefault({}),
})
type Pod = z.infer<typeof Pod>

const IMAGE_REASONS = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']
/** A container that is about to start: nothing is wrong. */
const STARTING = ['ContainerCreating', 'PodInitializing', '']

const unschedulable = ({ status }: Pod): string | null => {
  const condition = status.conditions.find(({ type, status: state }) => type === 'PodScheduled' && state === 'False')
  return condition === undefined ? null : `can't be scheduled: ${shortened(condition.message)}`
}

/** How a program ends that was asked to: by itself after SIGTERM, by SIGKILL, by SIGTERM. */
const ENDED_BY_OTHERS = [0, 137, 143]
const OUT_OF_MEMORY = 'OOMKilled'

/** The kubelet's words when it restarted a container because of its liveness probe; null when the program ended by itself. */
const killedBy = ({ metadata }: Pod, terminated: Terminated, events: readonly HostEvent[]): string | null => {
  if (!ENDED_BY_OTHERS.includes(terminated.exitCode) || terminated.reason === OUT_OF_MEMORY) return null
  const isOurs = ({ object }: HostEvent): boolean => object.name === metadata.name
  const killing = newestEvent(events, (event) => isOurs(event) && event.reason === 'Killing')
  if (killing === undefined) return null
  const isLiveness = ({ reason, message }: HostEvent): boolean => reason === 'Unhealthy' && /^liveness/i.test(message)
  const probe = newestEvent(events, (event) => isOurs(event) && isLiveness(event))
  return probe === undefined ? killing.message : `${killing.message}; ${probe.message}`
}

const crash = (pod: Pod, { lastState, restartCount }: ContainerStatus, events: readonly HostEvent[]): string => {
  const terminated = lastState.terminated ?? { exitCode: 0, reason: '', message: '' }
  const killed = killedBy(pod, terminated, events)
  if (killed !== null) return `was killed and restarted ${counted(restartCount, 'time')}: ${killed}`
  const { exitCode, reason, message } = terminated
  const words = message === '' ? reason : shortened(message.split('\n').slice(-5).join(' '))
  return `crashed ${counted(restartCount, 'time')}, last with exit code ${exitCode}: ${words}`
}

/** An image that a pod can't get. `since` is by the host's clock, null when nothing tells. */
export type ImageFault = { pod: string; image: string; words: string; since: string | null }

const isPullFault = ({ state: { waiting } }: ContainerStatus): boolean =>
  waiting !== undefined && IMAGE_REASONS.includes(waiting.reason)

/** What was said of failed pulls of this very pod: one of an older template may have had its name. */
const pullFailures = ({ metadata: { name, uid } }: Pod, events: readonly HostEvent[]): HostEvent[] =>
  events.filter(
    ({ isWarning, reason, object }) =>
      isWarning &&
      reason === 'Failed' &&
      object.name === name &&
      (uid === '' || object.uid === '' || object.uid === uid),
  )

/** Since the first failed pull that was reported, else since the pod has a node. */
const failingSince = ({ metadata, status }: Pod, reported: readonly HostEvent[]): string | null => {
  const [first] = reported.flatMap(({ since }) => (since === '' ? [] : since)).toSorted()
  const placed = status.conditions.find(({ type, status: state }) => type === 'PodScheduled' && state === 'True')
  return first ?? placed?.lastTransitionTime ?? metadata.creationTimestamp ?? null
}

/** Of all that is said of a failed pull the longest says most: the others only name the state. */
const faultOfImage = (pod: Pod, { image, state }: ContainerStatus, events: readonly HostEvent[]): ImageFault => {
  const reported = pullFailures(pod, events)
  const [words = ''] = [shortened(state.waiting?.message ?? ''), ...reported.map(({ message }) => message)].toSorted(
    (first, second) => second.length - first.length,
  )
  return { pod: pod.metadata.name, image, words, since: failingSince(pod, reported) }
}

/** The first image that a pod can't get; null when it has all, still gets them, or is going away. */
export const imageFaultOf = (object: KubernetesObject, events: readonly HostEvent[]): ImageFault | null => {
  const pod = Pod.parse(object)
  const status = pod.status.containerStatuses.find(isPullFault)
  return status === undefined || pod.metadata.deletionTimestamp !== undefined ? null : faultOfImage(pod, status, events)
}

const imageReason = (pod: Pod, status: ContainerStatus, events: readonly HostEvent[]): string => {
  const { image, words } = faultOfImage(pod, status, events)
  return `can't get image ${image}: ${words}`
}

const containerReason = (pod: Pod, status: ContainerStatus, events: readonly HostEvent[]): string | null => {
  const { waiting } = status.state
  if (isPullFault(status)) return imageReason(pod, status, events)
  if (waiting !== undefined && !STARTING.includes(waiting.reason)) {
    return status.lastState.terminated === undefined
      ? `can't start (${waiting.reason}): ${shortened(waiting.message)}`
      : crash(pod, status, events)
  }
  if (status.ready) return null
  if (status.lastState.terminated !== undefined) return crash(pod, status, events)
  const event = newestWarning(events, ({ name }) => name === pod.metadata.name, ['Unhealthy', 'FailedMount'])
  return event === undefined ? null : `is not ready: ${event.message}`
}

/** Why a pod is not ready, in words; null while nothing is wrong with it, or it is going away. */
export const podReason = (object: KubernetesObject, events: readonly HostEvent[]): string | null => {
  const pod = Pod.parse(object)
  if (pod.metadata.deletionTimestamp !== undefined) return null
  const reason =
    unschedulable(pod) ??
    pod.status.containerStatuses
      .map((status) => containerReason(pod, status, events))
      .find((found) => found !== null) ??
    mountReason(pod, events)
  return reason === null ? null : `pod ${pod.metadata.name} ${reason}`
}

/** Volumes that can't be attached or mounted keep a pod from having containers. */
const mountReason = ({ metadata, status }: Pod, events: readonly HostEvent[]): string | null => {
  if (status.containerStatuses.some(({ state }) => state.running !== undefined)) return null
  const event = newestWarning(events, ({ name }) => name === metadata.name, ['FailedMount', 'FailedAttachVolume'])
  return event === undefined ? null : `can't mount its volumes: ${event.message}`
}
