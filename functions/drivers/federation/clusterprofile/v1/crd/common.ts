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
