import { afterEach, describe, expect, it } from 'vitest'
import { checkManagement } from '../../../../functions/drivers/cluster/capi/v1/management/check-management.ts'
import type { Finding } from '../../../../functions/drivers/contract/federation-driver.ts'
import { startSimulatedKubernetes } from '../../../../local/simulated-kubernetes/start.ts'
import { type CapiLab, managementAccess, openCapiLab } from '../../../support/capi/lab.ts'
import type { CapiOptions } from '../../../support/capi/simulated-capi.ts'
import { testCluster } from '../../../support/drivers/test-cluster.ts'

const ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1' }

describe('checkManagement', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const findings = async (options: CapiOptions, registered = { infrastructure: 'dev' }): Promise<Finding[]> => {
    lab = await openCapiLab(options)
    return checkManagement(managementAccess(lab.site, registered))
  }

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

  it('says what is not served', async () => {
    lab = await openCapiLab()
    expect(await checkManagement(lab.management.unfit)).toEqual([
      { severity: 'error', reason: 'ApiVersionMissing', message: expect.stringContaining('cluster.x-k8s.io/v1beta2') },
    ])
  })

  it('says that the infrastructure is unknown', async () => {
    expect(await findings({}, { infrastructure: 'abacus' })).toMatchObject([{ reason: 'InfrastructureUnknown' }])
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
    const found = await checkManagement(managementAccess(reader))
    reader.close()
    expect(found).toEqual([
      {
        severity: 'error',
        reason: 'PermissionDenied',
        message: expect.stringMatching(/patch clusters\.cluster\.x-k8s\.io.*delete machines\.cluster\.x-k8s\.io/s),
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
