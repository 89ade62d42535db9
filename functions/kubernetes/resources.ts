import type { Resource } from './client.ts'

/** The REST resources that fedplane uses. */

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' }

export const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces' }
export const nodes: Resource = { group: '', version: 'v1', plural: 'nodes' }
export const serviceAccounts = (namespace: string): Resource => ({
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  namespace,
})
export const secrets = (namespace: string): Resource => ({ group: '', version: 'v1', plural: 'secrets', namespace })
export const clusterRoles: Resource = { ...RBAC, plural: 'clusterroles' }
export const clusterRoleBindings: Resource = { ...RBAC, plural: 'clusterrolebindings' }
export const roles = (namespace: string): Resource => ({ ...RBAC, plural: 'roles', namespace })
export const roleBindings = (namespace: string): Resource => ({ ...RBAC, plural: 'rolebindings', namespace })
export const customResourceDefinitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
}
