import type { Cluster } from './cluster.ts'
import { type Fields, isFields } from './objects.ts'
import type { Attributes } from './rbac.ts'
import { badRequest, invalid, notFound } from './status.ts'
import { ISSUER } from './tokens.ts'
import type { ApiRequest, ApiResponse, Target } from './types.ts'

/** Shortest life of a requested token, seconds (validation of authentication.k8s.io/v1). */
const TOKEN_SECONDS_MIN = 600
const TOKEN_SECONDS_DEFAULT = 3600

type ResourceAttributes = Partial<Record<'verb' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name', string>>
type NonResourceAttributes = { path?: string; verb?: string }

const parseBody = (body: string): Fields => {
  if (body === '') return {}
  try {
    const value: unknown = JSON.parse(body)
    if (isFields(value)) return value
  } catch {
    // Told below, as one fault with "not an object".
  }
  throw badRequest("the object provided is unrecognized: couldn't get version/kind; json parse error")
}

const selfSubjectReview = (request: ApiRequest, cluster: Cluster): ApiResponse => {
  const { username, uid, groups, extra } = request.user
  return {
    status: 201,
    body: {
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: cluster.timestamp() },
      status: { userInfo: { username, uid, groups, extra } },
    },
  }
}

const attributesOf = (resource: ResourceAttributes): Attributes => ({
  verb: resource.verb ?? '',
  group: resource.group ?? '',
  resource: resource.resource ?? '',
  namespace: resource.namespace,
  name: resource.name,
  ...(resource.subresource ? { subresource: resource.subresource } : {}),
})

const selfSubjectAccessReview = (request: ApiRequest, cluster: Cluster): ApiResponse => {
  const { spec = {} } = parseBody(request.body) as {
    spec?: { resourceAttributes?: ResourceAttributes; nonResourceAttributes?: NonResourceAttributes }
  }
  const { resourceAttributes, nonResourceAttributes } = spec
  if ((resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    const message = 'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified'
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [
      { field: 'spec.resourceAttributes', reason: 'FieldValueInvalid', message },
    ])
  }
  const attributes =
    resourceAttributes === undefined
      ? { verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' }
      : attributesOf(resourceAttributes)
  const reason = cluster.rbac.allows(request.user, attributes)
  const status = reason === undefined ? { allowed: false } : { allowed: true, ...(reason === '' ? {} : { reason }) }
  return {
    status: 201,
    body: { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec, status },
  }
}

const selfSubjectRulesReview = (request: ApiRequest, cluster: Cluster): ApiResponse => {
  const { spec = {} } = parseBody(request.body) as { spec?: { namespace?: string } }
  if (!spec.namespace) throw badRequest('no namespace on request')
  const rules = cluster.rbac.rules(request.user, spec.namespace)
  const status = {
    resourceRules: rules.filter((rule) => rule.nonResourceURLs === undefined),
    nonResourceRules: rules.filter((rule) => rule.nonResourceURLs !== undefined),
    incomplete: false,
  }
  return {
    status: 201,
    body: { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec: {}, status },
  }
}

type Review = { group: string; kind: string; answer: (request: ApiRequest, cluster: Cluster) => ApiResponse }

/** Reviews about the caller: POST only, nothing is stored. By plural. */
export const REVIEWS: Readonly<Record<string, Review>> = {
  selfsubjectreviews: { group: 'authentication.k8s.io', kind: 'SelfSubjectReview', answer: selfSubjectReview },
  selfsubjectaccessreviews: {
    group: 'authorization.k8s.io',
    kind: 'SelfSubjectAccessReview',
    answer: selfSubjectAccessReview,
  },
  selfsubjectrulesreviews: {
    group: 'authorization.k8s.io',
    kind: 'SelfSubjectRulesReview',
    answer: selfSubjectRulesReview,
  },
}

/** POST …/serviceaccounts/NAME/token: a token of the account that expires. */
export const requestToken = (request: ApiRequest, target: Target, cluster: Cluster): ApiResponse => {
  const type = { group: '', plural: 'serviceaccounts', kind: 'ServiceAccount' }
  const account = cluster.store.get(type, target.name ?? '', target.namespace)?.object
  const { spec = {} } = parseBody(request.body) as { spec?: { audiences?: string[]; expirationSeconds?: number } }
  const expirationSeconds = spec.expirationSeconds ?? TOKEN_SECONDS_DEFAULT
  if (account === undefined) throw notFound(type, target.name ?? '')
  if (expirationSeconds < TOKEN_SECONDS_MIN) {
    const message = `Invalid value: ${expirationSeconds}: may not specify a duration less than 10 minutes`
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [
      { field: 'spec.expirationSeconds', reason: 'FieldValueInvalid', message },
    ])
  }
  const audiences = spec.audiences === undefined || spec.audiences.length === 0 ? [ISSUER] : spec.audiences
  const { token, expires } = cluster.tokens.forRequest(account, { audiences, expirationSeconds })
  const { name, namespace, uid } = account.metadata
  return {
    status: 201,
    body: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, uid, creationTimestamp: cluster.timestamp() },
      spec: { audiences, expirationSeconds, boundObjectRef: null },
      status: { token, expirationTimestamp: `${expires.toISOString().slice(0, 19)}Z` },
    },
  }
}
