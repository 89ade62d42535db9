import type { Access } from '../../../../../kubernetes/access-review.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { ObjectConflict, ObjectInvalid, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import type { ManagementAccess } from '../../../../contract/cluster-driver.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { attempt, errorFinding, permissionFindings, warningFinding } from '../../../../support/findings.ts'
import { INFRASTRUCTURES, type Infrastructure, infrastructureOf } from '../model/infrastructure.ts'
import { clusters, openStackServers } from '../model/names.ts'
import { clusterResourceSets } from '../render/addons.ts'
import { managementObjects } from '../render/class-objects.ts'
import { namespaceFindings, versionFindings } from './check-served.ts'

/** There always is one, and dry runs leave nothing in it. */
const NAMESPACE = 'default'

type Made = ReturnType<typeof managementObjects>[number]
type ResourceKey = Pick<Made['resource'], 'group' | 'plural'>

const accessTo = ({ group, plural }: ResourceKey, ...verbs: readonly string[]): Access[] =>
  verbs.map((verb) => ({ verb, group, resource: plural }))

/** To the Secrets of addons: named, since a role for other Secrets may leave these out. */
const addonAccess = ({ addons_namespace: namespace }: ManagementAccess['options']): Access[] =>
  namespace === undefined ? [] : [{ verb: 'get', group: '', resource: 'secrets', namespace }]

const CORE = { group: 'cluster.x-k8s.io' }

/** Everything that the driver does in a management cluster. Namespaces of projects come with their first cluster, so it is asked for in all. */
const neededAccess = (objects: readonly Made[], infrastructure: Infrastructure): Access[] => [
  ...accessTo({ group: '', plural: 'namespaces' }, 'get', 'create'),
  ...accessTo({ group: '', plural: 'secrets' }, 'get', 'list', 'create', 'patch', 'delete'),
  ...objects.flatMap(({ resource }) => accessTo(resource, 'get', 'create')),
  ...accessTo({ ...CORE, plural: 'clusters' }, 'get', 'create', 'patch', 'delete'),
  ...accessTo({ ...CORE, plural: 'machinedeployments' }, 'list', 'patch'),
  ...accessTo({ ...CORE, plural: 'machines' }, 'list', 'patch', 'delete'),
  ...accessTo({ group: 'controlplane.cluster.x-k8s.io', plural: 'kubeadmcontrolplanes' }, 'list'),
  ...(infrastructure === 'openstack'
    ? [
        ...accessTo(clusterResourceSets(NAMESPACE), 'get', 'list', 'create', 'patch', 'delete'),
        ...accessTo(openStackServers(NAMESPACE), 'list'),
      ]
    : []),
]

/** What admission says to an object in a dry run; undefined when it takes it. That one of the name is there says that it was taken once. */
const refusalOf = async (client: KubernetesClient, { resource, object }: Made): Promise<string | undefined> => {
  const tried = { ...object, metadata: { ...object.metadata, namespace: NAMESPACE } }
  try {
    await client.create({ ...resource, namespace: NAMESPACE }, tried, { dryRun: true })
    return undefined
  } catch (error) {
    if (error instanceof ObjectConflict) return undefined
    if (error instanceof ObjectInvalid || error instanceof PermissionDenied) return error.message
    throw error
  }
}

/** The class itself, tried out: refused where the feature gate ClusterTopology is off, or by a version with other fields. */
const classFindings = async (client: KubernetesClient, objects: readonly Made[]): Promise<Finding[]> => {
  for (const made of objects) {
    const words = await refusalOf(client, made)
    if (words === undefined) continue
    return [
      errorFinding(
        'ClusterClassRefused',
        `The API server refuses the ${made.object.kind} that clusters are made from. Turn the feature gate ClusterTopology on in all of Cluster API's managers (CLUSTER_TOPOLOGY=true), or install a version that this one of fedplane knows. ${words}`,
      ),
    ]
  }
  return []
}

/** What only the admission webhooks of Cluster API refuse. */
const NONSENSE: Made = {
  resource: clusters(NAMESPACE),
  object: {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'fedplane-check' },
    spec: { topology: { classRef: { name: 'fedplane-check' }, version: 'no-version' } },
  },
}

const webhookFindings = async (client: KubernetesClient): Promise<Finding[]> => {
  if ((await refusalOf(client, NONSENSE)) !== undefined) return []
  return [
    errorFinding(
      'WebhooksMissing',
      "The API server took a Cluster without a valid version in a dry run, so Cluster API's admission webhooks are not there. Install Cluster API whole, for example with clusterctl init.",
    ),
  ]
}

/** Machines of Flatcar boot by Ignition, which Cluster API's kubeadm providers take only with a feature gate. */
const IGNITION: Made = {
  resource: {
    group: 'bootstrap.cluster.x-k8s.io',
    version: 'v1beta2',
    plural: 'kubeadmconfigtemplates',
    namespace: NAMESPACE,
  },
  object: {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfigTemplate',
    metadata: { name: 'fedplane-check' },
    spec: { template: { spec: { format: 'ignition', joinConfiguration: { nodeRegistration: { name: 'check' } } } } },
  },
}

const ignitionFindings = async (client: KubernetesClient, infrastructure: Infrastructure): Promise<Finding[]> => {
  const words = infrastructure === 'openstack' ? await refusalOf(client, IGNITION) : undefined
  if (words === undefined) return []
  return [
    warningFinding(
      'IgnitionRefused',
      `Clusters of Flatcar (cluster_distro flatcar) can't be made: turn the feature gate KubeadmBootstrapFormatIgnition on in the kubeadm bootstrap and control plane providers (EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION=true). ${words}`,
    ),
  ]
}

type Checked = Pick<ManagementAccess, 'options'> & {
  client: KubernetesClient
  /** Name of the cluster. */
  where: string
  infrastructure: Infrastructure
}

const checks = ({ client, where, options, infrastructure }: Checked) => {
  const objects = managementObjects(infrastructure, NAMESPACE)
  const access = [...neededAccess(objects, infrastructure), ...addonAccess(options)]
  const written = [
    ...objects.map(({ resource }) => resource),
    clusters(NAMESPACE),
    ...(infrastructure === 'openstack' ? [clusterResourceSets(NAMESPACE)] : []),
  ]
  return [
    () => permissionFindings(client, `cluster ${where}`, access),
    () => namespaceFindings({ client, where, options }),
    () => versionFindings(client, written, infrastructure),
    () => classFindings(client, objects),
    () => webhookFindings(client),
    () => ignitionFindings(client, infrastructure),
  ]
}

const findingsFor = async (
  { cluster, client: open, options }: ManagementAccess,
  infrastructure: Infrastructure,
): Promise<Finding[]> => {
  const checked = { client: await open(), where: cluster.name, options, infrastructure }
  // What is found first explains what would be found after it.
  for (const check of checks(checked)) {
    const found = await check()
    if (found.length > 0) return found
  }
  return []
}

/** What keeps a cluster from making others: rights, namespaces, API versions, the class that clusters are made from, and admission webhooks. Changes nothing. */
export const checkManagement = async (access: ManagementAccess): Promise<Finding[]> => {
  const infrastructure = infrastructureOf(access.options)
  if (infrastructure === undefined) {
    return [errorFinding('InfrastructureUnknown', `Give infrastructure as one of ${INFRASTRUCTURES.join(', ')}.`)]
  }
  return attempt(() => findingsFor(access, infrastructure))
}
