import { describe, expect, it } from 'vitest'
import { type OperationTime, requireImages } from '../../../../functions/drivers/federation/karmada/v1/host/rollout.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../functions/kubernetes/client.ts'
import { PermissionDenied } from '../../../../functions/kubernetes/errors.ts'

/** Pulls that fail for so long that waiting is no use. All times of the host are an hour behind ours. */

const IMAGE = 'docker.io/karmada/karmada-scheduler:v1.18.99'
const host = (seconds: number): string => new Date(Date.parse('2026-11-27T09:00:00Z') + seconds * 1000).toISOString()
const ours = (seconds: number): string => new Date(Date.parse('2026-11-27T10:00:00Z') + seconds * 1000).toISOString()

const TEMPLATE = { spec: { containers: [{ name: 'c', image: IMAGE }] } }
const workload = (kind: 'Deployment' | 'StatefulSet'): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'karmada-scheduler', namespace: 'fs', uid: 'd' },
  spec: { replicas: 1, selector: { matchLabels: { app: 'x' } }, template: TEMPLATE },
  status: { updateRevision: 'karmada-scheduler-2' },
})
const set = (uid: string, image = IMAGE) => ({
  metadata: { name: uid, uid, ownerReferences: [{ uid: 'd' }] },
  spec: {
    template: { metadata: { labels: { 'pod-template-hash': uid } }, spec: { containers: [{ name: 'c', image }] } },
  },
})
/** Of before the image-pull-secret was taken out: it says all that the newest says, and more. */
const SECRETIVE = set('old')
Object.assign(SECRETIVE.spec.template.spec, { imagePullSecrets: [{ name: 'wrong' }] })
const SETS = [set('old', 'docker.io/karmada/karmada-scheduler:v1.18.2'), set('new')]

type Podded = { owner?: string; revision?: string; reason?: string; uid?: string }
const pod = ({ owner = 'new', revision = '', reason = 'ImagePullBackOff', uid = 'p' }: Podded = {}) => ({
  metadata: {
    name: 'karmada-scheduler-0',
    uid,
    creationTimestamp: host(0),
    labels: { 'controller-revision-hash': revision },
    ownerReferences: [{ uid: owner }],
  },
  status: {
    conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: host(10) }],
    containerStatuses: [{ image: IMAGE, state: { waiting: { reason, message: 'Back-off pulling image' } } }],
  },
})
const failed = (since: number, uid = 'p') => ({
  metadata: { name: 'e' },
  type: 'Warning',
  reason: 'Failed',
  message: `Failed to pull image "${IMAGE}": manifest unknown`,
  involvedObject: { kind: 'Pod', name: 'karmada-scheduler-0', uid },
  firstTimestamp: host(since),
  lastTimestamp: host(since + 60),
})

type World = { pods: object[]; events?: object[] | Error; replicasets?: object[] }
const clientOf = (world: World, at: number): KubernetesClient =>
  ({
    list: async ({ plural }: Resource) => {
      const found = { replicasets: SETS, ...world }[plural as keyof World] ?? []
      if (found instanceof Error) throw found
      return { items: found }
    },
    post: async () => ({ metadata: { creationTimestamp: host(at) } }),
  }) as unknown as KubernetesClient

/** What is thrown `at` seconds after the pod was made; the operation began with it unless said otherwise. */
const at = async (
  seconds: number,
  world: World,
  { kind = 'Deployment', began = 0 }: { kind?: 'Deployment' | 'StatefulSet'; began?: number | null } = {},
): Promise<string | null> => {
  const time: OperationTime = { now: ours(seconds), startedAt: began === null ? null : ours(began) }
  try {
    await requireImages(clientOf(world, seconds), workload(kind), time)
    return null
  } catch (error) {
    const { name, message, retryable } = error as Error & { retryable: boolean }
    return `${name} ${retryable} ${message}`
  }
}

describe('an image that is not to be had', () => {
  it('is waited for during two minutes from the first failed pull', async () => {
    const world = { pods: [pod()], events: [failed(20)] }
    expect(await at(139, world)).toBeNull()
    expect(await at(141, world)).toBe(
      `ImageNotPulled false Pod karmada-scheduler-0 of Deployment karmada-scheduler can't get image ${IMAGE} for 121 s: ` +
        `Failed to pull image "${IMAGE}": manifest unknown. ` +
        'Check the image tags, image-registry and image-pull-secret among the properties, or at the registry.',
    )
  })

  it('is counted from when the pod got its node, where events may not be read', async () => {
    const world = { pods: [pod()], events: new PermissionDenied('events is forbidden') }
    expect([await at(129, world), await at(131, world)]).toEqual([null, expect.stringMatching(/^ImageNotPulled/)])
  })

  it('is counted anew for a pod that has the name of an older one', async () => {
    const world = { pods: [pod({ revision: 'karmada-scheduler-2' })], events: [failed(-500, 'before'), failed(20)] }
    const kind = 'StatefulSet'
    expect([await at(139, world, { kind }), await at(141, world, { kind })]).toEqual([null, expect.any(String)])
  })

  it.each<[string, World, 'Deployment' | 'StatefulSet']>([
    ['a pod of an older ReplicaSet', { pods: [pod({ owner: 'old' })], events: [failed(20)] }, 'Deployment'],
    [
      'a pod with a pull secret that the newest no longer has',
      { pods: [pod({ owner: 'old' })], replicasets: [SECRETIVE, set('new')] },
      'Deployment',
    ],
    ['a ReplicaSet that is not made yet', { pods: [pod()], replicasets: SETS.slice(0, 1) }, 'Deployment'],
    ['a pod of an older revision', { pods: [pod({ revision: 'karmada-scheduler-1' })] }, 'StatefulSet'],
    ['a pod that starts', { pods: [pod({ reason: 'ContainerCreating' })] }, 'Deployment'],
    ['a crash loop', { pods: [pod({ reason: 'CrashLoopBackOff' })] }, 'Deployment'],
  ])('is not told of %s', async (_, world, kind) => {
    expect(await at(10_000, world, { kind })).toBeNull()
  })

  it('is informed of a pod of the newest revision', async () => {
    const world = { pods: [pod({ revision: 'karmada-scheduler-2' })] }
    expect(await at(1000, world, { kind: 'StatefulSet' })).toMatch(/^ImageNotPulled/)
  })

  it('that failed before this operation gets one more try of the kubelet, which may be five minutes off', async () => {
    const world = { pods: [pod()], events: [failed(20)] }
    expect(await at(1300, world, { began: 1000 })).toBeNull()
    expect(await at(1331, world, { began: 1000 })).toMatch(/^ImageNotPulled .* for 1311 s: /)
  })

  it('is counted where no operation runs', async () => {
    expect(await at(141, { pods: [pod()], events: [failed(20)] }, { began: null })).toMatch(/^ImageNotPulled/)
  })
})
