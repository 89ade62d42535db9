import { BUILTIN_TEMPLATE } from '../../domain/builtin-template.ts'
import { InvalidRequest, ObjectNotVisible } from '../errors.ts'
import { quote } from '../quote.ts'
import type { CreateCluster } from './cluster.schema.ts'

/** From this minor version on an unknown template is 404, before it 400 (magnum-rest.md 1.4). */
const NOT_FOUND_SINCE = 10

const unknown = (ident: string | null, minor: number): InvalidRequest | ObjectNotVisible => {
  const message = `ClusterTemplate ${ident === null ? 'null' : quote(ident)} could not be found.`
  return minor < NOT_FOUND_SINCE ? new InvalidRequest(message) : new ObjectNotVisible(message)
}

/**
 * The template of a new cluster. A cluster that brings a kubeconfig, or names its driver, needs none and shows the built-in one.
 *
 * @throws InvalidRequest, ObjectNotVisible
 */
export const templateIdOf = (body: CreateCluster, minor: number): string => {
  const ident = body.cluster_template_id
  const needsNone = body.kubeconfig !== undefined || body.driver !== undefined
  if (needsNone && (ident === undefined || ident === null)) return BUILTIN_TEMPLATE.id
  if (ident === undefined) {
    throw new InvalidRequest(
      'A "kubeconfig" is missing: it is what registers a cluster. Give the text of the file, or the same as a JSON object; "cluster_template_id" is not needed then.',
    )
  }
  if (ident !== BUILTIN_TEMPLATE.id && ident !== BUILTIN_TEMPLATE.name) throw unknown(ident, minor)
  return BUILTIN_TEMPLATE.id
}
