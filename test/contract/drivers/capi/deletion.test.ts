import { afterEach, describe, expect, it, vi } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import type { ClusterContext } from '../../../../functions/drivers/contract/cluster-driver.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { secrets } from '../../../../functions/kubernetes/resources.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

const NAMESPACE = 'fedplane-local'
const CLUSTERS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters', namespace: NAMESPACE }
const SERVICES = { group: '', version: 'v1', plural: 'services', namespace: 'default' }

describe('capi@1 takes a cluster down', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const left = async (): Promise<string[]> => {
    const { items } = await lab.site.admin.list(secrets(NAMESPACE))
    const clusters = await lab.site.admin.list(CLUSTERS)
    return [...items, ...clusters.items].map(({ kind, metadata }) => `${kind}/${metadata.name}`)
  }

  it.each(capiV1.phases.create.map(({ id }, index) => [id, index + 1] as const))(
    'that was made up to phase %s',
    async (_, count) => {
      lab = await openCapiLab()
      const create = capiV1.phases.create.slice(0, count)
      const life = new ClusterLife({ ...capiV1, phases: { ...capiV1.phases, create } }, lab)
      await life.create()
      await life.delete()
      expect(await left()).toEqual([])
      await life.delete()
    },
  )

  it('that was never begun', async () => {
    lab = await openCapiLab()
    await new ClusterLife(capiV1, lab).delete()
  })

  it('and leaves others of the project alone, those of the same name too', async () => {
    lab = await openCapiLab()
    const [one, other] = [new ClusterLife(capiV1, lab), new ClusterLife(capiV1, lab)]
    await one.create()
    await other.create()
    const before = await left()
    expect(one.cluster.endpoint?.server).not.toBe(other.cluster.endpoint?.server)
    await one.delete()
    const after = await left()
    expect(after.length).toBe(before.length / 2)
    expect((await capiV1.observe(other.context())).healthStatus).toBe('HEALTHY')
  })

  const withBalancer = async (finalizers: string[]): Promise<ClusterLife> => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    const { authority, connect } = life.context()
    const client = connect(await capiV1.connection(life.cluster, undefined, authority))
    await client.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default', finalizers },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    })
    client.close()
    return life
  }

  const loadBalancers = capiV1.phases.delete.find(({ id }) => id === 'load-balancers')

  it('after its load balancers', async () => {
    const life = await withBalancer([])
    await life.delete()
    expect(await left()).toEqual([])
  })

  it('and waits for the load balancers, but not for ever', async () => {
    const life = await withBalancer(['service.kubernetes.io/load-balancer-cleanup'])
    const result = await loadBalancers?.ensure(life.context())
    expect(result).toMatchObject({ done: false, waitingFor: 'the load balancer of Service default/web to be gone' })
    const later = new ClusterLife(capiV1, lab, { now: () => new Date(Date.now() + 400_000) })
    later.cluster = { ...life.cluster, driverState: { ...life.cluster.driverState, ...result?.state } }
    expect(await loadBalancers?.ensure(later.context())).toMatchObject({ done: true })
  })

  it('when its own API does not answer any more', async () => {
    const life = await withBalancer([])
    await lab.stop()
    expect(await loadBalancers?.ensure(life.context())).toMatchObject({ done: false })
    const later = new ClusterLife(capiV1, lab, { now: () => new Date(Date.now() + 400_000) })
    const first = await loadBalancers?.ensure(life.context())
    later.cluster = { ...life.cluster, driverState: { ...life.cluster.driverState, ...first?.state } }
    later.nodeGroups = life.nodeGroups
    expect(await loadBalancers?.ensure(later.context())).toMatchObject({ done: true })
  })

  /** The context of a cluster whose owner has put something else in the place of its API server: its n-th page is what `page` says. */
  const taken = (life: ClusterLife, page: (index: number) => KubernetesObject[]): ClusterContext => {
    const context = life.context()
    let asked = 0
    const list: KubernetesClient['list'] = async () => {
      asked += 1
      return { items: page(asked), continue: `after-${asked}` }
    }
    return {
      ...context,
      connect: (connection) => {
        const client = context.connect(connection)
        return connection.server === life.cluster.endpoint?.server ? { ...client, list } : client
      },
    }
  }

  it('without its load balancers when what answers in the place of its API says for ever that there are more', async () => {
    const life = await withBalancer([])
    expect(await loadBalancers?.ensure(taken(life, () => []))).toEqual({ done: true })
  })

  it('and notes since when it waits also where pages come slowly', async () => {
    const life = await withBalancer([])
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const slow = taken(life, (index) => {
      clock.mockReturnValue(index * 14_000)
      return []
    })
    const result = await loadBalancers?.ensure(slow)
    clock.mockRestore()
    expect(result).toMatchObject({ done: false, waitingFor: 'its Services to be read' })
    expect(result?.state).toMatchObject({ 'capi-load-balancers': { at: expect.any(String) } })
  })

  const OWN_LABEL = 'fedplane.io/cluster'

  it.each([
    ['has lost its label', null],
    ["has another cluster's label", '019a2b3c-0000-7000-8000-0123456789ab'],
  ])('but touches nothing, its Secrets neither, when the Cluster of its name %s', async (_, label) => {
    lab = await openCapiLab({ infrastructure: 'openstack' })
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    const [
      {
        metadata: { name },
      } = { metadata: { name: '' } },
    ] = (await lab.site.admin.list(CLUSTERS)).items
    await lab.site.admin.patch(CLUSTERS, name, { metadata: { labels: { [OWN_LABEL]: label } } })
    const before = await left()
    const refused = { name: 'ForeignObject', message: expect.stringMatching(/does not carry the label .* label back/) }
    for (const phase of capiV1.phases.delete.slice(0, 3)) {
      await expect(phase.ensure(life.context())).rejects.toMatchObject(refused)
    }
    await expect(life.delete()).rejects.toMatchObject(refused)
    expect(await left()).toEqual(before)

    await lab.site.admin.patch(CLUSTERS, name, { metadata: { labels: { [OWN_LABEL]: life.cluster.id } } })
    await life.delete()
    expect(await left()).toEqual([])
  })
})
