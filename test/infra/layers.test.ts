import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = path.join(import.meta.dirname, '../..')
const config = createRequire(import.meta.url)(path.join(ROOT, '.dependency-cruiser.cjs')) as IFlattenedRuleSet & {
  options: ICruiseOptions
}

/** Imports that each break one rule: from, to, rule. */
const BROKEN: readonly [from: string, to: string, rule: string][] = [
  ['functions/core/values/a.ts', 'functions/core/access/a.ts', 'entities-are-pure'],
  ['functions/core/cluster/cluster.ts', 'zod', 'entities-are-pure'],
  ['functions/store/a.store.ts', 'functions/store/dynamodb/a.ts', 'interfaces-know-entities-only'],
  ['functions/drivers/contract/a.ts', 'functions/core/access/a.ts', 'interfaces-know-entities-only'],
  ['functions/flows/x/a.ts', 'local/a.ts', 'functions-stand-alone'],
  ['functions/flows/x/b.ts', 'test/support/a.ts', 'functions-stand-alone'],
  ['functions/api/a.ts', 'functions/store/dynamodb/a.ts', 'implementations-are-injected'],
  ['functions/api/b.ts', 'functions/store/sealing/a.ts', 'implementations-are-injected'],
  ['functions/core/access/b.ts', 'functions/drivers/registry.ts', 'implementations-are-injected'],
  ['functions/core/access/c.ts', 'functions/kubernetes/connect.ts', 'implementations-are-injected'],
  ['functions/api/c.ts', 'functions/runtime/aws-ports.ts', 'wiring-is-for-entry-files'],
  ['functions/flows/x/c.ts', 'functions/drivers/federation/karmada/v1/index.ts', 'core-knows-no-driver'],
  ['functions/api/e.ts', 'functions/drivers/descriptions.ts', 'implementations-are-injected'],
  [
    'functions/drivers/descriptions.ts',
    'functions/drivers/cluster/karmada/v1/index.ts',
    'keyless-functions-carry-no-driver',
  ],
  ['functions/workers/renewals/handler.ts', 'functions/runtime/karmada.ts', 'keyless-functions-carry-no-driver'],
  ['functions/api/x/x.routes.ts', 'functions/api/x/x.answer.schema.ts', 'answers-are-documentation'],
  ['functions/core/access/d.ts', 'functions/flows/x/d.ts', 'core-is-below-the-edges'],
  ['functions/api/d.ts', 'functions/workers/a.ts', 'edges-know-no-other-edge'],
  [
    'functions/drivers/federation/karmada/v1/a.ts',
    'functions/drivers/federation/karmada/v2/a.ts',
    'drivers-stand-alone',
  ],
  ['functions/drivers/federation/karmada/v1/b.ts', 'functions/core/access/a.ts', 'drivers-stand-alone'],
  [
    'functions/drivers/federation/karmada/v1/host/a.ts',
    'functions/drivers/federation/karmada/v1/member/a.ts',
    'storeys-of-karmada-v1',
  ],
  [
    'functions/drivers/cluster/capi/v1/management/a.ts',
    'functions/drivers/cluster/capi/v1/status/a.ts',
    'storeys-of-capi-v1',
  ],
  [
    'functions/drivers/cluster/capi/v1/phases/a.ts',
    'functions/drivers/cluster/capi/v1/observe.ts',
    'storeys-of-capi-v1',
  ],
  ['functions/core/access/e.ts', '@aws-sdk/client-sfn', 'aws-sdk-behind-ports'],
  ['functions/kubernetes/a.ts', '@kubernetes/client-node', 'no-client-node-at-run-time'],
  ['infra/a.ts', 'functions/core/access/a.ts', 'infra-reads-tables-and-constants'],
  ['local/b.ts', 'infra/b.ts', 'local-needs-no-infra'],
  ['local/c.ts', 'asn1js', 'declared-dependencies-only'],
  ['local/e.ts', 'esbuild', 'tools-stay-tools'],
  ['local/d.ts', './gone.ts', 'no-unresolvable'],
]

/** Imports that are fine. */
const GOOD: readonly [from: string, to: string][] = [
  ['functions/api/table.handler.ts', 'functions/runtime/aws-table-ports.ts'],
  ['functions/api/openapi/answers.ts', 'functions/api/x/g.answer.schema.ts'],
  ['functions/flows/x/handler.ts', 'functions/runtime/aws-ports.ts'],
  ['functions/api/g.ts', 'functions/core/access/a.ts'],
  ['functions/drivers/federation/karmada/v1/g.ts', 'functions/drivers/support/a.ts'],
  ['functions/runtime/g.ts', 'functions/store/dynamodb/a.ts'],
  ['local/g.ts', 'functions/store/dynamodb/a.ts'],
  ['infra/h.ts', 'local/engine/asl-lint.ts'],
  ['infra/g.ts', 'functions/api/routes.ts'],
  ['infra/h.ts', 'functions/policy/check-policies.ts'],
  ['infra/i.ts', 'functions/drivers/descriptions.ts'],
  ['infra/j.ts', 'functions/authorizer/settings.ts'],
]

let folder: string
let found: { from: string; rule: string }[]

const specifier = (from: string, to: string): string => {
  if (!to.endsWith('.ts') || to.startsWith('./')) return to
  const relative = path.posix.relative(path.posix.dirname(from), to)
  return relative.startsWith('.') ? relative : `./${relative}`
}

const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), text)
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-layers-'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  symlinkSync(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'))
  const imports = [...BROKEN, ...GOOD]
  for (const [, to] of imports) if (to.endsWith('.ts') && !to.startsWith('./')) write(to, 'export const value = 1\n')
  for (const [from, to] of imports)
    write(from, `import * as it from '${specifier(from, to)}'\nexport const value = it\n`)
  write('functions/runtime/karmada.ts', "export * as it from '../drivers/registry.ts'\n")
  write('functions/core/access/one.ts', "import { two } from './two.ts'\nexport const one = (): unknown => two\n")
  write('functions/core/access/two.ts', "import { one } from './one.ts'\nexport const two = (): unknown => one\n")
  const { forbidden, options } = config
  const { output } = await cruise(['functions', 'infra', 'local'], {
    ...options,
    baseDir: folder,
    validate: true,
    ruleSet: { forbidden },
  } as ICruiseOptions)
  found = (output as ICruiseResult).summary.violations.map(({ from, rule }) => ({ from, rule: rule.name }))
}, 30_000)

afterAll(() => rmSync(folder, { recursive: true }))

describe('layer rules', () => {
  it.each(BROKEN)('refuses that %s imports %s: %s', (from, _to, rule) => {
    expect(found).toContainEqual({ from, rule })
  })

  it.each(GOOD)('allows that %s imports %s', (from) => {
    expect(found.filter((violation) => violation.from === from)).toEqual([])
  })

  it('refuses circles', () => {
    expect(found.filter(({ rule }) => rule === 'no-cycles').length).toBeGreaterThan(0)
  })

  it('has an example for each rule', () => {
    const names = config.forbidden?.map((rule) => rule.name) ?? []
    expect(new Set([...BROKEN.map(([, , rule]) => rule), 'no-cycles'])).toEqual(new Set(names))
  })
})
