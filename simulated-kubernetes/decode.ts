import { parse as parseYaml } from 'yaml'
import { topFieldsOf } from './builtin-resources.ts'
import { type Fields, isFields } from './objects.ts'
import { prune } from './schema.ts'
import { badRequest, undeclaredField, unsupportedMediaType } from './status.ts'
import { type ApiObject, type ApiRequest, apiVersionOf, type ResourceType, type Target } from './types.ts'

const OBJECT_TYPES = ['application/json', 'application/yaml']

/** The body as a JSON object. Empty text gives `{}`. @throws StatusError 400 */
export const parseFields = (body: string, contentType: string, kind: string): Fields => {
  if (body === '') return {}
  const unrecognized = `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error`
  let value: unknown
  try {
    // JSON is YAML, and so much faster to read that large definitions make a difference.
    value = contentType.endsWith('yaml') && !body.startsWith('{') ? parseYaml(body) : JSON.parse(body)
  } catch {
    throw badRequest(unrecognized)
  }
  if (!isFields(value)) throw badRequest(unrecognized)
  return value
}

/** `application/json; charset=utf-8` → `application/json`; JSON when the caller names none. */
export const mediaType = (contentType: string): string =>
  contentType === '' ? 'application/json' : (contentType.split(';')[0] ?? '').trim().toLowerCase()

const checkKind = (fields: Fields, type: ResourceType): void => {
  const { kind, apiVersion } = fields
  const wanted = apiVersionOf(type)
  if ((kind ?? type.kind) === type.kind && (apiVersion ?? wanted) === wanted) return
  const version = typeof apiVersion === 'string' ? (apiVersion.split('/').at(-1) ?? '') : type.version
  throw badRequest(
    `${String(kind ?? type.kind)} in version "${version}" cannot be handled as a ${type.kind}: the object's apiVersion and kind are not those of the URL`,
  )
}

const split = (fields: Fields, type: ResourceType): { kept: Fields; gone: string[] } => {
  const gone: string[] = []
  if (type.strict) return { kept: prune(fields, type.schema, gone) as Fields, gone }
  const known = topFieldsOf(type.kind)
  const kept = Object.entries(fields).filter(([key]) => known.has(key))
  return { kept: Object.fromEntries(kept), gone: Object.keys(fields).filter((key) => !known.has(key)) }
}

/** Without the fields that the kind does not have. With `fieldValidation=Strict` they are refused. @throws StatusError 400 */
export const dropUnknown = (fields: Fields, type: ResourceType, query: URLSearchParams): Fields => {
  const { kept, gone } = split(fields, type)
  if (gone.length === 0 || query.get('fieldValidation') !== 'Strict') return kept
  const faults = gone.map((field) => `unknown field "${field}"`).join(', ')
  const { kind, version } = type
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${faults}`)
}

/** The fields of a server-side apply, all of which the kind must have, strict or not. @throws StatusError 500 */
export const declared = (fields: Fields, type: ResourceType): Fields => {
  const { kept, gone } = split(fields, type)
  const { name = '', namespace = '' } = (fields.metadata ?? {}) as { name?: string; namespace?: string }
  if (gone.length > 0) throw undeclaredField(`${namespace}/${name}; ${typeName(type)}`, gone)
  return kept
}

/** `/v1, Kind=ConfigMap`, `example.test/v1, Kind=Thing`: how Go prints a kind. */
const typeName = ({ group, version, kind }: ResourceType): string => `${group}/${version}, Kind=${kind}`

/** Gives an object its kind, version and namespace, and holds it to the URL. @throws StatusError 400 */
export const toObject = (fields: Fields, type: ResourceType, target: Target): ApiObject => {
  checkKind(fields, type)
  const metadata: Fields = isFields(fields.metadata) ? fields.metadata : {}
  const { namespace, name } = metadata
  if (target.namespace !== undefined && namespace !== undefined && namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (target.name !== undefined && name !== undefined && name !== target.name) {
    throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${target.name})`)
  }
  const { managedFields: _ours, namespace: _namespace, ...rest } = metadata
  return {
    ...fields,
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      ...rest,
      name: String(name ?? target.name ?? ''),
      ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    },
  }
}

/** The object in the body of a create or update. @throws StatusError 400, 415 */
export const decodeObject = (request: ApiRequest, type: ResourceType, target: Target): ApiObject => {
  const contentType = mediaType(request.contentType)
  if (!OBJECT_TYPES.includes(contentType)) throw unsupportedMediaType(OBJECT_TYPES)
  const fields = parseFields(request.body, contentType, type.kind)
  if (type.custom && fields.kind === undefined) {
    throw badRequest(`the object provided is unrecognized (must be of type ${type.kind}): Object 'Kind' is missing`)
  }
  return toObject(dropUnknown(fields, type, request.query), type, target)
}
