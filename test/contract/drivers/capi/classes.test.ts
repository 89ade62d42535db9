import { afterEach, describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { className, managementObjects } from '../../../../functions/drivers/cluster/capi/v1/render/class-objects.ts'
import { namespaces } from '../../../../functions/kubernetes/resources.ts'
import { withClassInProject } from '../../../support/capi/class-in-project.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import type { CapiOptions } from '../../../support/capi/simulated-capi.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

const CORE = { group: 'cluster.x-k8s.io', version: 'v1beta2' }
const PROJECT = 'fedplane-local'
const NAMESPACE = 'fedplane'
const CLUSTERS = { ...CORE, plural: 'clusters', namespace: PROJECT }

describe('the class of clusters of capi@1', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const open = async (options: CapiOptions = {}): Promise<ClusterLife> => {
    lab = await openCapiLab(options)
    return new ClusterLife(capiV1, lab)
  }

  const labelled = (life: ClusterLife, kube_tag: string): void => {
    const { magnum } = life.cluster
    life.cluster = { ...life.cluster, magnum: { ...magnum, labels: { kube_tag } } }
  }

  const names = async (plural: string): Promise<string[]> => {
    const { items } = await lab.site.admin.list({ ...CORE, plural })
    return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
  }

  const nothingOfTheCluster = async (): Promise<void> => {
    expect(await lab.site.admin.get(namespaces, PROJECT)).toBeUndefined()
    expect(await names('clusters')).toEqual([])
  }

  const refOf = async (life: ClusterLife): Promise<unknown> => {
    const { cluster: name } = life.cluster.driverState['capi-names'] as { cluster: string }
    const object = await lab.site.admin.get(CLUSTERS, name)
    return (object?.spec as { topology: { classRef: unknown } } | undefined)?.topology.classRef
  }

  it('is made by the first preview, once for all projects, and nothing of a cluster with it', async () => {
    const life = await open()
    await capiV1.preview?.(life.context())
    await nothingOfTheCluster()
    expect(await names('clusterclasses')).toEqual([`${NAMESPACE}/${className('dev')}`])

    await life.create()
    const other = new ClusterLife(capiV1, lab)
    other.cluster = { ...other.cluster, projectId: 'shop' }
    await other.create()
    expect(await names('clusterclasses')).toEqual([`${NAMESPACE}/${className('dev')}`])
    expect(await refOf(life)).toEqual({ name: className('dev'), namespace: NAMESPACE })
  })

  it('lets admission refuse the very first cluster, which leaves no cluster behind', async () => {
    const life = await open()
    // What the driver's own check takes.
    labelled(life, 'v1.036.1')
    expect(capiV1.check(life.plan())).toEqual([])
    await expect(capiV1.preview?.(life.context())).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringContaining('version must be a valid semantic version'),
    })
    await nothingOfTheCluster()
  })

  it('is not all that is asked: what Cluster API would make of the cluster is tried out too', async () => {
    lab = await openCapiLab({ infrastructure: 'openstack', ignitionGate: false })
    const life = new ClusterLife(capiV1, lab)
    await capiV1.preview?.(life.context())
    const { template } = life
    if (template === null) throw new Error('the lab has no template')
    life.template = { ...template, spec: { ...template.spec, clusterDistro: 'flatcar' } }
    await expect(capiV1.preview?.(life.context())).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringContaining('KubeadmBootstrapFormatIgnition'),
    })
    await nothingOfTheCluster()
    expect(await names('machines')).toEqual([])
  })

  it('is waited for, since Cluster API admits anything before it knows it', async () => {
    const life = await open({ looksAtClass: () => false, classRule: () => 'the class has no such worker' })
    let looks = 0
    const now = () => {
      looks += 1
      if (looks === 3) {
        lab.capi.options.looksAtClass = () => true
        lab.capi.refresh()
      }
      return new Date()
    }
    const asking = new ClusterLife(capiV1, lab, { now })
    asking.cluster = life.cluster
    await expect(capiV1.preview?.(asking.context())).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringContaining('the class has no such worker'),
    })
    expect(looks).toBeGreaterThanOrEqual(3)
  })

  it('is not waited for for ever: then nothing is said of the cluster', async () => {
    await open({ looksAtClass: () => false })
    let seconds = 0
    const now = () => {
      seconds += 4
      return new Date(seconds * 1000)
    }
    const life = new ClusterLife(capiV1, lab, { now })
    await expect(capiV1.preview?.(life.context())).rejects.toMatchObject({
      name: 'ClassNotReady',
      kind: 'unavailable',
      retryable: true,
      message: expect.stringMatching(
        /^The management cluster management can't be asked yet: 10 s .*namespace fedplane,/,
      ),
    })
    expect(seconds).toBe(16)
    await nothingOfTheCluster()
  })

  it('is made once by two previews at once', async () => {
    const life = await open()
    const other = new ClusterLife(capiV1, lab)
    await Promise.all([capiV1.preview?.(life.context()), capiV1.preview?.(other.context())])
    expect(await names('clusterclasses')).toEqual([`${NAMESPACE}/${className('dev')}`])
  })

  it('is not put into a namespace that is not ours, unless its owner says so', async () => {
    const life = await open()
    const { admin } = lab.site
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
    const refused = { message: expect.stringContaining('fedplane.io/holds=classes') }
    await expect(capiV1.preview?.(life.context())).rejects.toMatchObject({ name: 'ChangeRefused', ...refused })
    await expect(life.create()).rejects.toMatchObject({ name: 'ForeignObject', ...refused })
    expect(await names('clusterclasses')).toEqual([])

    await admin.patch(namespaces, NAMESPACE, { metadata: { annotations: { 'fedplane.io/holds': 'classes' } } })
    await capiV1.preview?.(life.context())
    await life.create()
    expect(life.cluster.observation?.healthStatus).toBe('HEALTHY')
  })

  it('that somebody has changed is not asked with, until that is undone', async () => {
    const life = await open()
    await capiV1.preview?.(life.context())
    const classes = { ...CORE, plural: 'clusterclasses', namespace: NAMESPACE }
    const change = (patch: object) => lab.site.admin.patch(classes, className('dev'), patch)
    const hash = (await lab.site.admin.get(classes, className('dev')))?.metadata.annotations?.[
      'fedplane.io/content-hash'
    ]
    const refused = async (words: string): Promise<void> => {
      const message = expect.stringMatching(new RegExp(`is not what this version of fedplane makes .*${words}`))
      await expect(capiV1.preview?.(life.context())).rejects.toMatchObject({ name: 'ChangeRefused', message })
    }
    await change({ metadata: { annotations: { 'fedplane.io/content-hash': 'other' } } })
    await refused('content-hash is other')
    await change({ metadata: { annotations: { 'fedplane.io/content-hash': hash } } })
    await capiV1.preview?.(life.context())

    await change({ spec: { controlPlane: { deletion: { nodeDrainTimeoutSeconds: 1 } } } })
    await refused('its spec was edited')
    await change({ spec: { controlPlane: { deletion: { nodeDrainTimeoutSeconds: 600 } } } })
    await capiV1.preview?.(life.context())
  })

  /** As versions of fedplane made them whose classes were in each project's namespace. */
  const madeBefore = async (): Promise<ClusterLife> => {
    const life = await open()
    const begun = new ClusterLife(
      { ...capiV1, phases: { ...capiV1.phases, create: capiV1.phases.create.slice(0, 1) } },
      lab,
    )
    begun.cluster = life.cluster
    await begun.create()
    for (const { resource, object } of managementObjects('dev', PROJECT)) await lab.site.admin.create(resource, object)
    const old = new ClusterLife(capiV1, withClassInProject(lab))
    old.cluster = begun.cluster
    await old.create()
    return old
  }

  it('of a cluster that has one in its own namespace stays, beside others, until it is upgraded', async () => {
    const old = await madeBefore()
    const life = new ClusterLife(capiV1, lab)
    life.cluster = old.cluster
    life.nodeGroups = old.nodeGroups
    const beside = new ClusterLife(capiV1, lab)
    await beside.create()
    expect(await refOf(life)).toEqual({ name: className('dev') })
    expect(await refOf(beside)).toEqual({ name: className('dev'), namespace: NAMESPACE })
    expect(await names('clusterclasses')).toEqual(
      expect.arrayContaining([`${NAMESPACE}/${className('dev')}`, `${PROJECT}/${className('dev')}`]),
    )

    await life.resize('default-worker', 2)
    expect(await refOf(life)).toEqual({ name: className('dev') })
    if (lab.making.newer !== undefined) await life.upgrade(lab.making.newer)
    expect(await refOf(life)).toEqual({ name: className('dev'), namespace: NAMESPACE })
    expect(life.cluster.observation?.version).toBe('v1.36.1')
    await life.delete()
    await beside.delete()
  })

  it('is no matter of a change that keeps it; a cluster that is gone is refused at once', async () => {
    const life = await open()
    await life.create()
    const context = {
      ...life.context(),
      task: { kind: 'resize', nodeGroupId: life.group('default-worker').id, nodeCount: 2, nodesToRemove: [] },
    } as const
    lab.capi.options.looksAtClass = () => false
    await capiV1.preview?.(context)
    const { cluster: name } = life.cluster.driverState['capi-names'] as { cluster: string }
    await lab.site.admin.delete(CLUSTERS, name)
    await expect.poll(() => names('clusters'), { timeout: 10_000 }).toEqual([])
    await expect(capiV1.preview?.(context)).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringContaining('is not in its management cluster'),
    })
  })
})
