import { createHash } from 'node:crypto'
import path from 'node:path'
import {
  type CedarValueJson,
  checkParsePolicySet,
  type EntityJson,
  type EntityUidJson,
  policySetTextToParts,
  preparsePolicySet,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs'
import type { Principal, Role } from '../core/values/identity.ts'
import type { Policy } from './policy.ts'
import { PolicyNotDecided, type PolicyText, refusalOf } from './policy-text.ts'
import { type ClusterUseContext, type PolicyContext, type PolicyObject, type PolicyRule, RULES } from './rules.ts'

/** Roles that come with a role (Keystone's role inference, without what an admin would get: magnum-rest.md 9.4). */
const IMPLIED: Readonly<Record<Role, readonly Role[]>> = { admin: [], member: ['reader'], reader: [] }

const uid = (type: string, id: string): { type: string; id: string } => ({ type, id })
const entityRef = (type: string, id: string) => ({ __entity: uid(type, id) })

const RESOURCE: EntityUidJson = uid('Resource', '')

const groupsOf = (rule: PolicyRule): EntityUidJson[] => RULES[rule].map((group) => uid('Action', group))

const userEntity = ({ userId, projectId, roles }: Principal): EntityJson => ({
  uid: uid('User', userId),
  attrs: { project: entityRef('Project', projectId) },
  parents: [...new Set(roles.flatMap((role) => [role, ...IMPLIED[role]]))].map((role) => uid('Role', role)),
})

const ownership = ({ projectId, userId }: PolicyObject) => ({
  project: entityRef('Project', projectId),
  ...(userId === undefined ? {} : { owner: entityRef('User', userId) }),
})

const resourceEntity = (object: PolicyObject): EntityJson => ({ uid: RESOURCE, attrs: ownership(object), parents: [] })

const isObject = (value: unknown): value is PolicyObject =>
  typeof value === 'object' && value !== null && 'projectId' in value

const isGrant = (value: unknown): value is NonNullable<ClusterUseContext['grant']> =>
  typeof value === 'object' && value !== null && 'actions' in value

/** As policies see it: ids are for the audit only. */
const shown = (value: unknown): CedarValueJson => {
  if (isObject(value)) return ownership(value)
  if (!isGrant(value)) return value as CedarValueJson
  return { actions: [...value.actions], rights: value.rights }
}

/** Objects are shown with their project and owner, as resources are. */
const contextOf = (context: PolicyContext | undefined): Record<string, CedarValueJson> =>
  Object.fromEntries(Object.entries(context ?? {}).map(([name, value]) => [name, shown(value)]))

/** The module keeps parsed sets under ids: the same texts have the same id, whoever parses them. */
const idOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What a policy begins with, up to its `@id`: annotations and comments. */
const ANNOTATED = /^\s*(?:@\w+(?:\("(?:[^"\\]|\\.)*"\))?\s*|\/\/[^\n]*\n\s*)*?@id\("((?:[^"\\]|\\.)*)"\)/

/** @throws PolicyTextInvalid */
const partsOf = (source: PolicyText): readonly string[] => {
  const parts = policySetTextToParts(source.text)
  if (parts.type === 'success' && parts.policy_templates.length === 0) return parts.policies
  const alone = checkParsePolicySet({ staticPolicies: source.text })
  throw refusalOf(source, alone.type === 'failure' ? alone.errors : [])
}

/** The first that is free. */
const freeId = (taken: ReadonlyMap<string, string>, wanted: readonly string[]): string =>
  wanted.find((id) => !taken.has(id)) ?? freeId(taken, [`${wanted.at(-1)}+`])

/**
 * Every policy under the id that decisions name it by: its own `@id`; else its file and its place there, as also where another policy has that
 * id. No policy takes the place of another: it could be a `forbid`.
 */
const namedPolicies = (policies: readonly PolicyText[]): Record<string, string> => {
  const named = new Map<string, string>()
  for (const source of policies) {
    for (const [index, text] of partsOf(source).entries()) {
      const place = `${path.basename(source.file)}#${index + 1}`
      const own = ANNOTATED.exec(text)?.[1] || place
      named.set(freeId(named, [own, place]), text)
    }
  }
  return Object.fromEntries(named)
}

/** Parses all texts as one set. @throws PolicyTextInvalid */
const preparse = (policies: readonly PolicyText[]): string => {
  const staticPolicies = namedPolicies(policies)
  const id = idOf(JSON.stringify(staticPolicies))
  const parsed = preparsePolicySet(id, { staticPolicies })
  if (parsed.type === 'success') return id
  throw refusalOf({ file: policies.map(({ file }) => file).join(', '), text: '' }, parsed.errors)
}

/**
 * A policy of Cedar texts, parsed once. The schema is left out at run time: parsing it costs 150 ms of a cold start; `checkPolicies` is
 * for where policies come in. A policy that fails in evaluation refuses the request: a `forbid` that fails would not forbid.
 *
 * @throws PolicyTextInvalid
 */
export const cedarPolicy = (policies: readonly PolicyText[]): Policy => {
  const preparsedPolicySetId = preparse(policies)
  const decide: Policy['decide'] = (principal, rule, object, context) => {
    const action = uid('Action', rule)
    const answer = statefulIsAuthorized({
      principal: uid('User', principal.userId),
      action,
      resource: RESOURCE,
      context: contextOf(context),
      preparsedPolicySetId,
      entities: [
        userEntity(principal),
        resourceEntity(object ?? principal),
        { uid: action, attrs: {}, parents: groupsOf(rule) },
      ],
    })
    if (answer.type === 'failure') {
      const faults = answer.errors.map(({ message }) => message).join('; ')
      throw new PolicyNotDecided(`The policies could not be asked about ${rule}: ${faults}.`)
    }
    const { decision, diagnostics } = answer.response
    return {
      isAllowed: decision === 'allow' && diagnostics.errors.length === 0,
      policies: diagnostics.reason.toSorted(),
    }
  }
  return { decide }
}
