import { quote } from '../core/values/wording.ts'
import type { Resource } from './client.ts'
import { ObjectInvalid } from './errors.ts'

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
