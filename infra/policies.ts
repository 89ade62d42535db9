import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { checkPolicies } from '../functions/policy/check-policies.ts'
import { policyFilesIn, readPolicyFile, readPolicyFolder, SCHEMA_FILE } from '../functions/runtime/bundled-files.ts'

const DEFAULTS = path.join(import.meta.dirname, '../functions/policy')
const WASM = 'cedar_wasm_bg.wasm'

/** The package reads it from beside its own code, which is `index.js` once it is bundled. */
const wasmFile = (): string =>
  path.join(path.dirname(createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs')), WASM)

/** Without what an earlier call left there: a policy that was taken away must not stay in force. */
const replaceWith = (target: string, source: string): void => {
  rmSync(target, { recursive: true, force: true })
  if (!existsSync(source)) return
  mkdirSync(target, { recursive: true })
  for (const name of policyFilesIn(source)) cpSync(path.join(source, name), path.join(target, name))
}

/**
 * Puts beside bundles what `functions/runtime/bundled-policy.ts` reads: the default policies in `policy/`, the operator's in `policies/`,
 * after all were checked, and Cedar's wasm.
 *
 * @param operatorPolicies folder; need not be there
 * @throws PolicyTextInvalid
 */
export const putPoliciesBeside = (bundles: readonly string[], operatorPolicies: string): void => {
  const folders = [DEFAULTS, operatorPolicies].filter((folder) => existsSync(folder))
  const schema = readPolicyFile(path.join(DEFAULTS, SCHEMA_FILE))
  checkPolicies(schema, folders.flatMap(readPolicyFolder))
  for (const bundle of bundles) {
    replaceWith(path.join(bundle, 'policy'), DEFAULTS)
    replaceWith(path.join(bundle, 'policies'), operatorPolicies)
    cpSync(wasmFile(), path.join(bundle, WASM))
  }
}
