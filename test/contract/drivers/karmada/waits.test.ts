import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { PodFate } from '../../../../simulated-kubernetes/behaviour.ts'
import { defaultBehaviour } from '../../../../simulated-kubernetes/behaviour.ts'
import { type KarmadaLab, openKarmadaLab } from '../../../support/karmada/lab.ts'
import { fates, KarmadaLife } from '../../../support/karmada/life.ts'

/** A busy machine takes its time. */
const TIMEOUT_MS = 60_000

/** What `status_reason` says while a phase waits, and so when its deadline passes: what is awaited, in words, with the reason of the object. */

const waiting = (reason: string, message: string): PodFate => ({ fate: 'waiting', reason, message })

describe('karmada@1 says what it waits for', { timeout: TIMEOUT_MS }, () => {
  let lab: KarmadaLab
  const lives: KarmadaLife[] = []
  beforeAll(async () => {
    lab = await openKarmadaLab()
  }, TIMEOUT_MS)
  afterAll(() => lab.close())
  afterEach(async () => {
    const { balancerAddress, provisioner, namespaceBlocker } = defaultBehaviour()
    Object.assign(lab.hostServer.behaviour, { balancerAddress, provisioner, namespaceBlocker })
    lab.standIn.podFate = undefined
    lab.standIn.refresh()
    for (const life of lives.splice(0)) {
      await life.undoCreate()
      expect(await lab.remains(life.federation.id)).toEqual([])
    }
  }, TIMEOUT_MS)

  const begin = (properties: Record<string, string> = {}): KarmadaLife => {
    const life = new KarmadaLife(lab, properties)
    lives.push(life)
    return life
  }
  const stop = (life: KarmadaLife, wanted: Record<string, PodFate>): void => {
    lab.standIn.podFate = fates(life.namespace, wanted)
    lab.standIn.refresh()
  }

  it('a load balancer that nobody makes (rows 4, 5, 6)', async () => {
    lab.hostServer.behaviour.balancerAddress = () => undefined
    const life = begin()
    await life.createUntil('service')
    const said = await life.waitsFor('service', "load balancer's address")
    expect(said).toContain(`Service ${life.namespace}/karmada-apiserver`)
    expect(said).toMatch(/NodePort|ClusterIP/)
  })

  it('nothing, when the load balancer has a name instead of an address (row 3)', async () => {
    lab.hostServer.behaviour.balancerAddress = () => ({ hostname: 'localhost' })
    const life = begin()
    await life.create()
    expect(await life.driver.endpoint(life.context())).toBe(
      `https://localhost:${life.federation.properties['api-port']}`,
    )
  })

  it('a namespace that is being deleted, and what blocks it (row 40)', async () => {
    const life = begin()
    await life.ensure('namespace')
    lab.hostServer.behaviour.namespaceBlocker = (name) =>
      name === life.namespace ? 'Some resources remain: pods.' : undefined
    await lab.clusters[0]!.admin.delete({ group: '', version: 'v1', plural: 'namespaces' }, life.namespace)
    expect(await life.waitsFor('namespace', 'to be gone')).toContain(`Namespace ${life.namespace}`)
  })

  it('volumes that are not provisioned (row 38)', async () => {
    lab.hostServer.behaviour.provisioner = false
    const life = begin()
    await life.createUntil('etcd')
    expect(await life.waitsFor('etcd', 'volume claim etcd-data-etcd-0')).toContain('Waiting for a volume to be created')
  })

  it.each<[phase: string, workload: string, fate: PodFate, said: string]>([
    [
      'etcd',
      'etcd',
      waiting('ImagePullBackOff', 'Back-off pulling image "registry.example/etcd:3.6.6-0"'),
      "can't get image",
    ],
    [
      'etcd',
      'etcd',
      { fate: 'unschedulable', message: '0/1 nodes are available: 1 Insufficient memory.' },
      'Insufficient memory',
    ],
    [
      'api-server',
      'karmada-apiserver',
      { fate: 'refused', message: 'exceeded quota: compute' },
      'exceeded quota: compute',
    ],
    [
      'api-server',
      'karmada-apiserver',
      waiting('CreateContainerConfigError', 'secret "x" not found'),
      'secret "x" not found',
    ],
    ['content', 'karmada-aggregated-apiserver', waiting('CrashLoopBackOff', 'back-off 5m0s'), 'CrashLoopBackOff'],
    ['controllers', 'kube-controller-manager', waiting('ErrImagePull', 'manifest unknown'), 'manifest unknown'],
    ['controllers', 'karmada-scheduler', waiting('CrashLoopBackOff', 'back-off 10s'), 'back-off 10s'],
    [
      'controllers',
      'karmada-controller-manager',
      { fate: 'unschedulable', message: 'node(s) had untolerated taint' },
      'untolerated taint',
    ],
    ['controllers', 'karmada-webhook', waiting('CrashLoopBackOff', 'back-off 20s'), 'back-off 20s'],
  ])('phase %s: the pods of %s, and why they are not ready', async (phase, workload, fate, said) => {
    const life = begin()
    stop(life, { [workload]: fate })
    await life.createUntil(phase)
    expect(await life.waitsFor(phase, said)).toMatch(
      new RegExp(`(Deployment|StatefulSet) ${workload} to be rolled out`),
    )
  })

  it('webhooks that do not answer, before it calls a control plane verified', async () => {
    const life = begin()
    await life.createUntil('verify')
    stop(life, { 'karmada-webhook': waiting('CrashLoopBackOff', 'back-off') })
    expect(await life.waitsFor('verify', 'webhooks')).toContain('PropagationPolicy')
  })

  it('the aggregated API that does not answer, before it calls a control plane verified (row 16)', async () => {
    const life = begin()
    await life.createUntil('verify')
    stop(life, { 'karmada-aggregated-apiserver': waiting('CrashLoopBackOff', 'back-off') })
    expect(await life.waitsFor('verify', 'APIService')).toContain('v1alpha1.cluster.karmada.io to be Available')
  })

  it('an API server that stopped, before it makes content', async () => {
    const life = begin()
    await life.createUntil('content')
    stop(life, { 'karmada-apiserver': waiting('CrashLoopBackOff', 'back-off') })
    expect(await life.waitsFor('content', 'to be Ready')).toContain('pod of karmada-apiserver')
  })

  it('pods that PodSecurity restricted admits: none of them is refused', async () => {
    const life = begin()
    const metadata = { name: life.namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } }
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' }
    const { admin } = lab.clusters[0]!
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata })
    await life.create()
    await life.undoCreate()
    expect(await admin.get(namespaces, life.namespace)).toMatchObject({ metadata })
    await admin.delete(namespaces, life.namespace)
  })
})
