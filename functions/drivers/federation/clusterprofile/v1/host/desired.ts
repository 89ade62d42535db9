import type { Access } from '../../../../../kubernetes/access-review.ts'
import { accessTo } from '../../../../support/permissions.ts'
import { PROFILE_GROUP } from '../names.ts'

/** Everything that the driver does in a host, so that nothing is refused half-way (cases/JN-11). */
export const hostWishes = (namespace: string): Access[] => [
  ...accessTo(['get', 'create', 'patch', 'delete'], { group: '', resource: 'namespaces' }),
  ...accessTo(['get', 'create', 'patch'], { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }),
  ...accessTo(['get', 'list', 'create', 'patch', 'delete'], { group: PROFILE_GROUP, resource: 'clusterprofiles' }),
  ...accessTo(['patch'], { group: PROFILE_GROUP, resource: 'clusterprofiles/status' }),
  ...accessTo(['get', 'list', 'create', 'patch', 'delete'], { group: '', resource: 'secrets' }),
  ...accessTo(['get', 'create', 'patch', 'delete'], {
    group: 'rbac.authorization.k8s.io',
    resource: 'roles',
    namespace,
  }),
]

/** Everything that the driver does in a member. Binding a role needs `bind` on it, or all that it allows; the first can be asked. */
export const memberWishes = (namespace: string, role: string): Access[] => [
  ...accessTo(['get', 'create', 'patch', 'delete'], { group: '', resource: 'namespaces' }),
  ...accessTo(['get', 'create', 'patch', 'delete'], { group: '', resource: 'serviceaccounts', namespace }),
  ...accessTo(['create'], { group: '', resource: 'serviceaccounts/token', namespace }),
  ...accessTo(['get', 'list', 'create', 'patch', 'delete'], { group: '', resource: 'secrets', namespace }),
  ...accessTo(['get', 'create', 'patch', 'delete'], {
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterrolebindings',
  }),
  ...accessTo(['bind'], { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: role }),
]
