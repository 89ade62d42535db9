import type { Access } from '../../../../../kubernetes/access-review.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { ObjectConflict, ObjectInvalid, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { resourcePath } from '../../../../../kubernetes/resource-path.ts'
import type { ManagementAccess } from '../../../../contract/cluster-driver.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { attempt, errorFinding, permissionFindings } from '../../../../support/findings.ts'
import { INFRASTRUCTURES, type Infrastructure, infrastructureOf } from '../infrastructure.ts'
import { clusterResourceSets } from '../render/addon-objects.ts'
import { managementObjects } from '../render/class-objects.ts'
import { clusters } from './resources.ts'

/** There always is one, and dry runs leave nothing in it. */
const NAMESPACE = 'default'

type Made = ReturnType<typeof managementObjects>[number]
type ResourceKey = Pick<Made['resource'], 'group' | 'plural'>

const accessTo = ({ group, plural }: ResourceKey, ...verbs: readonly string[]): Access[] =>
  verbs.map((verb) => ({ verb, group, resource: plural }))

const CORE = { group: 'cluster.x-k8s.io' }

/** Everything that the driver does in a management cluster. */
const neededAccess = (objects: readonly Made[], infrastructure: Infrastructure): Access[] => [
  ...accessTo({ group: '', plural: 'namespaces' }, 'get', 'create'),
  ...accessTo({ group: '', plural: 'secrets' }, 'get', 'list', 'create', 'patch', 'delete'),
  ...objects.flatMap(({ resource }) => accessTo(resource, 'get', 'create')),
  ...accessTo({ ...CORE, plural: 'clusters' }, 'get', 'create', 'patch', 'delete'),
  ...accessTo({ ...CORE, plural: 'machinedeployments' }, 'list', 'patch'),
  ...accessTo({ ...CORE, plural: 'machines' }, 'list', 'patch', 'delete'),
  ...accessTo({ group: 'controlplane.cluster.x-k8s.io', plural: 'kubeadmcontrolplanes' }, 'list'),
  ...(infrastructure === 'openstack'
    ? accessTo(clusterResourceSets(NAMESPACE), 'get', 'list', 'create', 'patch', 'delete')
    : []),
]

const unserved = async (client: KubernetesClient, groupVersion: string): Promise<boolean> =>
  (await client.raw(`/apis/${groupVersion}`)).status === 404

/** API versions that are not served: Cluster API, or its provider, is missing or too old. */
const versionFindings = async (client: KubernetesClient, objects: readonly Made[]): Promise<Finding[]> => {
  const wanted = [...new Set(objects.map(({ object }) => object.apiVersion))]
  const missing: string[] = []
  for (const groupVersion of wanted) if (await unserved(client, groupVersion)) missing.push(groupVersion)
  if (missing.length === 0) return []
  return [
    errorFinding(
      'ApiVersionMissing',
      `The API server does not serve ${missing.join(', ')}. Install Cluster API 1.11 or newer with its kubeadm providers and the infrastructure provider, or upgrade them.`,
    ),
  ]
}

/** What admission says to an object in a dry run; undefined when it takes it. That one of the name is there says that it was taken once. */
const refusalOf = async (client: KubernetesClient, { resource, object }: Made): Promise<string | undefined> => {
  const path = `${resourcePath({ ...resource, namespace: NAMESPACE })}?dryRun=All&fieldValidation=Strict`
  try {
    await client.post(path, { ...object, metadata: { ...object.metadata, namespace: NAMESPACE } })
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

const checks = (
  client: KubernetesClient,
  where: string,
  infrastructure: Infrastructure,
  objects = managementObjects(infrastructure, NAMESPACE),
) => [
  () => permissionFindings(client, where, neededAccess(objects, infrastructure)),
  () => versionFindings(client, objects),
  () => classFindings(client, objects),
  () => webhookFindings(client),
]

const findingsFor = async (
  { cluster, client: open }: ManagementAccess,
  infrastructure: Infrastructure,
): Promise<Finding[]> => {
  const client = await open()
  // What is found first explains what would be found after it.
  for (const check of checks(client, `cluster ${cluster.name}`, infrastructure)) {
    const found = await check()
    if (found.length > 0) return found
  }
  return []
}

/** What keeps a cluster from making others: rights, API versions, the class that clusters are made from, and admission webhooks. Changes nothing. */
export const checkManagement = async (access: ManagementAccess): Promise<Finding[]> => {
  const infrastructure = infrastructureOf(access.options)
  if (infrastructure === undefined) {
    return [errorFinding('InfrastructureUnknown', `Give infrastructure as one of ${INFRASTRUCTURES.join(', ')}.`)]
  }
  return attempt(() => findingsFor(access, infrastructure))
}
