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

/** Defaults and checks of a new or changed object. @throws StatusError 400, 422 */
export const admit = (type: ResourceType, object: ApiObject, before?: ApiObject): ApiObject => {
  const defaulted = type.custom
    ? (withDefaults(object, type.schema) as ApiObject)
    : (DEFAULTS[type.kind]?.(object) ?? object)
  validate(type, defaulted, before)
  const faults = type.custom ? customFaults(type, defaulted) : []
  if (faults.length > 0) throw invalid(type, defaulted.metadata.name, faults)
  return before === undefined && !type.custom ? (FIRST[type.kind]?.(defaulted) ?? defaulted) : defaulted
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
