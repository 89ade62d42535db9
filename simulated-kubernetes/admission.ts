import { admitClaim } from './builtin/claim.ts'
import { admitService } from './builtin/service.ts'
import type { Cluster } from './cluster.ts'
import { without } from './objects.ts'
import { CRDS, type CrdSpec } from './resource-types.ts'
import { checkSchema, withDefaults } from './schema.ts'
import { definitionTerminating, invalid, namespaceTerminating, notFound } from './status.ts'
import type { ApiObject, ResourceType } from './types.ts'
import { normaliseSecret, validate } from './validate.ts'

const NAMESPACES = { group: '', plural: 'namespaces', kind: 'Namespace' }

const namespaceDefaults = (object: ApiObject): ApiObject => {
  const { name, labels } = object.metadata
  return { ...object, metadata: { ...object.metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } } }
}

const crdDefaults = (object: ApiObject): ApiObject => {
  const spec = object.spec as CrdSpec | undefined
  if (spec?.names?.kind === undefined) return object
  const { kind } = spec.names
  const names = { singular: kind.toLowerCase(), listKind: `${kind}List`, ...spec.names }
  return { ...object, spec: { conversion: { strategy: 'None' }, ...spec, names } }
}

const DEFAULTS: Readonly<Record<string, (object: ApiObject) => ApiObject>> = {
  Namespace: namespaceDefaults,
  Secret: normaliseSecret,
  CustomResourceDefinition: crdDefaults,
}

/** What a kind has from its first moment, beyond what the caller may say. */
const FIRST: Readonly<Record<string, (object: ApiObject) => ApiObject>> = {
  Namespace: (object) => ({ ...object, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
}

const customFaults = (type: ResourceType, object: ApiObject) =>
  checkSchema(without(object, 'apiVersion', 'kind', 'metadata'), {
    ...type.schema,
    required: (type.schema.required ?? []).filter((field) => !['apiVersion', 'kind', 'metadata'].includes(field)),
  })

const withKindDefaults = (type: ResourceType, object: ApiObject): ApiObject => {
  const filled = type.strict ? (withDefaults(object, type.schema) as ApiObject) : object
  return type.custom ? filled : (DEFAULTS[type.kind]?.(filled) ?? filled)
}

/** What a write comes upon. */
export type Change = { before?: ApiObject; isDryRun: boolean }

/** What the API server adds that depends on what else is there. @throws StatusError 422 */
const allocate = (cluster: Cluster, type: ResourceType, object: ApiObject, change: Change): ApiObject => {
  const { before } = change
  if (type.custom) return type.admit?.(object, before) ?? object
  if (type.kind === 'Service') return admitService(cluster, type, object, change.isDryRun)
  if (type.kind === 'PersistentVolumeClaim') return admitClaim(cluster, object, before)
  return before === undefined ? (FIRST[type.kind]?.(object) ?? object) : object
}

/** Defaults and checks of a new or changed object. @throws StatusError 400, 422 */
export const admit = (cluster: Cluster, type: ResourceType, object: ApiObject, change: Change): ApiObject => {
  const { before } = change
  const defaulted = withKindDefaults(type, object)
  validate(type, defaulted, before)
  const faults = type.custom ? customFaults(type, defaulted) : []
  if (faults.length > 0) throw invalid(type, defaulted.metadata.name, faults)
  return allocate(cluster, type, defaulted, change)
}

/** Nothing is changed in a namespace that is not there. @throws StatusError 404 */
export const requireNamespace = (cluster: Cluster, { metadata: { namespace } }: ApiObject): void => {
  if (namespace !== undefined && cluster.store.get(NAMESPACES, namespace) === undefined) {
    throw notFound(NAMESPACES, namespace)
  }
}

/** Nothing is made in a namespace that is not there (404) or on its way out (403). @throws StatusError */
export const checkNamespace = (cluster: Cluster, type: ResourceType, object: ApiObject): void => {
  const { namespace, name } = object.metadata
  if (namespace === undefined) return
  const found = cluster.store.get(NAMESPACES, namespace)?.object
  if (found === undefined) throw notFound(NAMESPACES, namespace)
  if (found.metadata.deletionTimestamp !== undefined) throw namespaceTerminating(type, name, namespace)
}

/** No custom resource is made while its definition is on its way out. @throws StatusError 403 */
export const checkDefinition = (cluster: Cluster, type: ResourceType, { metadata }: ApiObject): void => {
  if (!type.custom) return
  const definition = cluster.store.get(CRDS, `${type.plural}.${type.group}`)?.object
  if (definition?.metadata.deletionTimestamp !== undefined) throw definitionTerminating(type, metadata.name)
}
