import { afterEach, describe, expect, it } from 'vitest'
import { checkManagement } from '../../../../functions/drivers/cluster/capi/v1/management/check-management.ts'
import type { Finding } from '../../../../functions/drivers/contract/federation-driver.ts'
import { ApiUnavailable } from '../../../../functions/kubernetes/errors.ts'
import { customResourceDefinitions, namespaces } from '../../../../functions/kubernetes/resources.ts'
import { startSimulatedKubernetes } from '../../../../simulated-kubernetes/start.ts'
import { type CapiLab, managementAccess, openCapiLab } from '../../../support/capi/lab.ts'
import type { CapiOptions } from '../../../support/capi/simulated-capi.ts'
import { testCluster } from '../../../support/drivers/test-cluster.ts'

const ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1' }

/** Of the group and version of CAPO, as Cluster API's development provider has some. */
const otherKind = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'dockerclusters.infrastructure.cluster.x-k8s.io' },
  spec: {
    group: 'infrastructure.cluster.x-k8s.io',
    scope: 'Namespaced',
    names: {
      kind: 'DockerCluster',
      plural: 'dockerclusters',
      singular: 'dockercluster',
      listKind: 'DockerClusterList',
    },
    versions: [{ name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

describe('checkManagement', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const findings = async (options: CapiOptions, registered = { infrastructure: 'dev' }): Promise<Finding[]> => {
    lab = await openCapiLab(options)
    return checkManagement(managementAccess(lab.site, registered))
  }

  const put = (name: string, annotations: Record<string, string> = {}) =>
    lab.site.admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } })

  it.each(['dev', 'openstack'])(
    'finds nothing where Cluster API is whole, and makes nothing (%s)',
    async (infrastructure) => {
      lab = await openCapiLab()
      const { revision } = lab.server.cluster.store
      expect(await checkManagement(managementAccess(lab.site, { infrastructure }))).toEqual([])
      expect(lab.server.cluster.store.revision).toBe(revision)
    },
  )

  it.each<[string, string, CapiOptions]>([
    ['ClusterClassRefused', 'ClusterTopology', { topologyGate: false }],
    ['WebhooksMissing', 'clusterctl', { webhooks: false }],
  ])('says %s', async (reason, word, options) => {
    expect(await findings(options)).toEqual([{ severity: 'error', reason, message: expect.stringContaining(word) }])
  })

  it('says that it may look again where it is not answered', async () => {
    lab = await openCapiLab()
    const access = managementAccess(lab.site)
    const client = async () => {
      const real = await access.client()
      return { ...real, post: () => Promise.reject(new ApiUnavailable('failed in the API server (500).')) }
    }
    expect(await checkManagement({ ...access, client })).toEqual([
      { severity: 'error', reason: 'ApiUnavailable', message: expect.any(String), retryable: true },
    ])
  })

  it('says what is not served', async () => {
    lab = await openCapiLab()
    expect(await checkManagement(lab.management.unfit)).toEqual([
      { severity: 'error', reason: 'ApiVersionMissing', message: expect.stringContaining('cluster.x-k8s.io/v1beta2') },
    ])
  })

  it('says that the discovery may not be read, which flows need', async () => {
    lab = await openCapiLab()
    const access = managementAccess(lab.site)
    const client = async () => ({ ...(await access.client()), raw: async () => ({ status: 403, body: '' }) })
    expect(await checkManagement({ ...access, client })).toEqual([
      { severity: 'error', reason: 'PermissionDenied', message: expect.stringContaining('system:discovery') },
    ])
  })

  it('says which provider is missing where others of its group are there', async () => {
    lab = await openCapiLab()
    const { admin } = lab.site
    for (const kind of ['cluster', 'machine']) {
      const name = `openstack${kind}templates.infrastructure.cluster.x-k8s.io`
      await admin.delete(customResourceDefinitions, name)
      await expect.poll(() => admin.get(customResourceDefinitions, name), { timeout: 10_000 }).toBeUndefined()
    }
    await admin.create(customResourceDefinitions, otherKind)
    const access = managementAccess(lab.site, { infrastructure: 'openstack' })
    await expect
      .poll(async () => (await checkManagement(access))[0]?.message, { timeout: 10_000 })
      .toMatch(
        /^The API server does not serve openstackclustertemplates of .*clusterctl init --infrastructure openstack/,
      )
    expect(await checkManagement(managementAccess(lab.site))).toEqual([])
  })

  it('warns where no cluster of Flatcar can be made', async () => {
    expect(await findings({ ignitionGate: false }, { infrastructure: 'openstack' })).toEqual([
      {
        severity: 'warning',
        reason: 'IgnitionRefused',
        message: expect.stringContaining('EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION=true'),
      },
    ])
  })

  it('says that the infrastructure is unknown', async () => {
    expect(await findings({}, { infrastructure: 'abacus' })).toMatchObject([{ reason: 'InfrastructureUnknown' }])
  })

  it("says that the namespace of the classes is somebody else's, until he lends it", async () => {
    lab = await openCapiLab()
    const access = managementAccess(lab.site, { infrastructure: 'dev', namespace_prefix: 'magnum' })
    expect(await checkManagement(access)).toEqual([])
    await put('magnum')
    expect(await checkManagement(access)).toEqual([
      {
        severity: 'error',
        reason: 'NamespaceForeign',
        message: expect.stringMatching(/^Namespace magnum .*fedplane\.io\/holds=classes.*namespace_prefix\.$/),
      },
    ])
    const { admin } = lab.site
    await admin.patch(namespaces, 'magnum', { metadata: { annotations: { 'fedplane.io/holds': 'classes' } } })
    expect(await checkManagement(access)).toEqual([])
  })

  it('says that the namespace of addons is not there', async () => {
    lab = await openCapiLab({})
    const access = managementAccess(lab.site, { infrastructure: 'openstack', addons_namespace: 'addons' })
    expect(await checkManagement(access)).toEqual([
      {
        severity: 'error',
        reason: 'AddonsNamespaceMissing',
        message: expect.stringMatching(
          /^Namespace addons is not in management cluster management.*leave "addons_namespace" out\.$/,
        ),
      },
    ])
    await put('addons')
    expect(await checkManagement(access)).toEqual([])
  })

  it('names the rights that are missing', async () => {
    lab = await openCapiLab()
    const { admin } = lab.site
    await admin.create(
      { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'default' },
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'reader', namespace: 'default' },
      },
    )
    await admin.create(
      { ...ROLES, plural: 'clusterrolebindings' },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'reader' },
        roleRef: { apiGroup: ROLES.group, kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
      },
    )
    const { status } = await admin.post('/api/v1/namespaces/default/serviceaccounts/reader/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    const { token } = status as { token: string }
    const reader = await testCluster('reader', lab.server.kubeconfig.replace(lab.server.token, token))
    const found = await checkManagement(
      managementAccess(reader, { infrastructure: 'openstack', addons_namespace: 'addons' }),
    )
    reader.close()
    expect(found).toEqual([
      {
        severity: 'error',
        reason: 'PermissionDenied',
        message: expect.stringMatching(
          /create namespaces.*create clusterclasses.*patch clusters\.cluster\.x-k8s\.io.*delete machines\.cluster\.x-k8s\.io.*get secrets in namespace addons/s,
        ),
      },
    ])
  })

  it('says that it is out of reach', async () => {
    lab = await openCapiLab()
    const server = await startSimulatedKubernetes()
    const gone = await testCluster('gone', server.kubeconfig)
    await server.close()
    expect(await checkManagement(managementAccess(gone))).toMatchObject([
      { severity: 'error', reason: 'ConnectFailed' },
    ])
    gone.close()
  })
})
