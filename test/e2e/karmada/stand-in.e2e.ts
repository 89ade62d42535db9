import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAppError } from '../../../functions/core/values/app-error.ts'
import { openControlPlane } from '../../../functions/drivers/federation/karmada/v1/control-plane/open.ts'
import type { KubernetesObject } from '../../../functions/kubernetes/client.ts'
import { type Gate, openGate } from '../../support/drivers/gate.ts'
import { type TestCluster, testCluster } from '../../support/drivers/test-cluster.ts'
import { type KarmadaLab, openKarmadaLab } from '../../support/karmada/lab.ts'
import { KarmadaLife } from '../../support/karmada/life.ts'
import { startTestClusters } from '../support/clusters.ts'
import { startKarmada } from './support/kube.ts'
import {
  becomes,
  CLUSTERS,
  clusterOf,
  clusterRoles,
  configMaps,
  eventually,
  NAMESPACE,
  namespaces,
  type Pair,
  policies,
  register,
  secretOf,
  secrets,
  worksOf,
} from './support/upstream-join.ts'

/** Steps after which both must look the same. */
type Subject = Pair & { gate: Gate }

const names = (objects: readonly KubernetesObject[]): string[] => objects.map(({ metadata }) => metadata.name).sort()

const refused = async (act: () => Promise<unknown>): Promise<unknown> => {
  try {
    await act()
    return 'accepted'
  } catch (error) {
    if (!isAppError(error)) throw error
    return error.name
  }
}

const gone = async (what: string, look: () => Promise<unknown>): Promise<string> =>
  eventually(what, async () => ((await look()) === undefined ? 'gone' : undefined))

/** Manifests in a member's Works, as `ClusterRole karmada-impersonator`, and the finalizers of the Works. */
const worksIn = async ({ plane }: Subject, name: string) => {
  const { items } = await plane.list(worksOf(name))
  const manifests = items.flatMap(({ spec }) => {
    const { workload } = spec as { workload: { manifests: KubernetesObject[] } }
    return workload.manifests.map((it) => `${it.kind} ${it.metadata.name}`)
  })
  return {
    manifests: manifests.sort(),
    finalizers: [...new Set(items.flatMap(({ metadata }) => metadata.finalizers ?? []))],
  }
}

const clusterIn = async ({ plane }: Subject, name: string) => {
  const { metadata, spec, status } = (await plane.get(CLUSTERS, name)) as KubernetesObject & {
    spec: { resourceModels: unknown[]; taints?: { key: string }[] }
    status: { kubernetesVersion?: string }
  }
  return {
    finalizers: metadata.finalizers,
    models: spec.resourceModels.length,
    taints: (spec.taints ?? []).map(({ key }) => key),
    knowsVersion: typeof status.kubernetesVersion === 'string' && status.kubernetesVersion !== '',
  }
}

const STORY: readonly [title: string, act: (subject: Subject) => Promise<unknown>][] = [
  [
    'refuses a Cluster by the rules of upstream',
    async ({ plane }) => [
      await refused(() => plane.create(CLUSTERS, clusterOf('a'.repeat(49), {}))),
      await refused(() => plane.create(CLUSTERS, clusterOf('with.dots', {}))),
      await refused(() => plane.create(CLUSTERS, clusterOf('no-mode', { syncMode: '' }))),
      await refused(() => plane.create(CLUSTERS, clusterOf('no-host', { apiEndpoint: '10.0.0.1:6443' }))),
      await refused(() => plane.create(CLUSTERS, clusterOf('surplus', { apiEndpont: 'x' }))),
    ],
  ],
  [
    'makes a registered member Ready',
    async (subject) => {
      await register(subject, 'paris')
      await becomes(subject, 'paris', 'True ClusterReady')
      await eventually('no taint', async () =>
        (await clusterIn(subject, 'paris')).taints.length === 0 ? true : undefined,
      )
      return clusterIn(subject, 'paris')
    },
  ],
  [
    'makes a namespace for its Works, and two Works for the impersonator',
    async (subject) => {
      await eventually('the Works', async () =>
        (await subject.plane.list(worksOf('paris'))).items.length >= 2 ? true : undefined,
      )
      const space = await subject.plane.get(namespaces, 'karmada-es-paris')
      return [space?.metadata.labels?.['karmada.io/system'], await worksIn(subject, 'paris')]
    },
  ],
  [
    'brings them into the member, marked as its own',
    async ({ member }) => {
      const role = await eventually('the role', () => member.get(clusterRoles, 'karmada-impersonator'))
      const { labels = {}, annotations = {} } = role.metadata
      return [labels['karmada.io/managed'], annotations['work.karmada.io/namespace'], Array.isArray(role.rules)]
    },
  ],
  [
    'brings what a policy selects',
    async (subject) => {
      const { plane, member } = subject
      const metadata = { name: 'stand-in', namespace: 'default' }
      await plane.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } })
      await plane.create(policies, {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'PropagationPolicy',
        metadata,
        spec: {
          resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'stand-in' }],
          placement: { clusterAffinity: { clusterNames: ['paris'] } },
        },
      })
      const there = await eventually('the ConfigMap', () => member.get(configMaps, 'stand-in'))
      return [there.data, there.metadata.labels?.['karmada.io/managed'], await worksIn(subject, 'paris')]
    },
  ],
  [
    'says of a wrong token no more than that the member is not reachable, and comes back',
    async (subject) => {
      const good = (await subject.plane.get(secrets, 'paris'))?.data as Record<string, string>
      const data = { ...good, token: Buffer.from('not-a-token').toString('base64') }
      await subject.plane.patch(secrets, 'paris', { data })
      const bad = await becomes(subject, 'paris', 'False ClusterNotReachable')
      await subject.plane.patch(secrets, 'paris', { data: good })
      return [bad, await becomes(subject, 'paris', 'True ClusterReady')]
    },
  ],
  [
    'says the same of a member that stopped, and comes back',
    async (subject) => {
      await subject.gate.shut()
      const bad = await becomes(subject, 'paris', 'False ClusterNotReachable')
      await subject.gate.open()
      return [bad, await becomes(subject, 'paris', 'True ClusterReady')]
    },
  ],
  [
    'a taint of ours stays while Karmada sets and removes its own, and is refused on top of a Cluster that changed',
    async (subject) => {
      const { plane, gate } = subject
      const ours = { key: 'fedplane.io/unhealthy', effect: 'NoSchedule' }
      const before = await plane.get(CLUSTERS, 'paris')
      await plane.patch(CLUSTERS, 'paris', { spec: { taints: [ours] } })
      const { resourceVersion } = before?.metadata ?? {}
      const late = await refused(() =>
        plane.patch(CLUSTERS, 'paris', { metadata: { resourceVersion }, spec: { taints: [] } }),
      )
      const taints = async () => (await clusterIn(subject, 'paris')).taints
      await gate.shut()
      await becomes(subject, 'paris', 'False ClusterNotReachable')
      const both = await eventually("Karmada's taint", async () => ((await taints()).length > 1 ? taints() : undefined))
      await gate.open()
      await becomes(subject, 'paris', 'True ClusterReady')
      const alone = await eventually('ours alone', async () => ((await taints()).length === 1 ? taints() : undefined))
      await plane.patch(CLUSTERS, 'paris', { spec: { taints: [] } })
      return [late, both.includes(ours.key), alone]
    },
  ],
  [
    'a token that is missing is reported as such',
    async (subject) => {
      const good = (await subject.plane.get(secrets, 'paris'))?.data as Record<string, string>
      await subject.plane.patch(secrets, 'paris', { data: { token: null } })
      const bad = await becomes(subject, 'paris', 'False StatusCollectionFailed')
      await subject.plane.patch(secrets, 'paris', { data: good })
      return [bad, await becomes(subject, 'paris', 'True ClusterReady')]
    },
  ],
  [
    'takes everything away when the Cluster is deleted: Works, their objects in the member, Secrets',
    async ({ plane, member }) => {
      await plane.delete(CLUSTERS, 'paris')
      return [
        await gone('the Cluster', () => plane.get(CLUSTERS, 'paris')),
        await gone('the namespace', () => plane.get(namespaces, 'karmada-es-paris')),
        await gone('the Secret', () => plane.get(secrets, 'paris')),
        await gone('the other Secret', () => plane.get(secrets, 'paris-impersonator')),
        await gone('the ConfigMap', () => member.get(configMaps, 'stand-in')),
        await gone('the role', () => member.get(clusterRoles, 'karmada-impersonator')),
      ]
    },
  ],
  [
    'lets a Cluster go whose member is dead, and what it had stays there',
    async (subject) => {
      const { plane, member, gate } = subject
      await register(subject, 'paris')
      await becomes(subject, 'paris', 'True ClusterReady')
      await eventually('the ConfigMap', () => member.get(configMaps, 'stand-in'))
      await gate.shut()
      await becomes(subject, 'paris', 'False ClusterNotReachable')
      await plane.delete(CLUSTERS, 'paris')
      const ends = await gone('the Cluster', () => plane.get(CLUSTERS, 'paris'))
      await gate.open()
      return [ends, names((await member.list(configMaps)).items).includes('stand-in')]
    },
  ],
  [
    'a Cluster without a Secret is never observed, and is removed all the same',
    async ({ plane }) => {
      await plane.create(CLUSTERS, clusterOf('bare', { apiEndpoint: 'https://127.0.0.1:9' }))
      await eventually('the finalizer', async () => (await plane.get(CLUSTERS, 'bare'))?.metadata.finalizers)
      await plane.delete(CLUSTERS, 'bare')
      return gone('the Cluster', () => plane.get(CLUSTERS, 'bare'))
    },
  ],
  [
    'a Secret of nobody stays',
    async ({ plane }) => {
      await plane.create(secrets, secretOf('nobody', {}))
      return names((await plane.list(secrets)).items)
    },
  ],
]

describe('the stand-in of Karmada does as Karmada', () => {
  const closers: (() => Promise<void>)[] = []
  let subjects: [real: Subject, simulated: Subject]

  const gatedTo = async (plane: Pair['plane'], cluster: TestCluster, server: string): Promise<Subject> => {
    const gate = await openGate(server)
    closers.push(() => gate.shut())
    return { plane, member: cluster.admin, endpoint: gate.server, gate }
  }
  const real = async (): Promise<Subject> => {
    const karmada = await startKarmada()
    closers.push(() => karmada.close())
    const set = await startTestClusters(1)
    closers.push(() => set.close())
    const [first] = set.clusters
    const plane = await testCluster('karmada', karmada.kubeconfig, karmada.context)
    const member = await testCluster('member', first!.kubeconfig, first!.context)
    closers.push(async () => {
      plane.close()
      member.close()
    })
    return gatedTo(plane.admin, member, member.connection.server)
  }
  const simulated = async (): Promise<Subject> => {
    const lab: KarmadaLab = await openKarmadaLab()
    closers.push(() => lab.close())
    const life = new KarmadaLife(lab)
    await life.create()
    const { client, close } = await openControlPlane(life.context())
    closers.push(async () => close())
    return gatedTo(client, lab.clusters[1]!, lab.memberServers[0]!.server)
  }

  beforeAll(async () => {
    subjects = [await real(), await simulated()]
    for (const { plane } of subjects) {
      await plane.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
    }
  })
  afterAll(async () => {
    for (const close of closers.reverse()) await close()
  })

  for (const [title, act] of STORY) {
    it(title, async () => {
      const [ofReal, ofSimulated] = await Promise.all(subjects.map(act))
      expect(ofSimulated).toEqual(ofReal)
    })
  }
})
