import { existsSync } from 'node:fs'
import path from 'node:path'
import { cedarPolicy } from '../policy/cedar-policy.ts'
import type { Policy } from '../policy/policy.ts'
import { readPolicyFolder } from './policy-files.ts'

/**
 * Policies beside the bundle, as `infra/bundle.ts` copies and checks them: the defaults in `policy/`, those of the operator in `policies/`.
 *
 * @throws PolicyTextInvalid
 */
export const bundledPolicy = (): Policy => {
  // Bundles are CommonJS: it is the folder of `index.js`.
  const folders = ['policy', 'policies'].map((name) => path.join(__dirname, name))
  return cedarPolicy(folders.filter((folder) => existsSync(folder)).flatMap(readPolicyFolder))
}
