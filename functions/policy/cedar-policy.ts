import { createHash } from 'node:crypto'
import {
  type CedarValueJson,
  checkParsePolicySet,
  type EntityJson,
  type EntityUidJson,
  preparsePolicySet,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs'
import type { Principal, Role } from '../core/values/identity.ts'
import type { Policy } from './policy.ts'
import { PolicyNotDecided, type PolicyText, refusalOf } from './policy-text.ts'
import { type PolicyContext, type PolicyObject, type PolicyRule, RULES } from './rules.ts'

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

/** Objects are shown with their project and owner, as resources are. */
const contextOf = (context: PolicyContext | undefined): Record<string, CedarValueJson> =>
  Object.fromEntries(
    Object.entries(context ?? {}).map(([name, value]) => [name, isObject(value) ? ownership(value) : value]),
  )

/** The module keeps parsed sets under ids: the same texts have the same id, whoever parses them. */
const idOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Parses all texts as one set, and each alone only to find the one at fault. */
const preparse = (policies: readonly PolicyText[]): string => {
  const text = policies.map((policy) => policy.text).join('\n')
  const id = idOf(text)
  const parsed = preparsePolicySet(id, { staticPolicies: text })
  if (parsed.type === 'success') return id
  for (const source of policies) {
    const alone = checkParsePolicySet({ staticPolicies: source.text })
    if (alone.type === 'failure') throw refusalOf(source, alone.errors)
  }
  throw refusalOf({ file: policies.map(({ file }) => file).join(', '), text }, parsed.errors)
}

/**
 * A policy of Cedar texts, parsed once. The schema is left out at run time: parsing it costs 150 ms of a cold start; `checkPolicies` is
 * for where policies come in. A policy that fails in evaluation refuses the request: a `forbid` that fails would not forbid.
 *
 * @throws PolicyTextInvalid
 */
export const cedarPolicy = (policies: readonly PolicyText[]): Policy => {
  const preparsedPolicySetId = preparse(policies)
  const allows: Policy['allows'] = (principal, rule, object, context) => {
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
    return answer.response.decision === 'allow' && answer.response.diagnostics.errors.length === 0
  }
  return { allows }
}
