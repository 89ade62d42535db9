/** A Kubernetes object as the simulation holds it. */
export type ApiObject = { apiVersion: string; kind: string; metadata: Metadata; [field: string]: unknown }

export type Metadata = {
  name: string
  namespace?: string
  generateName?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: Record<string, unknown>[]
}

/** Parts of a structural OpenAPI v3 schema that the simulation reads. CEL (`x-kubernetes-validations`) is not evaluated. */
export type Schema = {
  type?: string
  format?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  required?: string[]
  enum?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  nullable?: boolean
  default?: unknown
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-int-or-string'?: boolean
}

/** One served resource in one version. */
export type ResourceType = {
  group: string
  version: string
  plural: string
  singular: string
  kind: string
  namespaced: boolean
  shortNames: readonly string[]
  categories: readonly string[]
  /** True when `status` is written through `/status` only. */
  statusSubresource: boolean
  /** Name rule of `metadata.name`. */
  nameRule: 'label' | 'subdomain' | 'path-segment'
  /** For server-side apply's list types, and for custom resources pruning and checks too. */
  schema: Schema
  /** True for resources that a CustomResourceDefinition or another API server declares. */
  custom: boolean
  /** True where `schema` has every field: others are dropped or refused. */
  strict: boolean
  /** True where `metadata.generation` counts the changes of what is wanted. */
  counted: boolean
  /** Defaults and checks beyond the schema, of resources of another API server. @throws StatusError 422 */
  admit?(object: ApiObject, before?: ApiObject): ApiObject
}

/** Who calls. */
export type User = { username: string; uid: string; groups: readonly string[]; extra: Record<string, string[]> }

/** Which resource a path names. */
export type Target = {
  group: string
  version: string
  plural: string
  namespace: string | undefined
  name: string | undefined
  subresource: string | undefined
}

export type ApiRequest = {
  method: string
  path: string
  query: URLSearchParams
  contentType: string
  /** Field manager where the caller names none: the first part of the User-Agent, as the real server does. */
  userAgent: string
  body: string
  user: User
}

export type ApiResponse = { status: number; body: unknown }

/** `deployments.apps`, or `secrets` in the core group: how messages name a resource. */
export const qualified = (type: { group: string; plural: string }): string =>
  type.group === '' ? type.plural : `${type.plural}.${type.group}`

/** `v1`, `apps/v1`. */
export const apiVersionOf = (type: { group: string; version: string }): string =>
  type.group === '' ? type.version : `${type.group}/${type.version}`
