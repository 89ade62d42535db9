import type { PartOf } from '../../../../../kubernetes/manifest.ts'

/** What rules the host's API server can check. */
export type Rules = {
  /** The CEL `format` library compiles in new CRDs from Kubernetes 1.32 on; before, patterns say nearly the same. */
  cel: boolean
}

/** The manager of a profile never changes. */
export const IMMUTABLE = { rule: 'self == oldSelf', message: 'clusterManager is immutable' }

export const VERSION: PartOf['jsonSchema'] = { type: 'object', properties: { kubernetes: { type: 'string' } } }

export const PROPERTIES: PartOf['jsonSchema'] = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name', 'value'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 253 },
      value: { type: 'string', minLength: 1, maxLength: 1024 },
      lastObservedTime: { type: 'string', format: 'date-time' },
    },
  },
}

/** The object under `extension`: free form, but an object. */
export const EXTENSION: PartOf['jsonSchema'] = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

type Properties = Record<string, PartOf['jsonSchema']>

/** The whole schema of a version. */
export const profileSchema = (spec: Properties, status: Properties): NonNullable<PartOf['crdVersion']['schema']> => ({
  openAPIV3Schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { type: 'object', required: ['clusterManager'], properties: spec },
      status: { type: 'object', properties: status },
    },
  },
})

const TYPE_PATTERN =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$'

/** A list of metav1.Condition, as controller-gen writes it. */
export const CONDITIONS: PartOf['jsonSchema'] = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: { type: 'string', maxLength: 316, pattern: TYPE_PATTERN },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: {
        type: 'string',
        minLength: 1,
        maxLength: 1024,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      },
      message: { type: 'string', maxLength: 32768 },
      lastTransitionTime: { type: 'string', format: 'date-time' },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    },
  },
}
