import type { Access } from '../../../../../kubernetes/access-review.ts'

const each = (verbs: readonly string[], desired: Omit<Access, 'verb'>): Access[] =>
  verbs.map((verb) => ({ verb, ...desired }))

const KEPT = ['get', 'list', 'create', 'patch', 'delete']

/** Everything that the driver does in a host, so that nothing is refused half-way. */
export const hostWishes = (namespace: string): Access[] => [
  ...each(['get', 'create', 'patch', 'delete'], { group: '', resource: 'namespaces' }),
  ...each(KEPT, { group: '', resource: 'services', namespace }),
  ...each(KEPT, { group: '', resource: 'secrets', namespace }),
  ...each(KEPT, { group: '', resource: 'persistentvolumeclaims', namespace }),
  ...each(KEPT, { group: 'apps', resource: 'deployments', namespace }),
  ...each(KEPT, { group: 'apps', resource: 'statefulsets', namespace }),
  ...each(KEPT, { group: 'policy', resource: 'poddisruptionbudgets', namespace }),
  ...each(['list'], { group: 'apps', resource: 'replicasets', namespace }),
  ...each(['list'], { group: '', resource: 'pods', namespace }),
  // Control planes that can't be reached otherwise; and etcd, when members are added.
  ...each(['create', 'get'], { group: '', resource: 'pods/portforward', namespace }),
]

/** What only makes messages better; without it the driver knows less. */
export const hostHelps = (namespace: string): Access[] => [
  ...each(['list'], { group: '', resource: 'events', namespace }),
  ...each(['list'], { group: '', resource: 'nodes' }),
  ...each(['list'], { group: 'storage.k8s.io', resource: 'storageclasses' }),
]
