import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { managementSite } from '../../../../functions/drivers/cluster/capi/v1/management/snapshot.ts'
import { ownObject, planOf } from '../../../../functions/drivers/cluster/capi/v1/management/wanted.ts'
import { cloudConfigFiles } from '../../../../functions/drivers/cluster/capi/v1/render/addons.ts'
import type { KubernetesClient } from '../../../../functions/kubernetes/client.ts'
import { secrets } from '../../../../functions/kubernetes/resources.ts'
import { type CapiLab, managementAccess, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

const SYSTEM = 'kube-system'
const apps = (plural: string) => ({ group: 'apps', version: 'v1', plural, namespace: SYSTEM })
const restartAddons = capiV1.phases.update['rotate-credential']?.find(({ id }) => id === 'restart-addons')

const workload = (kind: string, name: string, volumes: object[]) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: SYSTEM },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'example.org/c' }], volumes },
    },
  },
})

const SECRET_VOLUME = { name: 'config', secret: { secretName: 'cloud-config' } }
const PROJECTED = {
  name: 'config',
  projected: { sources: [{ configMap: { name: 'x' } }, { secret: { name: 'cloud-config' } }] },
}

/** Cloud-provider-openstack reads its credential once: those that were started with a revoked one would never work again. */
describe('capi@1, when the credential of the cloud is rotated,', () => {
  let lab: CapiLab
  let life: ClusterLife
  let inside: KubernetesClient

  beforeEach(async () => {
    lab = await openCapiLab({ infrastructure: 'openstack' })
    life = new ClusterLife(capiV1, lab)
    await life.create()
    lab.management.access = managementAccess(lab.site, { infrastructure: 'openstack', addons_namespace: 'addons' })
    inside = lab.connect(await capiV1.connection(life.cluster, undefined, life.context().authority))
    await inside.create(apps('daemonsets'), workload('DaemonSet', 'occm', [SECRET_VOLUME]))
    await inside.create(apps('deployments'), workload('Deployment', 'csi', [PROJECTED]))
    await inside.create(
      apps('deployments'),
      workload('Deployment', 'other', [{ name: 'x', secret: { secretName: 'x' } }]),
    )
  })
  afterEach(async () => {
    inside.close()
    await lab.close()
  })

  /** As Cluster API's ClusterResourceSets do. */
  const handOver = async (): Promise<void> => {
    const context = life.context()
    const site = await managementSite(context)
    const desired = { nodeGroups: context.nodeGroups, task: null }
    const plan = await planOf(context, site, desired, await ownObject(context, site))
    const files = cloudConfigFiles(plan, JSON.parse((await context.cloudCredential())?.reveal() ?? ''))
    const data = Object.fromEntries(
      Object.entries(files).map(([file, text]) => [file, Buffer.from(text).toString('base64')]),
    )
    await inside.apply(secrets(SYSTEM), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'cloud-config', namespace: SYSTEM },
      data,
    })
  }

  const marks = async (): Promise<Record<string, string | undefined>> => {
    const lists = await Promise.all(['daemonsets', 'deployments'].map((plural) => inside.list(apps(plural))))
    return Object.fromEntries(
      lists.flatMap(({ items }) =>
        items.map(({ metadata, spec }) => {
          const { template } = spec as { template: { metadata: { annotations?: Record<string, string> } } }
          return [metadata.name, template.metadata.annotations?.['fedplane.io/cloud-config']]
        }),
      ),
    )
  }

  it('waits until the cluster has the new one, then starts anew what reads it, and nothing else', async () => {
    expect(await restartAddons?.ensure(life.context())).toMatchObject({
      done: false,
      waitingFor: 'Cluster API to hand Secret kube-system/cloud-config over to the cluster',
    })
    expect(await marks()).toStrictEqual({ occm: undefined, csi: undefined, other: undefined })
    await handOver()
    expect(await restartAddons?.ensure(life.context())).toMatchObject({ done: true })
    const first = await marks()
    expect(first).toStrictEqual({ occm: expect.stringMatching(/^[0-9a-f]{16}$/), csi: first.occm, other: undefined })

    const generations = async () =>
      (await inside.list(apps('daemonsets'))).items.map(({ metadata }) => metadata.resourceVersion)
    const before = await generations()
    expect(await restartAddons?.ensure(life.context())).toMatchObject({ done: true })
    expect(await generations()).toStrictEqual(before)
  })

  it('takes what no API server says for what it is', async () => {
    await handOver()
    const context = life.context()
    const connect: typeof context.connect = (connection) => {
      const real = context.connect(connection)
      const list: KubernetesClient['list'] = async (...asked) => {
        const { items, ...page } = await real.list(...asked)
        return { ...page, items: items.map((object) => ({ ...object, spec: { template: 'none' } })) }
      }
      return { ...real, list }
    }
    await expect(restartAddons?.ensure({ ...context, connect })).rejects.toMatchObject({ name: 'NotKubernetes' })
  })

  it('asks nothing of a cluster that is not up, which the new credential may help; of one that was it does', async () => {
    const { endpoint, identity } = life.cluster
    life.cluster = { ...life.cluster, identity: null }
    expect(await restartAddons?.ensure(life.context())).toMatchObject({ done: true })
    await lab.stop()
    expect(await restartAddons?.ensure(life.context())).toMatchObject({ done: true })
    life.cluster = { ...life.cluster, endpoint: null }
    expect(await restartAddons?.ensure(life.context())).toMatchObject({ done: true })
    life.cluster = { ...life.cluster, endpoint, identity }
    await expect(restartAddons?.ensure(life.context())).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('does nothing where somebody else brings addons', async () => {
    lab.management.access = managementAccess(lab.site, { infrastructure: 'openstack' })
    expect(await restartAddons?.ensure(life.context())).toMatchObject({ done: true })
    expect((await marks()).occm).toBeUndefined()
  })
})
