import { type Fields, isEqual, isFields, without } from '../objects.ts'
import type { FieldFault } from '../status.ts'
import type { ApiObject } from '../types.ts'

type Container = { name?: string; image?: string; volumeMounts?: { name: string }[] }
type Template = {
  metadata?: { labels?: Record<string, string> }
  spec?: { containers?: Container[]; volumes?: { name: string }[] }
}
type WorkloadSpec = {
  selector?: { matchLabels?: Record<string, string> }
  template?: Template
  volumeClaimTemplates?: { metadata?: { name?: string } }[]
}

const show = (value: unknown): string => JSON.stringify(value)

const required = (field: string): FieldFault => ({ field, reason: 'FieldValueRequired', message: 'Required value' })

const wrong = (field: string, value: unknown, text: string): FieldFault => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${show(value)}: ${text}`,
})

const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldFault => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${show(value)}: supported values: ${supported.map(show).join(', ')}`,
})

const containerFaults = (container: Container, at: string, volumes: ReadonlySet<string>): FieldFault[] => [
  ...(container.name ? [] : [required(`${at}.name`)]),
  ...(container.image ? [] : [required(`${at}.image`)]),
  ...(container.volumeMounts ?? []).flatMap(({ name }, index): FieldFault[] =>
    volumes.has(name)
      ? []
      : [
          {
            field: `${at}.volumeMounts[${index}].name`,
            reason: 'FieldValueNotFound',
            message: `Not found: ${show(name)}`,
          },
        ],
  ),
]

const templateFaults = ({ spec = {} }: Template, claims: readonly string[]): FieldFault[] => {
  const { containers = [], volumes = [] } = spec
  const names = new Set([...volumes.map(({ name }) => name), ...claims])
  return [
    ...(containers.length === 0 ? [required('spec.template.spec.containers')] : []),
    ...containers.flatMap((container, index) =>
      containerFaults(container, `spec.template.spec.containers[${index}]`, names),
    ),
  ]
}

const workloadFaults = (object: ApiObject): FieldFault[] => {
  const { selector, template = {}, volumeClaimTemplates = [] } = (object.spec ?? {}) as WorkloadSpec
  const wanted = Object.entries(selector?.matchLabels ?? {})
  const labels = template.metadata?.labels ?? {}
  const matches = wanted.every(([key, value]) => labels[key] === value)
  return [
    ...(selector === undefined ? [required('spec.selector')] : []),
    ...(matches ? [] : [wrong('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]),
    ...templateFaults(
      template,
      volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''),
    ),
  ]
}

const SERVICE_TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']

const serviceFaults = (object: ApiObject): FieldFault[] => {
  const { type = 'ClusterIP', ports = [] } = (object.spec ?? {}) as { type?: string; ports?: unknown[] }
  return [
    ...(SERVICE_TYPES.includes(type) ? [] : [notSupported('spec.type', type, SERVICE_TYPES)]),
    ...(ports.length > 0 || type === 'ExternalName' || isHeadless(object) ? [] : [required('spec.ports')]),
  ]
}

const isHeadless = (object: ApiObject): boolean =>
  (object.spec as { clusterIP?: string } | undefined)?.clusterIP === 'None'

const claimFaults = (object: ApiObject): FieldFault[] => {
  const { accessModes = [], resources } = (object.spec ?? {}) as {
    accessModes?: string[]
    resources?: { requests?: { storage?: unknown } }
  }
  return [
    ...(accessModes.length > 0 ? [] : [required('spec.accessModes')]),
    ...(resources?.requests?.storage === undefined ? [required('spec.resources[storage]')] : []),
  ]
}

const webhookFaults = (object: ApiObject): FieldFault[] =>
  ((object.webhooks ?? []) as { name?: string; sideEffects?: string; admissionReviewVersions?: string[] }[]).flatMap(
    ({ name = '', sideEffects, admissionReviewVersions = [] }, index) => [
      ...(name.split('.').length >= 3
        ? []
        : [
            wrong(`webhooks[${index}].name`, name, 'should be a domain with at least three segments separated by dots'),
          ]),
      ...(sideEffects === undefined ? [required(`webhooks[${index}].sideEffects`)] : []),
      ...(admissionReviewVersions.length === 0 ? [required(`webhooks[${index}].admissionReviewVersions`)] : []),
    ],
  )

/** What a kind's own rules find wrong with an object, of the built-in kinds that have many. Not all of the real validation. */
export const FAULTS: Readonly<Record<string, (object: ApiObject) => FieldFault[]>> = {
  Deployment: workloadFaults,
  StatefulSet: workloadFaults,
  Service: serviceFaults,
  PersistentVolumeClaim: claimFaults,
  MutatingWebhookConfiguration: webhookFaults,
  ValidatingWebhookConfiguration: webhookFaults,
}

const specOf = (object: ApiObject): Fields => (isFields(object.spec) ? object.spec : {})

const immutable =
  (field: string, key: string) =>
  (object: ApiObject, before: ApiObject): FieldFault[] =>
    isEqual(specOf(object)[key], specOf(before)[key]) ? [] : [wrong(field, specOf(object)[key], 'field is immutable')]

const STATEFUL_SET_MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

const statefulSetChange = (object: ApiObject, before: ApiObject): FieldFault[] => {
  if (isEqual(without(specOf(object), ...STATEFUL_SET_MUTABLE), without(specOf(before), ...STATEFUL_SET_MUTABLE))) {
    return []
  }
  const fields = STATEFUL_SET_MUTABLE.map((field) => `'${field}'`).join(', ')
  const message = `Forbidden: updates to statefulset spec for fields other than ${fields} are forbidden`
  return [{ field: 'spec', reason: 'FieldValueForbidden', message }]
}

const claimChange = (object: ApiObject, before: ApiObject): FieldFault[] => {
  const fixed = (claim: ApiObject): Fields => without(specOf(claim), 'resources', 'volumeAttributesClassName')
  const unbound = (before.spec as { volumeName?: string }).volumeName === undefined
  if (isEqual(fixed(object), fixed(before)) || unbound) return []
  const message =
    'Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
  return [{ field: 'spec', reason: 'FieldValueForbidden', message }]
}

/** What may not change of an object, by kind. */
export const CHANGE_FAULTS: Readonly<Record<string, (object: ApiObject, before: ApiObject) => FieldFault[]>> = {
  Deployment: immutable('spec.selector', 'selector'),
  StatefulSet: statefulSetChange,
  PersistentVolumeClaim: claimChange,
}
