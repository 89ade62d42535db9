import type { ObjectStore } from './store.ts'
import type { ApiObject, User } from './types.ts'

const GROUP = 'rbac.authorization.k8s.io'

/** What somebody wants to do. `path` is set for non-resource URLs, with the verb as the lower-case method. */
export type Attributes = {
  verb: string
  group?: string
  resource?: string
  subresource?: string
  namespace?: string | undefined
  name?: string | undefined
  path?: string
}

type Rule = {
  verbs?: string[]
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
  nonResourceURLs?: string[]
}

type Subject = { kind: string; name: string; namespace?: string }
type Binding = { subjects?: Subject[]; roleRef: { kind: string; name: string } }

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((entry) => entry === '*' || entry === value) ?? false

const coversPath = (rule: Rule, path: string): boolean =>
  rule.nonResourceURLs?.some((url) => (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : url === path)) ?? false

const coversResource = (rule: Rule, { group = '', resource = '', subresource, name = '' }: Attributes): boolean => {
  const wanted = subresource === undefined ? resource : `${resource}/${subresource}`
  const named = rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(name)
  return has(rule.apiGroups, group) && (has(rule.resources, wanted) || has(rule.resources, `*/${subresource}`)) && named
}

const covers = (rule: Rule, attributes: Attributes): boolean =>
  has(rule.verbs, attributes.verb) &&
  (attributes.path === undefined ? coversResource(rule, attributes) : coversPath(rule, attributes.path))

const isSubject = (user: User, { kind, name, namespace = '' }: Subject): boolean => {
  if (kind === 'User') return user.username === name
  if (kind === 'Group') return user.groups.includes(name)
  return kind === 'ServiceAccount' && user.username === `system:serviceaccount:${namespace}:${name}`
}

const rulesOf = (role: ApiObject | undefined): Rule[] => (role?.rules ?? []) as Rule[]

/** RBAC over the objects in the store: bindings → roles → rules. Aggregation rules and escalation checks are not simulated. */
export class Rbac {
  readonly #store: ObjectStore

  constructor(store: ObjectStore) {
    this.#store = store
  }

  /** The reason, when allowed; undefined when not. */
  allows(user: User, attributes: Attributes): string | undefined {
    if (user.groups.includes('system:masters')) return ''
    return this.#bindings(attributes.namespace).find((candidate) => this.#grants(candidate, user, attributes))?.reason
  }

  /** Rules that a user has in a namespace, for SelfSubjectRulesReview. */
  rules(user: User, namespace: string): Rule[] {
    if (user.groups.includes('system:masters')) {
      return [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ]
    }
    return this.#bindings(namespace)
      .filter(({ binding }) => binding.subjects?.some((subject) => isSubject(user, subject)))
      .flatMap(({ binding, namespace: scope }) => this.#rulesOf(binding, scope))
  }

  #grants(
    { binding, namespace }: { binding: Binding; namespace: string | undefined },
    user: User,
    attributes: Attributes,
  ): boolean {
    return (
      (binding.subjects ?? []).some((subject) => isSubject(user, subject)) &&
      this.#rulesOf(binding, namespace).some((rule) => covers(rule, attributes))
    )
  }

  #bindings(namespace: string | undefined) {
    const read = (plural: string, within?: string) =>
      this.#store.list({ group: GROUP, plural }, within).map((object) => {
        const binding = object as unknown as Binding
        const reason = `RBAC: allowed by ${object.kind} "${object.metadata.name}" of ${binding.roleRef.kind} "${binding.roleRef.name}"`
        return { binding, namespace: within, reason }
      })
    return [
      ...read('clusterrolebindings'),
      ...(namespace === undefined || namespace === '' ? [] : read('rolebindings', namespace)),
    ]
  }

  #rulesOf({ roleRef }: Binding, namespace: string | undefined): Rule[] {
    const role =
      roleRef.kind === 'ClusterRole'
        ? this.#store.get({ group: GROUP, plural: 'clusterroles' }, roleRef.name)
        : this.#store.get({ group: GROUP, plural: 'roles' }, roleRef.name, namespace)
    return rulesOf(role?.object)
  }
}
