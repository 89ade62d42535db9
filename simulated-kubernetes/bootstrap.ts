import { randomUUID } from 'node:crypto'
import { STORAGE_CLASSES } from './builtin/claim.ts'
import type { Cluster } from './cluster.ts'
import { VERSION } from './discovery.ts'
import type { Fields } from './objects.ts'
import type { ApiObject } from './types.ts'

type Collection = { group: string; plural: string }
type Identity = { apiVersion?: string; kind: string; name: string; namespace?: string; labels?: Record<string, string> }

const RBAC = 'rbac.authorization.k8s.io'

/** Puts an object there as the system itself would: no checks, no owner of fields. */
export const createInNamespace = (
  cluster: Cluster,
  collection: Collection,
  { apiVersion = 'v1', kind, name, namespace, labels }: Identity,
  fields: Fields = {},
): ApiObject => {
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    uid: randomUUID(),
    creationTimestamp: cluster.timestamp(),
  }
  return cluster.store.put(collection, { object: { apiVersion, kind, metadata, ...fields }, ownership: new Map() })
}

const CORE_READABLE = [
  'configmaps',
  'events',
  'namespaces',
  'persistentvolumeclaims',
  'pods',
  'serviceaccounts',
  'services',
]
const EDITABLE = ['configmaps', 'events', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services']
const WORKLOADS = ['deployments', 'replicasets', 'statefulsets']
const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update']
const ROLES = ['roles', 'rolebindings']

const rule = (resources: string[], verbs: string[], group = '') => ({ apiGroups: [group], resources, verbs })

const VIEW = [rule(CORE_READABLE, READ), rule(WORKLOADS, READ, 'apps')]
const EDIT = [
  ...VIEW,
  rule(['secrets'], READ),
  rule(EDITABLE, WRITE),
  rule(WORKLOADS, WRITE, 'apps'),
  rule(['serviceaccounts/token'], ['create']),
]

/** The default roles, cut to the resources that are simulated. Rules as in Kubernetes 1.36: `view` reads no Secrets and no Nodes. */
const CLUSTER_ROLES: Readonly<Record<string, object[]>> = {
  'cluster-admin': [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
  view: VIEW,
  edit: EDIT,
  admin: [...EDIT, rule(ROLES, [...READ, ...WRITE], RBAC)],
  'system:basic-user': [
    rule(['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create'], 'authorization.k8s.io'),
    rule(['selfsubjectreviews'], ['create'], 'authentication.k8s.io'),
  ],
  'system:discovery': [
    {
      nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/readyz', '/version'],
      verbs: ['get'],
    },
  ],
  'system:public-info-viewer': [{ nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version'], verbs: ['get'] }],
}

const CLUSTER_ROLE_BINDINGS: readonly [role: string, ...groups: string[]][] = [
  ['cluster-admin', 'system:masters'],
  ['system:basic-user', 'system:authenticated'],
  ['system:discovery', 'system:authenticated'],
  ['system:public-info-viewer', 'system:authenticated', 'system:unauthenticated'],
]

const bootstrapRbac = (cluster: Cluster): void => {
  const apiVersion = `${RBAC}/v1`
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
  for (const [name, rules] of Object.entries(CLUSTER_ROLES)) {
    createInNamespace(
      cluster,
      { group: RBAC, plural: 'clusterroles' },
      { apiVersion, kind: 'ClusterRole', name, labels },
      { rules },
    )
  }
  for (const [name, ...groups] of CLUSTER_ROLE_BINDINGS) {
    const subjects = groups.map((group) => ({ kind: 'Group', apiGroup: RBAC, name: group }))
    const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name }
    const identity = { apiVersion, kind: 'ClusterRoleBinding', name, labels }
    createInNamespace(cluster, { group: RBAC, plural: 'clusterrolebindings' }, identity, { roleRef, subjects })
  }
}

const node = (cluster: Cluster, index: number): void => {
  const isControlPlane = index === 1
  const labels = {
    'kubernetes.io/hostname': `simulated-node-${index}`,
    ...(isControlPlane ? { 'node-role.kubernetes.io/control-plane': '' } : {}),
  }
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'simulated' }
  createInNamespace(
    cluster,
    { group: '', plural: 'nodes' },
    { kind: 'Node', name: `simulated-node-${index}`, labels },
    {
      spec: {},
      status: {
        conditions: [ready],
        addresses: [
          { type: 'InternalIP', address: '127.0.0.1' },
          { type: 'Hostname', address: `simulated-node-${index}` },
        ],
        nodeInfo: { kubeletVersion: VERSION.gitVersion },
      },
    },
  )
}

const storageClass = (cluster: Cluster): void => {
  const identity = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name: 'standard' }
  const made = createInNamespace(cluster, STORAGE_CLASSES, identity, {
    provisioner: 'simulated',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
  cluster.store.put(STORAGE_CLASSES, {
    object: { ...made, metadata: { ...made.metadata, annotations } },
    ownership: new Map(),
  })
}

export type Equipment = {
  /** How many, of which the first is the control plane. */
  nodes: number
  /** StorageClass `standard`, the default one. */
  storageClass: boolean
}

/** Fills a new cluster with what a real one has from its first minute. */
export const bootstrap = (cluster: Cluster, equipment: Equipment): void => {
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
    const identity = { kind: 'Namespace', name, labels: { 'kubernetes.io/metadata.name': name } }
    const fields = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }
    createInNamespace(cluster, { group: '', plural: 'namespaces' }, identity, fields)
  }
  bootstrapRbac(cluster)
  for (let index = 1; index <= equipment.nodes; index += 1) node(cluster, index)
  if (equipment.storageClass) storageClass(cluster)
}
