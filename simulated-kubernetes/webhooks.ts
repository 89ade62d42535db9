import type { Cluster } from './cluster.ts'
import { labelMatcher } from './selectors.ts'
import { StatusError } from './status.ts'
import type { ApiObject, ResourceType, Target } from './types.ts'

const GROUP = 'admissionregistration.k8s.io'
const CONFIGURATIONS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'] as const

export type Rule = { apiGroups?: string[]; apiVersions?: string[]; operations?: string[]; resources?: string[] }
export type Selector = {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}
type Webhook = {
  name: string
  clientConfig: {
    url?: string
    caBundle?: string
    service?: { name: string; namespace: string; path?: string; port?: number }
  }
  rules?: Rule[]
  failurePolicy?: string
  objectSelector?: Selector
}

/** A write as webhooks see it: `object` is absent in a deletion, `before` in a creation. */
export type Admission = {
  operation: 'CREATE' | 'UPDATE' | 'DELETE'
  type: ResourceType
  target: Target
  object?: ApiObject
  before?: ApiObject
}

const has = (list: readonly string[] = [], value: string): boolean => list.includes('*') || list.includes(value)

export const coversRule = (rule: Rule, { operation, type, target }: Admission): boolean => {
  const resource = target.subresource === undefined ? type.plural : `${type.plural}/${target.subresource}`
  const resources = rule.resources ?? []
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, type.group) &&
    has(rule.apiVersions, type.version) &&
    (resources.includes('*/*') || resources.includes(resource) || (resources.includes('*') && !target.subresource))
  )
}

const expression = ({ key, operator, values = [] }: { key: string; operator: string; values?: string[] }): string => {
  if (operator === 'Exists') return key
  if (operator === 'DoesNotExist') return `!${key}`
  return `${key} ${operator.toLowerCase()} (${values.join(',')})`
}

export const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, object: ApiObject): boolean => {
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(expression),
  ]
  return labelMatcher(terms.join(','))(object)
}

const matches = (webhook: Webhook, admission: Admission): boolean => {
  const objects = [admission.object, admission.before].filter((object) => object !== undefined)
  return (
    (webhook.rules ?? []).some((rule) => coversRule(rule, admission)) &&
    objects.some((object) => selects(webhook.objectSelector ?? {}, object))
  )
}

const urlOf = ({ clientConfig: { url, service } }: Webhook): string =>
  url ?? `https://${service?.name}.${service?.namespace}.svc:${service?.port ?? 443}${service?.path ?? ''}`

const ask = (cluster: Cluster, webhook: Webhook, { operation, object, before }: Admission): void => {
  const url = urlOf(webhook)
  const answer = cluster.behaviour.callWebhook({
    url,
    caBundle: webhook.clientConfig.caBundle ?? '',
    webhook: webhook.name,
    operation,
    object: object ?? before,
  })
  if (answer.answer === 'denied') {
    throw new StatusError(403, 'Forbidden', `admission webhook "${webhook.name}" denied the request: ${answer.message}`)
  }
  if (answer.answer === 'allowed' || webhook.failurePolicy === 'Ignore') return
  const message = `failed calling webhook "${webhook.name}": failed to call webhook: Post "${url}": dial tcp: connect: connection refused`
  throw new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  })
}

const webhooksOf = (cluster: Cluster): Webhook[] =>
  CONFIGURATIONS.flatMap((plural) => cluster.store.list({ group: GROUP, plural })).flatMap(
    (configuration) => (configuration.webhooks ?? []) as Webhook[],
  )

/**
 * Asks every webhook that wants to know of a write, mutating ones first; what they would change is not simulated.
 *
 * @throws StatusError 403 when one denies, 500 when one can't be reached and its failurePolicy is Fail
 */
export const callWebhooks = (cluster: Cluster, admission: Admission): void => {
  // Webhooks are not asked about their own configurations, so that these can always be repaired.
  if (admission.type.group === GROUP) return
  for (const webhook of webhooksOf(cluster)) if (matches(webhook, admission)) ask(cluster, webhook, admission)
}
