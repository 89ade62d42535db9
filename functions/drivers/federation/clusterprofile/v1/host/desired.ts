import type { Access } from '../../../../../kubernetes/access-review.ts'
import { PROFILE_GROUP } from '../names.ts'

const each = (verbs: readonly string[], desired: Omit<Access, 'verb'>): Access[] =>
  verbs.map((verb) => ({ verb, ...desired }))

/** Everything that the driver does in a host, so that nothing is refused half-way (cases/JN-11). */
export const hostWishes = (namespace: string): Access[] => [
  ...each(['get', 'create', 'patch', 'delete'], { group: '', resource: 'namespaces' }),
  ...each(['get', 'create', 'patch'], { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }),
  ...each(['get', 'list', 'create', 'patch', 'delete'], { group: PROFILE_GROUP, resource: 'clusterprofiles' }),
  ...each(['patch'], { group: PROFILE_GROUP, resource: 'clusterprofiles/status' }),
  ...each(['get', 'list', 'create', 'patch', 'delete'], { group: '', resource: 'secrets' }),
  ...each(['get', 'create', 'patch', 'delete'], { group: 'rbac.authorization.k8s.io', resource: 'roles', namespace }),
]

/** Everything that the driver does in a member. Binding a role needs `bind` on it, or all that it allows; the first can be asked. */
export const memberWishes = (namespace: string, role: string): Access[] => [
  ...each(['get', 'create', 'patch', 'delete'], { group: '', resource: 'namespaces' }),
  ...each(['get', 'create', 'patch', 'delete'], { group: '', resource: 'serviceaccounts', namespace }),
  ...each(['create'], { group: '', resource: 'serviceaccounts/token', namespace }),
  ...each(['get', 'list', 'create', 'patch', 'delete'], { group: '', resource: 'secrets', namespace }),
  ...each(['get', 'create', 'patch', 'delete'], {
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterrolebindings',
  }),
  ...each(['bind'], { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: role }),
]
