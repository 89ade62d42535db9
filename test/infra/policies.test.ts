import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PolicyTextInvalid } from '../../functions/policy/policy-text.ts'
import { putPoliciesBeside } from '../../infra/policies.ts'

let bundle: string
let own: string
beforeEach(() => {
  bundle = mkdtempSync(path.join(tmpdir(), 'fedplane-bundle-'))
  own = mkdtempSync(path.join(tmpdir(), 'fedplane-policies-'))
})
afterEach(() => {
  for (const folder of [bundle, own]) rmSync(folder, { recursive: true, force: true })
})

const inBundle = (): string[] => readdirSync(bundle, { recursive: true, encoding: 'utf8' }).sort()

it('puts the defaults and the wasm beside a bundle where the operator has none', () => {
  putPoliciesBeside([bundle], path.join(own, 'none'))
  expect(inBundle()).toEqual(['cedar_wasm_bg.wasm', 'policy', 'policy/magnum.cedar'])
})

it("takes the operator's along, and what is taken away does not stay", () => {
  writeFileSync(path.join(own, 'README.md'), 'ours')
  writeFileSync(path.join(own, 'a.cedar'), 'permit (principal, action, resource);')
  putPoliciesBeside([bundle], own)
  expect(inBundle()).toContain('policies/a.cedar')
  expect(inBundle()).not.toContain('policies/README.md')
  rmSync(path.join(own, 'a.cedar'))
  writeFileSync(path.join(own, 'b.cedar'), 'forbid (principal, action, resource);')
  putPoliciesBeside([bundle], own)
  expect(inBundle()).not.toContain('policies/a.cedar')
  rmSync(own, { recursive: true })
  putPoliciesBeside([bundle], own)
  expect(inBundle()).not.toContain('policies')
})

it('refuses a policy that does not fit, by file and position, before anything is copied', () => {
  const file = path.join(own, 'ours.cedar')
  writeFileSync(file, 'permit (principal, action, resource);\nforbid (principal, action == Action::"delte", resource);')
  expect(() => putPoliciesBeside([bundle], own)).toThrow(PolicyTextInvalid)
  expect(() => putPoliciesBeside([bundle], own)).toThrow(`${file}:2:`)
  expect(existsSync(path.join(bundle, 'policy'))).toBe(false)
})
