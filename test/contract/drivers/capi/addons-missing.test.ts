import { afterEach, describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/core/cluster/cluster-task.ts'
import { Secret } from '../../../../functions/core/values/secret.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { namespaces, secrets } from '../../../../functions/kubernetes/resources.ts'
import { type CapiLab, managementAccess, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

/** The operator has taken an addon out of the namespace of addons. */
describe('capi@1 and an addon that is no longer kept', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const made = async (): Promise<ClusterLife> => {
    lab = await openCapiLab({ infrastructure: 'openstack' })
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    lab.management.access = managementAccess(lab.site, { infrastructure: 'openstack', addons_namespace: 'addons' })
    return life
  }

  const asked = (life: ClusterLife, task: ClusterTask) => capiV1.preview?.({ ...life.context(), task })

  it('lets a cluster be resized, and refuses an upgrade, which brings addons', async () => {
    const life = await made()
    const { id: nodeGroupId } = life.group('default-worker')
    await expect(asked(life, { kind: 'resize', nodeGroupId, nodeCount: 2, nodesToRemove: [] })).resolves.toBeUndefined()
    const { id: templateId, projectId: templateProjectId } = lab.making.newer
    const upgrade = { kind: 'upgrade', templateId, templateProjectId, nodeGroupId: null, maxBatchSize: 1 } as const
    await expect(asked(life, upgrade)).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringContaining('calico'),
    })
  })

  const operators = (name: string, text: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'addons' },
    type: 'addons.cluster.x-k8s.io/resource-set',
    stringData: { 'addon.yaml': text },
  })

  it('rotates the credential without it, and brings no other manifests with that', async () => {
    lab = await openCapiLab({ infrastructure: 'openstack' })
    const { admin } = lab.site
    const options = { infrastructure: 'openstack', addons_namespace: 'addons' }
    lab.management.access = managementAccess(lab.site, options)
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'addons' } })
    for (const name of ['calico', 'cloud-provider-openstack']) {
      await admin.create(secrets('addons'), operators(name, 'one: 1'))
    }
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    const copies = async () => {
      const { items } = await admin.list(secrets('fedplane-local'))
      const found = items.filter(({ metadata }) => metadata.name.includes('-addon-'))
      return Object.fromEntries(
        found.map(({ metadata, data }) => [metadata.name.replace(/^.*-addon-/, ''), JSON.stringify(data)]),
      )
    }
    const before = await copies()
    expect(Object.keys(before).toSorted()).toEqual(['calico', 'cloud-config', 'cloud-provider-openstack', 'storage'])

    await admin.delete(secrets('addons'), 'calico')
    await admin.apply(secrets('addons'), operators('cloud-provider-openstack', 'two: 2'))
    const context = life.context()
    const renewed = { ...JSON.parse((await context.cloudCredential())?.reveal() ?? ''), applicationCredentialId: 'new' }
    const rotation = {
      ...context,
      task: { kind: 'rotate-credential' } as const,
      cloudCredential: async () => new Secret(JSON.stringify(renewed)),
    }
    const addons = capiV1.phases.update['rotate-credential']?.find(({ id }) => id === 'addons')
    expect(await addons?.ensure(rotation)).toMatchObject({ done: true })
    const { 'cloud-config': config, ...others } = await copies()
    const { 'cloud-config': former, ...same } = before
    expect(config).not.toBe(former)
    expect(others).toEqual(same)
  })
})
