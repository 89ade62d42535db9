import { afterEach, describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { namespaces, secrets } from '../../../../functions/kubernetes/resources.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import type { CapiOptions, SimulatedCapi } from '../../../support/capi/simulated-capi.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'
import { templateEntity } from '../../../support/drivers/cluster-samples.ts'

const CLUSTERS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters' }
const NAMESPACE = 'fedplane-local'
const NO_HOST = { reason: 'NotReady', message: 'no valid host was found' }

describe('capi@1 when things go wrong', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const open = async (options: CapiOptions = {}): Promise<{ capi: SimulatedCapi; life: ClusterLife }> => {
    lab = await openCapiLab(options)
    return { capi: lab.capi, life: new ClusterLife(capiV1, lab) }
  }

  /** Checks a phase once, as it is after the others were run. */
  const phase = (id: string) => {
    const found = capiV1.phases.create.find((candidate) => candidate.id === id)
    if (found === undefined) throw new Error(`no phase ${id}`)
    return found
  }

  const upTo = async (life: ClusterLife, last: string): Promise<void> => {
    const { create } = capiV1.phases
    const driver = {
      ...capiV1,
      phases: {
        ...capiV1.phases,
        create: create.slice(
          0,
          create.findIndex(({ id }) => id === last),
        ),
      },
    }
    const begun = new ClusterLife(driver, lab)
    begun.cluster = life.cluster
    begun.nodeGroups = life.nodeGroups
    await begun.create()
    life.cluster = begun.cluster
  }

  it('puts nothing into a namespace that is not ours', async () => {
    const { life } = await open()
    await lab.site.admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
    await expect(life.create()).rejects.toMatchObject({
      name: 'ForeignObject',
      message: expect.stringContaining(NAMESPACE),
    })
    await expect(capiV1.preview?.(life.context())).rejects.toMatchObject({ name: 'ChangeRefused' })
    expect((await lab.site.admin.list(secrets(NAMESPACE))).items).toEqual([])
  })

  it('makes nothing from a class that somebody has changed', async () => {
    const { life } = await open()
    await upTo(life, 'cloud-credential')
    const { items } = await lab.site.admin.list({ ...CLUSTERS, plural: 'clusterclasses' })
    const { name = '', namespace = '' } = items[0]?.metadata ?? {}
    await lab.site.admin.patch({ ...CLUSTERS, plural: 'clusterclasses', namespace }, name, {
      metadata: { annotations: { 'fedplane.io/content-hash': 'other' } },
    })
    await expect(life.create()).rejects.toMatchObject({
      name: 'ManagementObjectChanged',
      message: expect.stringContaining(name),
    })
  })

  it('gives back what the management cluster says when it refuses, from preview too', async () => {
    const { life } = await open()
    await upTo(life, 'cluster')
    lab.server.behaviour.callWebhook = () => ({ answer: 'denied', message: 'not on Saturdays' })
    const refused = { name: 'ChangeRefused', message: expect.stringContaining('not on Saturdays') }
    await expect(life.create()).rejects.toMatchObject(refused)
    await expect(capiV1.preview?.(life.context())).rejects.toMatchObject(refused)
    expect((await lab.site.admin.list({ ...CLUSTERS, namespace: NAMESPACE })).items).toEqual([])
  })

  it('takes an unreachable webhook for a passing fault', async () => {
    const { life } = await open()
    await upTo(life, 'cluster')
    lab.server.behaviour.callWebhook = () => ({ answer: 'unreachable' })
    await expect(life.create()).rejects.toMatchObject({ name: 'ApiUnavailable', retryable: true })
  })

  it('tells the address early, and why it is not up; ends at its time-out, and is complete when it comes up after all', async () => {
    const { capi, life } = await open({ machineFate: () => NO_HOST })
    await upTo(life, 'machines')
    const machines = phase('machines')
    await expect
      .poll(async () => (await machines.ensure(life.context())).waitingFor, { timeout: 10_000 })
      .toContain('Control plane metadata')
    await expect
      .poll(async () => (await machines.ensure(life.context())).endpoint?.server, { timeout: 10_000 })
      .toMatch(/^https:\/\/127\.0\.0\.1:/)

    const { operation } = life.cluster
    const late = { ...life.cluster, magnum: { ...life.cluster.magnum, createTimeout: 15 } }
    life.cluster = {
      ...late,
      operation: {
        id: 'o',
        kind: 'create',
        attempt: 1,
        mode: 'do',
        startedAt: '2026-01-01T00:00:00Z',
        deadline: '2026-01-01T00:15:00Z',
        force: false,
        supersedes: [],
        failure: null,
      },
    }
    await expect(machines.ensure(life.context())).rejects.toMatchObject({
      name: 'ClusterNotReady',
      message: expect.stringMatching(/create_timeout \(15 minutes\).*KubeadmControlPlane\/.*\.$/),
    })
    life.cluster = { ...life.cluster, operation, status: 'CREATE_FAILED' }
    expect(await capiV1.observe(life.context())).toMatchObject({ isComplete: false, healthStatus: 'UNHEALTHY' })

    capi.options.machineFate = () => 'up'
    capi.refresh()
    await expect.poll(async () => (await capiV1.observe(life.context())).isComplete, { timeout: 10_000 }).toBe(true)
  })

  it('gives a topology up that fails for longer than the grace period', async () => {
    const { life } = await open({ topologyFault: () => 'the patch does not apply' })
    await upTo(life, 'machines')
    const machines = phase('machines')
    await expect
      .poll(async () => (await machines.ensure(life.context())).waitingFor, { timeout: 10_000 })
      .toContain('ReconcileFailed: the patch does not apply')
    const later = new ClusterLife(capiV1, lab, { now: () => new Date(Date.now() + 700_000) })
    const { state } = await machines.ensure(life.context())
    later.cluster = { ...life.cluster, driverState: { ...life.cluster.driverState, ...state } }
    later.nodeGroups = life.nodeGroups
    await expect(machines.ensure(later.context())).rejects.toMatchObject({
      name: 'ClusterNotReady',
      message: expect.stringContaining('the patch does not apply'),
    })
  })

  it('does not give one up that fails for a moment when it has not been reconciled for long, as in each upgrade', async () => {
    const { life, capi } = await open()
    await life.create()
    const [cluster] = (await lab.site.admin.list({ ...CLUSTERS, namespace: NAMESPACE })).items
    capi.options.topologyFault = () => 'the patch does not apply'
    capi.refresh()
    const reason = async () => (await capiV1.observe(life.context())).healthReason.topology
    await expect.poll(reason, { timeout: 10_000 }).toContain('the patch does not apply')
    const late = new ClusterLife(capiV1, lab, { now: () => new Date(Date.now() + 700_000) })
    late.cluster = life.cluster
    late.nodeGroups = life.nodeGroups
    const settle = capiV1.phases.update['node-group-create']?.find(({ id }) => id === 'settle')
    const task = { kind: 'node-group-create', nodeGroupId: life.group('default-worker').id } as const
    const first = await settle?.ensure({ ...late.context(), task })
    expect(first).toMatchObject({ done: false, waitingFor: expect.stringContaining('the patch does not apply') })

    capi.options.topologyFault = () => undefined
    await lab.site.admin.patch({ ...CLUSTERS, namespace: NAMESPACE }, cluster?.metadata.name ?? '', {
      metadata: { annotations: { look: 'again' } },
    })
    late.cluster = { ...late.cluster, driverState: { ...late.cluster.driverState, ...first?.state } }
    await expect
      .poll(async () => settle?.ensure({ ...late.context(), task }), { timeout: 10_000 })
      .toMatchObject({ done: true, state: { 'capi-topology-fault': null } })
  })

  it('tells of labels that change nothing', async () => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab, { labels: { kube_tga: 'v1.36.0' } })
    await life.create()
    expect(life.cluster.observation?.healthReason.labels).toBe(
      'Label "kube_tga" is not known to capi@1 and changes nothing.',
    )
  })

  it('refuses a change that the control plane is not ready for', async () => {
    const { life } = await open()
    await life.create()
    const far = templateEntity({ kube_tag: 'v1.37.0' }, { driver: 'capi@1' })
    await expect(life.upgrade(far)).rejects.toMatchObject({ name: 'ChangeImpossible' })
    expect(life.cluster.observation?.version).toBe('v1.35.2')
  })

  it('follows the count that an autoscaler has chosen', async () => {
    const { life } = await open()
    await life.create()
    const deployments = { ...CLUSTERS, plural: 'machinedeployments', namespace: NAMESPACE }
    const [deployment] = (await lab.site.admin.list(deployments)).items
    lab.capi.options.topologyFault = () => 'the topology controller does not look'
    await lab.site.admin.patch(deployments, deployment?.metadata.name ?? '', { spec: { replicas: 3 } })
    const worker = life.group('default-worker').id
    const look = async () => (await capiV1.observe(life.context())).nodeGroups?.find(({ id }) => id === worker)
    await expect.poll(async () => (await look())?.nodeAddresses?.length, { timeout: 10_000 }).toBe(3)
    expect(await look()).toMatchObject({ nodeCount: 3 })
  })

  it('leaves the count that an autoscaler has chosen when another group is added', async () => {
    const { life } = await open()
    await life.create()
    await life.addGroup('gpu', { nodeCount: 3, maxNodeCount: 5, labels: { auto_scaling_enabled: 'true' } })
    const deployments = { ...CLUSTERS, plural: 'machinedeployments', namespace: NAMESPACE }
    const scaled = async () =>
      (await lab.site.admin.list(deployments)).items.find(({ metadata }) => metadata.name.includes('gpu'))
    const name = (await scaled())?.metadata.name ?? ''
    await lab.site.admin.patch(deployments, name, { spec: { replicas: 1 } })
    await life.addGroup('more')
    expect((await scaled())?.spec).toMatchObject({ replicas: 1 })
  })

  it('says that a cluster is gone which somebody deleted behind its back', async () => {
    const { life } = await open()
    await life.create()
    const [cluster] = (await lab.site.admin.list({ ...CLUSTERS, namespace: NAMESPACE })).items
    await lab.site.admin.delete({ ...CLUSTERS, namespace: NAMESPACE }, cluster?.metadata.name ?? '')
    await expect
      .poll(async () => (await capiV1.observe(life.context())).healthReason.api, { timeout: 10_000 })
      .toMatch(/is not in the management cluster management\.$/)
    await expect(life.resize('default-worker', 2)).rejects.toMatchObject({ name: 'ChangeImpossible' })
    await life.delete()
  })
})
