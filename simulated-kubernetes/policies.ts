import type { Cluster } from './cluster.ts'
import { forbidden, StatusError } from './status.ts'
import { qualified } from './types.ts'
import { type Admission, coversRule, type Rule, type Selector, selects } from './webhooks.ts'

const GROUP = 'admissionregistration.k8s.io'
const NAMESPACES = { group: '', plural: 'namespaces' }

type PolicySpec = {
  matchConstraints?: { resourceRules?: Rule[]; namespaceSelector?: Selector; objectSelector?: Selector }
  variables?: { name: string; expression: string }[]
  validations?: { expression: string; message?: string }[]
}
type BindingSpec = { policyName: string; validationActions?: string[] }

const matches = (cluster: Cluster, { matchConstraints = {} }: PolicySpec, admission: Admission): boolean => {
  const { resourceRules = [], namespaceSelector = {}, objectSelector = {} } = matchConstraints
  const object = admission.object ?? admission.before
  const namespace = cluster.store.get(NAMESPACES, object?.metadata.namespace ?? '')?.object
  return (
    resourceRules.some((rule) => coversRule(rule, admission)) &&
    (object === undefined || selects(objectSelector, object)) &&
    (namespace === undefined || selects(namespaceSelector, namespace))
  )
}

/** A validation with its variables in place: what a simulation is known by. */
const wholeExpression = ({ variables = [] }: PolicySpec, expression: string): string =>
  variables.reduceRight(
    (text, { name, expression: value }) => text.replaceAll(`variables.${name}`, `(${value})`),
    expression,
  )

const check = (cluster: Cluster, name: string, spec: PolicySpec, admission: Admission): void => {
  for (const { expression, message = `failed expression: ${expression}` } of spec.validations ?? []) {
    const whole = wholeExpression(spec, expression)
    const simulation = cluster.behaviour.celSimulations[whole]
    if (simulation === undefined)
      throw new StatusError(500, 'InternalError', `The simulation does not know the CEL expression: ${whole}`)
    if (simulation(admission.object, admission.before)) continue
    const { type, object, before } = admission
    const subject = `${qualified(type)} "${(object ?? before)?.metadata.name}"`
    throw forbidden(
      { kind: type.plural, group: type.group },
      `${subject} is forbidden: ValidatingAdmissionPolicy '${name}' denied request: ${message}`,
    )
  }
}

/** Holds a write to the admission policies that are bound with action Deny. @throws StatusError 403 */
export const checkPolicies = (cluster: Cluster, admission: Admission): void => {
  for (const binding of cluster.store.list({ group: GROUP, plural: 'validatingadmissionpolicybindings' })) {
    const { policyName, validationActions = [] } = binding.spec as BindingSpec
    const policy = cluster.store.get({ group: GROUP, plural: 'validatingadmissionpolicies' }, policyName)?.object
    if (policy === undefined || !validationActions.includes('Deny')) continue
    const spec = policy.spec as PolicySpec
    if (matches(cluster, spec, admission)) check(cluster, policyName, spec, admission)
  }
}
