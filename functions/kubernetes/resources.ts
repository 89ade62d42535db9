import { quote } from '../core/values/wording.ts'
import type { Resource } from './client.ts'
import { ObjectInvalid } from './errors.ts'

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

/**
 * One encoded segment of a path; case is kept, since RBAC names have capitals.
 *
 * @throws ObjectInvalid for names that no object can have: an empty one would address the whole collection
 */
const segment = (name: string): string => {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new ObjectInvalid(`${quote(name)} is not a name of a Kubernetes object.`)
  }
  return encodeURIComponent(name)
}

/** Path of a collection, or of one object and its subresource. @throws ObjectInvalid */
export const resourcePath = ({ group, version, plural, namespace }: Resource, ...names: readonly string[]): string =>
  [
    '',
    ...(group === '' ? ['api'] : ['apis', segment(group)]),
    segment(version),
    ...(namespace === undefined ? [] : ['namespaces', segment(namespace)]),
    segment(plural),
    ...names.map(segment),
  ].join('/')
