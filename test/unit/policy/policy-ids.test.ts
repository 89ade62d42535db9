import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import type { Decision } from '../../../functions/policy/policy.ts'
import { defaultPolicies, defaultPolicy } from '../../support/policy.ts'

const ANA: Principal = { userId: 'ana', projectId: 'blue', roles: ['member'], source: 'token-file' }

const permit = (id: string): string => `${id} permit (principal, action, resource);`
const forbid = (id: string): string => `${id} forbid (principal, action, resource);`

/** By two files of an operator, beside the defaults. */
const decided = (...texts: string[]): Decision => {
  const files = texts.map((text, index) => ({ file: `policies/${'ab'[index]}.cedar`, text }))
  return cedarPolicy([...defaultPolicies, ...files]).decide(ANA, 'cluster:update')
}

describe('the policies that a decision names', () => {
  it('are those that permit, by their ids', () => {
    expect(defaultPolicy.decide(ANA, 'cluster:update')).toEqual({ isAllowed: true, policies: ['member-changes'] })
    expect(decided(permit('@id("ours")'))).toEqual({ isAllowed: true, policies: ['member-changes', 'ours'] })
  })

  it('are those that forbid when one does, and none where none speaks of it', () => {
    expect(decided(permit(''), forbid('@id("freeze")'))).toEqual({ isAllowed: false, policies: ['freeze'] })
    expect(defaultPolicy.decide(ANA, 'quota:update')).toEqual({ isAllowed: false, policies: [] })
  })

  it.each([
    ['no id', '', 'a.cedar#1'],
    ['an empty id', '@id("")', 'a.cedar#1'],
    ['another annotation before it', '@note("permit (")\n// why\n@id("late")', 'late'],
    ['an id of a default policy', '@id("admin")', 'a.cedar#1'],
    ['an id that objects of JavaScript have', '@id("__proto__")', '__proto__'],
  ])('are found by their file and place, or their id: %s', (_what, annotation, id) => {
    expect(decided(forbid(annotation))).toEqual({ isAllowed: false, policies: [id] })
  })

  it('never take the place of another', () => {
    const { isAllowed, policies } = decided(`${forbid('')}\n${permit('@id("b.cedar#1")')}`, permit(''))
    expect([isAllowed, policies]).toEqual([false, ['a.cedar#1']])
    const all = decided(permit('@id("b.cedar#1")'), `${permit('')}\n${permit('')}`)
    expect(all.policies).toEqual(['b.cedar#1', 'b.cedar#1+', 'b.cedar#2', 'member-changes'])
  })
})
