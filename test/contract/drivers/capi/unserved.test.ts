import { afterEach, describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { secrets } from '../../../../functions/kubernetes/resources.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }
const NAMESPACE = 'fedplane-local'

/** A downgrade of Cluster API, or half of an upgrade: what is asked for is 404, and nothing of it is gone. */
describe('capi@1 and a kind that the management cluster no longer serves', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const made = async (): Promise<ClusterLife> => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    return life
  }

  const serve = async (name: string, isServed: boolean): Promise<void> => {
    const found = await lab.site.admin.get(DEFINITIONS, name)
    const { versions = [] } = (found?.spec ?? {}) as { versions?: { name: string; served: boolean }[] }
    const [version] = versions.map((one) => ({ ...one, served: isServed }))
    await lab.site.admin.patch(DEFINITIONS, name, { spec: { versions: [version] } })
  }

  const UNREACHABLE = {
    name: 'ManagementUnreachable',
    retryable: true,
    message: expect.stringMatching(/^Management cluster management does not serve \S+ of cluster\.x-k8s\.io\/v1beta2 /),
  }

  it.each(['clusters', 'machines'])('takes nothing for gone while %s are not served', async (plural) => {
    const life = await made()
    await serve(`${plural}.cluster.x-k8s.io`, false)
    for (const phase of capiV1.phases.delete.filter(({ id }) => id === 'cluster')) {
      await expect(phase.ensure(life.context())).rejects.toMatchObject(UNREACHABLE)
    }
    await expect(life.resize('default-worker', 2)).rejects.toMatchObject(UNREACHABLE)
    expect(await capiV1.observe(life.context())).toMatchObject({ healthStatus: 'UNKNOWN' })

    await serve(`${plural}.cluster.x-k8s.io`, true)
    const clusters = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters', namespace: NAMESPACE }
    expect((await lab.site.admin.list(clusters)).items).toHaveLength(1)
    await life.delete()
    expect((await lab.site.admin.list(clusters)).items).toEqual([])
  })

  it('keeps the Secrets that the cluster needs when it comes back, by force too', async () => {
    const life = await made()
    const left = async () => (await lab.site.admin.list(secrets(NAMESPACE))).items.map(({ metadata }) => metadata.name)
    const before = await left()
    expect(before).not.toEqual([])
    await serve('clusters.cluster.x-k8s.io', false)
    const phase = capiV1.phases.delete.find(({ id }) => id === 'secrets')
    await expect(phase?.ensure(life.context())).rejects.toMatchObject(UNREACHABLE)
    expect(await left()).toEqual(before)
  })

  it('says so to whoever asks for a change', async () => {
    const life = await made()
    await serve('clusters.cluster.x-k8s.io', false)
    const { id } = life.group('default-worker')
    const task = { kind: 'resize', nodeGroupId: id, nodeCount: 2, nodesToRemove: [] } as const
    await expect(capiV1.preview?.({ ...life.context(), task })).rejects.toMatchObject(UNREACHABLE)
  })

  it.each([
    [403, /does not tell what it serves .* ClusterRole system:discovery/],
    [503, /does not tell what it serves .* It is asked again\.$/],
  ])('does not say that it is not served where the discovery answers %d', async (status, words) => {
    const life = await made()
    const context = life.context()
    const { management } = context
    const denied = async () => {
      const access = await management()
      const client = async () => {
        const real = await access.client()
        return { ...real, get: async () => undefined, raw: async () => ({ status, body: '' }) }
      }
      return { ...access, client }
    }
    const cluster = capiV1.phases.create.find(({ id }) => id === 'cluster')
    await expect(cluster?.ensure({ ...context, management: denied })).rejects.toMatchObject({
      name: 'ManagementUnreachable',
      message: expect.stringMatching(words),
    })
  })
})
