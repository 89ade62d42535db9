import { afterEach, describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { secrets } from '../../../../functions/kubernetes/resources.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

const SECRETS = secrets('fedplane-local')

describe('capi@1 and the Secrets of a cluster that is there', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const made = async (): Promise<ClusterLife> => {
    lab = await openCapiLab({ infrastructure: 'openstack' })
    const life = new ClusterLife(capiV1, lab)
    life.cluster = { ...life.cluster, magnum: { ...life.cluster.magnum, masterLbEnabled: true } }
    await life.create()
    return life
  }

  const named = async (suffix: string): Promise<KubernetesObject> => {
    const { items } = await lab.site.admin.list(SECRETS)
    const found = items.find(({ metadata }) => metadata.name.endsWith(suffix))
    if (found === undefined) throw new Error(`there is no Secret …${suffix}`)
    return found
  }

  const changes: Readonly<Record<string, (life: ClusterLife) => Promise<void>>> = {
    'a resize': (life) => life.resize('default-worker', 2),
    'a new group': (life) => life.addGroup('gpu'),
    'an upgrade': (life) => life.upgrade(lab.making.newer),
  }

  it.each(Object.keys(changes))('puts back with %s what somebody deleted', async (change) => {
    const life = await made()
    const before = await Promise.all(['-ca', '-etcd', '-proxy', '-cloud-config'].map(named))
    for (const { metadata } of before) await lab.site.admin.delete(SECRETS, metadata.name)
    await changes[change]?.(life)
    for (const { metadata, ...rest } of before) {
      expect(await named(metadata.name)).toMatchObject({ ...rest, metadata: { labels: metadata.labels ?? {} } })
    }
  })

  it('knows its own without its label', async () => {
    const life = await made()
    const { metadata } = await named('-ca')
    await lab.site.admin.patch(SECRETS, metadata.name, { metadata: { labels: { 'fedplane.io/cluster': null } } })
    await life.resize('default-worker', 2)
    expect((await named('-ca')).metadata.labels).toEqual(metadata.labels)
  })

  it('replaces no other authority, and makes no nodes with it', async () => {
    const life = await made()
    const { metadata } = await named('-ca')
    await lab.site.admin.patch(SECRETS, metadata.name, { data: { 'tls.crt': 'b3RoZXI=' } })
    await expect(life.resize('default-worker', 2)).rejects.toMatchObject({
      name: 'ManagementObjectChanged',
      message: expect.stringContaining(metadata.name),
    })
    expect(await named('-ca')).toMatchObject({ data: { 'tls.crt': 'b3RoZXI=' } })
  })
})
