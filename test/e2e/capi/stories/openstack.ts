import { beforeAll, describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import type { ClusterDriver, ClusterPhase } from '../../../../functions/drivers/contract/cluster-driver.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { cloudCredential, managementAccess } from '../../../support/capi/lab.ts'
import { type ClusterLab, ClusterLife } from '../../../support/drivers/cluster-life.ts'
import { nodeGroupEntity } from '../../../support/drivers/cluster-samples.ts'
import { testCluster } from '../../../support/drivers/test-cluster.ts'
import type { Management } from '../support/management.ts'
import { installOpenStack } from '../support/openstack-definitions.ts'
import { openRealLab } from '../support/real-lab.ts'

const CORE = { group: 'cluster.x-k8s.io', version: 'v1beta2' }
const INFRASTRUCTURE = { group: 'infrastructure.cluster.x-k8s.io', version: 'v1beta1' }
const NAMESPACE = 'fedplane-local'

const isSaid = ({ id }: ClusterPhase): boolean => !['machines', 'identify', 'settle'].includes(id)

/** The driver without what waits for machines: there is nobody who makes them. */
const saying: ClusterDriver = {
  ...capiV1,
  phases: {
    ...capiV1.phases,
    create: capiV1.phases.create.filter(isSaid),
    update: Object.fromEntries(
      Object.entries(capiV1.phases.update).map(([kind, plan]) => [kind, (plan ?? []).filter(isSaid)]),
    ),
  },
}

type Condition = { type: string; status: string; message: string }

/** What the real topology controller makes of a class and its variables has to pass CAPO's own definitions. */
export const describeOpenStack = (
  world: () => { management: Management; bare: Parameters<typeof openRealLab>[1] },
): void => {
  describe.concurrent('a cluster of capi@1 on OpenStack', () => {
    let lab: ClusterLab & { close(): Promise<void> }

    beforeAll(async () => {
      const { management, bare } = world()
      await installOpenStack(management.admin)
      const real = await openRealLab(management.cluster, bare)
      const site = await testCluster('management', management.cluster.kubeconfig, management.cluster.context)
      const access = managementAccess(site, { infrastructure: 'openstack' })
      lab = {
        ...real,
        management: { access, unfit: access, cloudCredential },
        close: async () => {
          site.close()
          await real.close()
        },
      }
    }, 120_000)

    const listed = async (plural: string, where: { group: string; version: string }, life: ClusterLife) => {
      const names = life.cluster.driverState['capi-names'] as { cluster: string }
      const labelSelector = `cluster.x-k8s.io/cluster-name=${names.cluster}`
      const { items } = await world().management.admin.list(
        { ...where, plural, namespace: NAMESPACE },
        { labelSelector },
      )
      return items
    }

    const topologyCondition = async (life: ClusterLife): Promise<string> => {
      const names = life.cluster.driverState['capi-names'] as { cluster: string }
      const object = await world().management.admin.get(
        { ...CORE, plural: 'clusters', namespace: NAMESPACE },
        names.cluster,
      )
      const { conditions = [] } = (object?.status ?? {}) as { conditions?: Condition[] }
      const found = conditions.find(({ type }) => type === 'TopologyReconciled')
      return `${found?.status} ${found?.message}`.trim()
    }

    it('is a management cluster for it', { concurrent: false }, async () => {
      const found = await capiV1.checkManagement?.(lab.management?.access as never)
      // As Cluster API comes: the gate of Ignition is off.
      expect(found).toMatchObject([{ severity: 'warning', reason: 'IgnitionRefused' }])
    })

    it('is tried out with its machines, which is what refuses Flatcar there', { concurrent: false }, async ({
      expect,
    }) => {
      const life = new ClusterLife(capiV1, lab)
      const refusal = () =>
        capiV1.preview?.(life.context()).then(
          () => 'none',
          ({ name }: Error) => name,
        )
      // ClassNotReady (503) says that Cluster API was too slow to know the class: on a busy machine that may be so once.
      await expect.poll(refusal, { timeout: 240_000, interval: 1000 }).not.toBe('ClassNotReady')
      expect(await refusal()).toBe('none')
      const { template } = life
      life.template = template && { ...template, spec: { ...template.spec, clusterDistro: 'flatcar' } }
      await expect(capiV1.preview?.(life.context())).rejects.toMatchObject({
        name: 'ChangeRefused',
        message: expect.stringContaining('KubeadmBootstrapFormatIgnition'),
      })
    })

    it('is taken by the definitions of CAPO as a whole, and as it is changed', { concurrent: false }, async ({
      expect,
    }) => {
      const life = new ClusterLife(saying, lab)
      // From the begin: Cluster API makes no further group before the control plane is up.
      const extra = { number: 3, nodeCount: 2, flavorId: 'm1.tiny', imageId: 'image' }
      life.nodeGroups = [...life.nodeGroups, nodeGroupEntity('extra', extra)]
      await life.create()
      await expect.poll(() => topologyCondition(life), { timeout: 240_000, interval: 500 }).toBe('True')
      const [cluster] = await listed('openstackclusters', INFRASTRUCTURE, life)
      expect(cluster?.spec).toMatchObject({
        identityRef: { name: expect.stringMatching(/-cloud-config$/) },
        managedSubnets: [{ cidr: '10.0.0.0/24', dnsNameservers: ['192.0.2.53'] }],
      })
      const templates = await listed('openstackmachinetemplates', INFRASTRUCTURE, life)
      const flavors = (templates as (KubernetesObject & { spec: { template: { spec: { flavor: string } } } })[]).map(
        ({ spec }) => spec.template.spec.flavor,
      )
      expect(flavors.toSorted()).toEqual(['m1.large', 'm1.medium', 'm1.tiny'])

      await life.removeGroup('extra')
      const deployments = async () => (await listed('machinedeployments', CORE, life)).length
      await expect.poll(deployments, { timeout: 240_000, interval: 500 }).toBe(1)

      await life.delete()
      expect(await listed('openstackclusters', INFRASTRUCTURE, life)).toEqual([])
    })
  })
}
