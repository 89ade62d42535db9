import type { AuthorityType } from '../../../functions/core/cluster/cluster.ts'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { ManagementAccess } from '../../../functions/drivers/contract/cluster-driver.ts'
import type { PlannedCluster } from '../../../functions/drivers/contract/cluster-driver-description.ts'
import { newAuthority } from '../../../functions/x509/new-authority.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import type { CallBudget } from '../drivers/call-budget.ts'
import type { ClusterLab, MakingLab } from '../drivers/cluster-life.ts'
import { defaultGroups, templateEntity } from '../drivers/cluster-samples.ts'
import { connect, type TestCluster, testCluster } from '../drivers/test-cluster.ts'
import { type CapiOptions, SimulatedCapi } from './simulated-capi.ts'

type Authority = { certificatePem: string; privateKey: Secret }

const authorities = new Map<string, Promise<Authority>>()

/** Authorities as fedplane makes them, each kind once for all tests: a key of RSA takes its time. */
export const labAuthority = (type: AuthorityType, generation: number): Promise<Authority> => {
  const key = `${type} ${generation}`
  const made = authorities.get(key) ?? newAuthority(`capi ${key}`, new Date(), 'rsa')
  authorities.set(key, made)
  return made
}

const labelled = (plan: PlannedCluster, label: string, value: string): PlannedCluster => ({
  ...plan,
  cluster: { ...plan.cluster, magnum: { ...plan.cluster.magnum, labels: { [label]: value } } },
})

/** A template for any infrastructure. */
const templateOf = (version: string): ClusterTemplate => {
  const { spec, ...template } = templateEntity({ kube_tag: version }, { driver: 'capi@1' })
  return {
    ...template,
    spec: {
      ...spec,
      flavorId: 'm1.large',
      masterFlavorId: 'm1.medium',
      externalNetworkId: 'public',
      networkDriver: 'calico',
      dnsNameserver: '192.0.2.53',
      masterLbEnabled: true,
    },
  }
}

const CLOUD_SECRET = 'the secret of the application credential'

/** As the API stores it. */
export const cloudCredential = async (): Promise<Secret> =>
  new Secret(
    JSON.stringify({
      authUrl: 'https://keystone.example.org/v3',
      region: 'north',
      applicationCredentialId: 'credential',
      applicationCredentialSecret: CLOUD_SECRET,
      caPem: null,
    }),
  )

/** What the contract suite needs of a driver that makes nodes. */
export const capiMaking = (): MakingLab => ({
  template: templateOf('v1.35.2'),
  newer: templateOf('v1.36.1'),
  faulty: [
    (plan) => labelled(plan, 'kube_tag', 'latest'),
    (plan) => labelled(plan, 'service_cluster_ip_range', 'everywhere'),
    (plan) => ({ ...plan, nodeGroups: defaultGroups(plan.cluster.id, { masters: 2 }) }),
  ],
  authority: labAuthority,
})

export const managementAccess = (
  { cluster, access }: TestCluster,
  options: Record<string, string> = { infrastructure: 'dev' },
  budget?: CallBudget,
): ManagementAccess => ({ ...access(budget), cluster, options })

export type CapiLab = ClusterLab & {
  capi: SimulatedCapi
  server: SimulatedKubernetes
  management: NonNullable<ClusterLab['management']>
  making: MakingLab
  /** The management cluster with its administrator's client. */
  site: TestCluster
  close(): Promise<void>
}

/** A simulated management cluster with simulated Cluster API. */
export const openCapiLab = async (options: CapiOptions & { infrastructure?: string } = {}): Promise<CapiLab> => {
  const { infrastructure = 'dev', ...play } = options
  const [server, bare] = await Promise.all([startSimulatedKubernetes(), startSimulatedKubernetes()])
  const capi = new SimulatedCapi(server, play)
  await capi.served()
  const [site, other] = await Promise.all([
    testCluster('management', server.kubeconfig),
    testCluster('bare', bare.kubeconfig),
  ])
  const keys = await Promise.all((['kubernetes', 'etcd', 'front-proxy'] as const).map((type) => labAuthority(type, 1)))
  return {
    capi,
    server,
    site,
    credential: async () => undefined,
    connect,
    secrets: [server.token, CLOUD_SECRET, ...keys.map(({ privateKey }) => privateKey.reveal().split('\n')[1] ?? '')],
    tellsVersion: false,
    stop: () => capi.stopWorkloads(),
    making: capiMaking(),
    management: {
      access: managementAccess(site, { infrastructure }),
      unfit: managementAccess(other, { infrastructure }),
      cloudCredential: async () => (infrastructure === 'openstack' ? cloudCredential() : undefined),
    },
    close: async () => {
      await capi.close()
      for (const { close } of [site, other]) close()
      await Promise.all([server.close(), bare.close()])
    },
  }
}
