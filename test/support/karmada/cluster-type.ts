import type { FieldFault } from '../../../simulated-kubernetes/status.ts'
import { invalid } from '../../../simulated-kubernetes/status.ts'
import type { ApiObject, ResourceType, Schema } from '../../../simulated-kubernetes/types.ts'

const text: Schema = { type: 'string' }
const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true }
const reference: Schema = { type: 'object', properties: { namespace: text, name: text } }

const SPEC: Schema = {
  type: 'object',
  properties: {
    id: text,
    syncMode: { type: 'string', enum: ['Push', 'Pull'] },
    apiEndpoint: text,
    secretRef: reference,
    impersonatorSecretRef: reference,
    insecureSkipTLSVerification: { type: 'boolean' },
    proxyURL: text,
    proxyHeader: anything,
    provider: text,
    region: text,
    zone: text,
    zones: { type: 'array', items: text },
    taints: { type: 'array', items: anything },
    resourceModels: { type: 'array', items: anything },
  },
}

type ClusterSpec = { syncMode?: string; apiEndpoint?: string; resourceModels?: unknown[]; [field: string]: unknown }

const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,46}[a-z0-9])?$/
const NAME_MAX = 48

const wrong = (field: string, value: unknown, message: string): FieldFault => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${message}`,
})

const endpointFaults = ({ apiEndpoint = '' }: ClusterSpec): FieldFault[] => {
  if (apiEndpoint === '') return []
  if (URL.canParse(apiEndpoint) && new URL(apiEndpoint).host !== '') return []
  return [wrong('spec.apiEndpoint', apiEndpoint, 'a valid URL with a host is needed')]
}

const nameFaults = (name: string): FieldFault[] =>
  LABEL.test(name) ? [] : [wrong('metadata.name', name, `must be an RFC 1123 label of at most ${NAME_MAX} characters`)]

/** Nine grades are added to each Cluster (federation-control-planes.md 2.1). */
const GRADES = Array.from({ length: 9 }, (_, grade) => ({ grade, ranges: [] }))

const TYPE = { group: 'cluster.karmada.io', kind: 'Cluster' } as const

const admit = (object: ApiObject, before?: ApiObject): ApiObject => {
  const spec = (object.spec ?? {}) as ClusterSpec
  const faults = [
    ...nameFaults(object.metadata.name),
    ...(spec.syncMode === undefined
      ? [{ field: 'spec.syncMode', reason: 'FieldValueRequired' as const, message: 'Required value' }]
      : []),
    ...endpointFaults(spec),
  ]
  if (faults.length > 0) throw invalid(TYPE, object.metadata.name, faults)
  return before === undefined ? { ...object, spec: { ...spec, resourceModels: spec.resourceModels ?? GRADES } } : object
}

/** `Cluster` as karmada-aggregated-apiserver serves it. */
export const CLUSTERS: ResourceType = {
  ...TYPE,
  version: 'v1alpha1',
  plural: 'clusters',
  singular: 'cluster',
  namespaced: false,
  shortNames: [],
  categories: ['karmada-io'],
  statusSubresource: true,
  nameRule: 'subdomain',
  schema: {
    type: 'object',
    properties: { apiVersion: text, kind: text, metadata: anything, spec: SPEC, status: anything },
  },
  custom: true,
  strict: true,
  counted: true,
  admit,
}
