import { readFileSync } from 'node:fs'
import { schemaToJson } from '@cedar-policy/cedar-wasm/nodejs'
import { describe, expect, it } from 'vitest'
import type { Principal, Role } from '../../../functions/core/values/identity.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import { checkPolicies } from '../../../functions/policy/check-policies.ts'
import { PolicyTextInvalid } from '../../../functions/policy/policy-text.ts'
import { RULES } from '../../../functions/policy/rules.ts'
import { defaultPolicies, defaultPolicy, policySchema } from '../../support/policy.ts'

const somebody = (userId: string, projectId: string, ...roles: Role[]): Principal => ({
  userId,
  projectId,
  roles,
  source: 'token-file',
})

const file = (text: string) => ({ file: 'mine.cedar', text })

describe('the schema', () => {
  const parsed = schemaToJson(policySchema.text)
  const actions = parsed.type === 'success' ? (parsed.json['']?.actions ?? {}) : {}
  const idsOf = (groups: readonly { id: string }[] | null | undefined) => (groups ?? []).map(({ id }) => id).sort()

  it('parses without a warning', () => {
    expect(parsed).toMatchObject({ type: 'success', warnings: [] })
  })

  it('has every rule as an action, in the groups of the rule', () => {
    const groups = new Set(Object.values(RULES).flat())
    const rules = Object.entries(actions).filter(([name]) => !groups.has(name as 'read'))
    const shown = rules.map(([name, { memberOf }]) => [name, idsOf(memberOf)] as const)
    const expected = Object.entries(RULES).map(([name, of]) => [name, of.toSorted()] as const)
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected))
  })

  it('fits the default policies', () => {
    expect(() => checkPolicies(policySchema, defaultPolicies)).not.toThrow()
    expect(defaultPolicies).not.toEqual([])
  })

  it('is refused by file and position when it is broken', () => {
    expect(() => checkPolicies({ file: 'x.cedarschema', text: 'entity Role;\nentity {' }, [])).toThrow(
      /^x\.cedarschema:2:8: /,
    )
  })
})

const BAD: readonly [what: string, text: string, message: RegExp][] = [
  ['a fault of syntax', '// é\npermit (principal,\n  actin, resource);', /^mine\.cedar:3:3: .*actin/],
  ['a text that ends early', 'permit (principal, action, resource)', /^mine\.cedar:1:\d+: /],
  ['a template', 'permit (principal == ?principal, action, resource);', /^mine\.cedar: .*template/],
]

const UNFIT: readonly [what: string, text: string, message: RegExp][] = [
  [
    'an unknown action',
    'permit (principal, action, resource);\nforbid (principal, action == Action::"cluster:remove", resource);',
    /^mine\.cedar:2:30: unrecognized action `Action::"cluster:remove"`/,
  ],
  ['an unknown role', 'permit (principal in Role::"boss", action, resource);', /^mine\.cedar:1:22: .*"boss"/],
  [
    'an unknown attribute',
    'permit (principal, action, resource) when { resource.name == "x" };',
    /^mine\.cedar:1:45: .*name/,
  ],
  [
    'an owner that may be absent',
    'permit (principal, action, resource) when { resource.owner == principal };',
    /^mine\.cedar:1:45: .*owner/,
  ],
]

describe('checkPolicies', () => {
  it.each([...BAD, ...UNFIT])('refuses %s by file and position', (_what, text, message) => {
    expect(() => checkPolicies(policySchema, [...defaultPolicies, file(text)])).toThrow(PolicyTextInvalid)
    expect(() => checkPolicies(policySchema, [...defaultPolicies, file(text)])).toThrow(message)
  })
})

describe('cedarPolicy', () => {
  it.each(BAD)('refuses %s by file and position', (_what, text, message) => {
    expect(() => cedarPolicy([...defaultPolicies, file(text)])).toThrow(message)
  })

  it('keeps policies apart that are used side by side', () => {
    const everybody = cedarPolicy([file('permit (principal, action, resource);')])
    const nobody = cedarPolicy([file('')])
    const ana = somebody('ana', 'blue')
    expect([everybody, nobody, everybody].map((policy) => policy.decide(ana, 'cluster:get').isAllowed)).toEqual([
      true,
      false,
      true,
    ])
  })

  it('refuses when a policy fails, since a forbid that fails would not forbid', () => {
    const failing = cedarPolicy([
      file(
        'permit (principal, action, resource);\nforbid (principal, action, resource) when { resource.name == "x" };',
      ),
    ])
    expect(failing.decide(somebody('ana', 'blue', 'admin'), 'cluster:get').isAllowed).toBe(false)
  })

  it('takes ids of every form as they are', () => {
    const odd = somebody('a"b\\::é\u0000', 'x" } };', 'member')
    expect(defaultPolicy.decide(odd, 'cluster:update', { projectId: odd.projectId }).isAllowed).toBe(true)
    expect(defaultPolicy.decide(odd, 'cluster:update', { projectId: 'x' }).isAllowed).toBe(false)
    expect(defaultPolicy.decide(odd, 'certificate:get', odd).isAllowed).toBe(true)
  })
})

describe('the examples of docs/policies.md', () => {
  const text = readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8')
  const examples = [...text.matchAll(/```cedar\n(.*?)```/gs)].map(([, code]) => file(code ?? ''))
  const policy = cedarPolicy([...defaultPolicies, ...examples])

  it('fit the schema', () => {
    expect(examples).toHaveLength(6)
    expect(() => checkPolicies(policySchema, examples)).not.toThrow()
  })

  it('let readers of ops list the clusters of all projects, and nobody else', () => {
    const ops = somebody('rita', 'ops', 'reader')
    expect(policy.decide(ops, 'cluster:get_all_all_projects').isAllowed).toBe(true)
    expect(policy.decide(ops, 'cluster:delete_all_projects').isAllowed).toBe(false)
    expect(policy.decide(somebody('rita', 'blue', 'reader'), 'cluster:get_all_all_projects').isAllowed).toBe(false)
  })

  it('let nobody but its owner have a cluster of payments joined', () => {
    const cluster = { projectId: 'payments', userId: 'ana' }
    const use = { driver: 'clusterprofile@1', rights: 'view', federation: cluster } as const
    const may = (userId: string): boolean =>
      policy.decide(somebody(userId, 'payments', 'member'), 'cluster:join', cluster, use).isAllowed
    expect([may('ana'), may('ben')]).toEqual([true, false])
  })

  it('let nobody delete outside of the sandbox but operators', () => {
    const admin = somebody('root', 'blue', 'admin')
    expect(policy.decide(admin, 'cluster:delete', { projectId: 'blue' }).isAllowed).toBe(false)
    expect(policy.decide(admin, 'quota:delete', { projectId: 'blue' }).isAllowed).toBe(false)
    expect(policy.decide(admin, 'cluster:update', { projectId: 'blue' }).isAllowed).toBe(true)
    expect(policy.decide(somebody('ana', 'sandbox', 'member'), 'cluster:delete').isAllowed).toBe(true)
    expect(policy.decide(somebody('root', 'ops', 'admin'), 'cluster:delete', { projectId: 'blue' }).isAllowed).toBe(
      true,
    )
  })
})
