import { CHANGE_FAULTS, FAULTS } from './builtin/faults.ts'
import { type Fields, isEqual, isFields } from './objects.ts'
import { badRequest, type FieldFault, invalid } from './status.ts'
import type { ApiObject, ResourceType } from './types.ts'
import { validateCrd } from './validate-crd.ts'

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
const QUALIFIED_NAME = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

const NAME_RULES: Readonly<Record<ResourceType['nameRule'], { ok: (name: string) => boolean; text: string }>> = {
  label: {
    ok: (name) => name.length <= 63 && LABEL.test(name),
    text: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (at most 63)",
  },
  subdomain: {
    ok: (name) => name.length <= 253 && SUBDOMAIN.test(name),
    text: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (at most 253)",
  },
  'path-segment': {
    ok: (name) => name !== '.' && name !== '..' && !/[/%]/.test(name),
    text: "may not be '.' or '..' and may not contain '/' or '%'",
  },
}

const wrong = (field: string, value: unknown, text: string): FieldFault => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${text}`,
})

const nameFaults = (type: ResourceType, name: string): FieldFault[] => {
  const rule = NAME_RULES[type.nameRule]
  return rule.ok(name) ? [] : [wrong('metadata.name', name, rule.text)]
}

const labelFaults = (labels: Record<string, string> = {}): FieldFault[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...(QUALIFIED_NAME.test(key)
      ? []
      : [wrong('metadata.labels', key, 'name part must consist of alphanumeric characters')]),
    ...(LABEL_VALUE.test(value)
      ? []
      : [
          wrong(
            'metadata.labels',
            value,
            'a valid label must be an empty string or consist of alphanumeric characters',
          ),
        ]),
  ])

const required = (field: string): FieldFault => ({ field, reason: 'FieldValueRequired', message: 'Required value' })

const tokenSecretFaults = (object: ApiObject): FieldFault[] => {
  const key = 'kubernetes.io/service-account.name'
  if (object.type !== 'kubernetes.io/service-account-token' || object.metadata.annotations?.[key]) return []
  return [required(`metadata.annotations[${key}]`)]
}

const bindingFaults = (object: ApiObject): FieldFault[] => {
  const { kind = '', name = '' } = (object.roleRef ?? {}) as { kind?: string; name?: string }
  const kinds = object.kind === 'ClusterRoleBinding' ? ['ClusterRole'] : ['Role', 'ClusterRole']
  const supported = kinds.map((allowed) => JSON.stringify(allowed)).join(', ')
  const message = `Unsupported value: ${JSON.stringify(kind)}: supported values: ${supported}`
  return [
    ...(kinds.includes(kind) ? [] : [{ field: 'roleRef.kind', reason: 'FieldValueNotSupported', message } as const]),
    ...(name === '' ? [required('roleRef.name')] : []),
  ]
}

const OF_KIND: Readonly<Record<string, (object: ApiObject) => FieldFault[]>> = {
  Secret: tokenSecretFaults,
  ClusterRoleBinding: bindingFaults,
  RoleBinding: bindingFaults,
  CustomResourceDefinition: validateCrd,
  ...FAULTS,
}

/** Fields that may not change, by kind. */
const IMMUTABLE: Readonly<Record<string, { field: string; text: string }>> = {
  Secret: { field: 'type', text: 'field is immutable' },
  ClusterRoleBinding: { field: 'roleRef', text: 'cannot change roleRef' },
  RoleBinding: { field: 'roleRef', text: 'cannot change roleRef' },
}

const changeFaults = (object: ApiObject, before: ApiObject | undefined): FieldFault[] => {
  const rule = IMMUTABLE[object.kind]
  if (before === undefined || rule === undefined || isEqual(object[rule.field], before[rule.field])) return []
  return [wrong(rule.field, object[rule.field], rule.text)]
}

/** @throws StatusError 422 naming every fault of names, labels and the kind's own rules */
export const validate = (type: ResourceType, object: ApiObject, before?: ApiObject): void => {
  const faults = [
    ...nameFaults(type, object.metadata.name),
    ...labelFaults(object.metadata.labels),
    ...(type.custom ? [] : (OF_KIND[type.kind]?.(object) ?? [])),
    ...changeFaults(object, before),
    ...(type.custom || before === undefined ? [] : (CHANGE_FAULTS[type.kind]?.(object, before) ?? [])),
  ]
  if (faults.length > 0) throw invalid(type, object.metadata.name, faults)
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** A Secret as it is stored: `stringData` encoded into `data`, type filled. @throws StatusError 400 for data that is not base64 */
export const normaliseSecret = (object: ApiObject): ApiObject => {
  const { stringData, ...rest } = object
  const plain = isFields(stringData) ? stringData : {}
  const encoded = Object.entries(plain).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')])
  const data: Fields = { ...(isFields(rest.data) ? rest.data : {}), ...Object.fromEntries(encoded) }
  if (Object.values(data).some((value) => typeof value !== 'string' || !BASE64.test(value))) {
    throw badRequest('Secret in version "v1" cannot be handled as a Secret: illegal base64 data')
  }
  const withData = Object.keys(data).length > 0 || 'data' in rest ? { data } : {}
  return { ...rest, ...withData, type: rest.type ?? 'Opaque' } as ApiObject
}
