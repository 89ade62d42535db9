import { describe, expect, it } from 'vitest'
import { progressOf, requireRolledOut } from '../../../../functions/drivers/federation/karmada/v1/host/rollout.ts'
import { Pending } from '../../../../functions/drivers/support/step.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../functions/kubernetes/client.ts'
import { PermissionDenied } from '../../../../functions/kubernetes/errors.ts'

const LABELS = { app: 'etcd' }

const workload = (kind: 'Deployment' | 'StatefulSet', status: object, replicas = 1): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'etcd', namespace: 'federation-system', ...{ generation: 2 } },
  spec: { replicas, selector: { matchLabels: LABELS }, template: {} },
  status,
})

const TIME = { now: '2026-11-27T10:00:30Z', startedAt: null }

const DONE = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }

describe('progressOf', () => {
  it.each([
    ['nobody looked yet', { observedGeneration: 1 }, 'not observed by its controller yet'],
    ['a new object', {}, 'not observed by its controller yet'],
    ['old pods only', { ...DONE, updatedReplicas: 0 }, '0 of 1 pods are the newest'],
    ['an old pod beside the new one', { ...DONE, replicas: 2 }, '1 old pods still run'],
    ['a pod that is not ready', { ...DONE, availableReplicas: 0 }, '0 of 1 pods are available'],
    ['all of them', DONE, null],
  ])('tells %s', (_, status, progress) => {
    expect(progressOf(workload('Deployment', status))).toBe(progress)
  })
})

type World = { pods?: object[]; events?: object[] | Error; persistentvolumeclaims?: object[] }

/** Answers lists, and nothing else. */
const clientOf = (world: World): KubernetesClient => {
  const list = async ({ plural }: Resource) => {
    const found = plural in world ? world[plural as keyof World] : []
    if (found instanceof Error) throw found
    return { items: (found ?? []) as KubernetesObject[] }
  }
  return new Proxy({} as KubernetesClient, {
    get: (_, name) => {
      if (name === 'list') return list
      if (name === 'post') return async () => ({ metadata: { creationTimestamp: TIME.now } })
      throw new Error(`unexpected ${String(name)}`)
    },
  })
}

const pod = (status: object, metadata: object = {}) => ({ metadata: { name: 'etcd-0', ...metadata }, status })
const waiting = (reason: string, message = '', lastState: object = {}) =>
  pod({
    containerStatuses: [
      {
        image: 'registry.k8s.io/etcd:3',
        ready: false,
        restartCount: 3,
        state: { waiting: { reason, message } },
        lastState,
      },
    ],
  })
const running = (status: object = {}) =>
  pod({ containerStatuses: [{ image: 'x', ready: false, restartCount: 0, state: { running: {} }, ...status }] })
const event = (reason: string, message: string, change: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e' },
  type: 'Warning',
  reason,
  message,
  involvedObject: { kind: 'Pod', name: 'etcd-0' },
  lastTimestamp: '2026-11-27T10:00:00Z',
  ...change,
})
const crashed = { terminated: { exitCode: 2, reason: 'Error', message: 'one\ntwo\npanic: no space left on device' } }
const claim = (phase: string) => ({ metadata: { name: 'etcd-data-etcd-0' }, status: { phase } })
const aboutClaim = { involvedObject: { kind: 'PersistentVolumeClaim', name: 'etcd-data-etcd-0' } }
const unbound = [claim('Pending')]

const messageOf = async (world: World, kind: 'Deployment' | 'StatefulSet' = 'StatefulSet', status: object = {}) => {
  const object = workload(kind, { ...DONE, availableReplicas: 0, ...status })
  const thrown: unknown = await requireRolledOut(clientOf(world), [object], TIME).catch((error: unknown) => error)
  if (!(thrown instanceof Pending)) throw new Error('nothing is awaited')
  return thrown.message
}

describe('requireRolledOut', () => {
  it('asks nothing of what is rolled out', async () => {
    const silent = clientOf({ pods: [], events: new Error('asked') })
    await expect(requireRolledOut(silent, [workload('Deployment', DONE)], TIME)).resolves.toBeUndefined()
  })

  it.each<[string, World]>([
    ['starting pods', { pods: [waiting('ContainerCreating')] }],
    ['a running pod that is young', { pods: [running()] }],
    ['pods that are not made yet', {}],
    [
      'a claim that waits for its pod',
      {
        persistentvolumeclaims: unbound,
        events: [event('WaitForFirstConsumer', 'waiting', { ...aboutClaim, type: 'Normal' })],
      },
    ],
    [
      'a pod that goes',
      {
        pods: [{ ...waiting('CrashLoopBackOff', '', crashed), metadata: { name: 'etcd-0', deletionTimestamp: 'now' } }],
      },
    ],
  ])('finds nothing wrong with %s', async (_, world) => {
    expect(await messageOf(world)).toBe('StatefulSet etcd to be rolled out: 0 of 1 pods are available')
  })

  it.each<[string, World, RegExp]>([
    [
      'an image that does not exist',
      {
        pods: [waiting('ImagePullBackOff', 'Back-off pulling image')],
        events: [
          event('Failed', 'Error: ErrImagePull'),
          event('Failed', 'Failed to pull image "registry.k8s.io/etcd:3": not found'),
        ],
      },
      /pod etcd-0 can't get image registry\.k8s\.io\/etcd:3: Failed to pull image .*not found$/,
    ],
    [
      'an image without events',
      { pods: [waiting('ErrImagePull', 'no such host')], events: [] },
      /can't get image .*: no such host$/,
    ],
    ['a bad image name', { pods: [waiting('InvalidImageName', 'couldn’t parse')] }, /can't get image/],
    [
      'nodes without room',
      {
        pods: [
          pod({
            conditions: [
              { type: 'PodScheduled', status: 'False', message: '0/3 nodes are available: 3 Insufficient cpu.' },
            ],
          }),
        ],
      },
      /pod etcd-0 can't be scheduled: 0\/3 nodes are available: 3 Insufficient cpu\.$/,
    ],
    [
      'a crash loop, with its last words',
      { pods: [waiting('CrashLoopBackOff', 'back-off', crashed)] },
      /pod etcd-0 crashed 3 times, last with exit code 2: one two panic: no space left on device$/,
    ],
    [
      'a crash between two loops',
      { pods: [running({ restartCount: 1, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } })] },
      /crashed 1 time, last with exit code 137: OOMKilled$/,
    ],
    [
      'a liveness probe that kills',
      {
        pods: [waiting('CrashLoopBackOff', 'back-off', { terminated: { exitCode: 0, reason: 'Completed' } })],
        events: [
          event('Unhealthy', 'Liveness probe failed: HTTP probe failed with statuscode: 404'),
          event('Unhealthy', 'Readiness probe failed: refused', { lastTimestamp: '2026-11-27T11:00:00Z' }),
          event('Killing', 'Container etcd failed liveness probe, will be restarted', { type: 'Normal' }),
        ],
      },
      /was killed and restarted 3 times: Container etcd failed liveness probe, .*; Liveness probe failed: .*404$/,
    ],
    [
      'a crash of a program that a probe killed once before',
      {
        pods: [waiting('CrashLoopBackOff', 'back-off', crashed)],
        events: [event('Killing', 'Container etcd failed liveness probe, will be restarted', { type: 'Normal' })],
      },
      /crashed 3 times, last with exit code 2: one two panic: no space left on device$/,
    ],
    [
      'a container that can’t be made',
      { pods: [waiting('CreateContainerConfigError', 'secret "etcd-cert" not found')] },
      /can't start \(CreateContainerConfigError\): secret "etcd-cert" not found$/,
    ],
    [
      'a probe that fails',
      { pods: [running()], events: [event('Unhealthy', 'Readiness probe failed: statuscode: 503')] },
      /pod etcd-0 is not ready: Readiness probe failed: statuscode: 503$/,
    ],
    [
      'a volume that can’t be mounted',
      { pods: [waiting('ContainerCreating')], events: [event('FailedMount', 'timed out waiting for the volume')] },
      /timed out waiting for the volume$/,
    ],
    [
      'a provisioner that fails',
      {
        pods: [pod({})],
        persistentvolumeclaims: unbound,
        events: [event('ProvisioningFailed', 'quota of disks', aboutClaim)],
      },
      /volume claim etcd-data-etcd-0 is Pending: quota of disks$/,
    ],
    [
      'a provisioner that does not run',
      {
        pods: [pod({})],
        persistentvolumeclaims: unbound,
        events: [
          event('ExternalProvisioning', 'Waiting for a volume to be created', { ...aboutClaim, type: 'Normal' }),
        ],
      },
      /volume claim etcd-data-etcd-0 is Pending: Waiting for a volume to be created$/,
    ],
    [
      'pods of a StatefulSet that a quota or PodSecurity refuses',
      {
        events: [
          event('FailedCreate', 'old', {
            involvedObject: { kind: 'StatefulSet', name: 'etcd' },
            lastTimestamp: '2026-11-26T10:00:00Z',
          }),
          event('FailedCreate', 'exceeded quota: small', { involvedObject: { kind: 'StatefulSet', name: 'etcd' } }),
        ],
      },
      /the host refuses its pods: exceeded quota: small$/,
    ],
  ])('tells of %s', async (_, world, expected) => {
    expect(await messageOf(world)).toMatch(expected)
  })

  it('tells of pods of a Deployment that are refused', async () => {
    const conditions = [{ type: 'ReplicaFailure', status: 'True', message: 'violates PodSecurity "restricted:latest"' }]
    expect(await messageOf({}, 'Deployment', { conditions })).toMatch(/refuses its pods: violates PodSecurity/)
  })

  it('knows less where events may not be read', async () => {
    const denied = new PermissionDenied('events is forbidden')
    expect(await messageOf({ pods: [waiting('ErrImagePull', 'no such host')], events: denied })).toMatch(
      /no such host$/,
    )
  })

  it('keeps messages short and on one line', async () => {
    const said = await messageOf({ pods: [running()], events: [event('Unhealthy', `a\nb${'x'.repeat(2000)}`)] })
    expect(said.length).toBeLessThan(550)
    expect(said).not.toContain('\n')
  })
})
