import path from 'node:path'
import { cedarPolicy } from '../../functions/policy/cedar-policy.ts'
import { readPolicyFile, readPolicyFolder, SCHEMA_FILE } from '../../functions/runtime/bundled-files.ts'

const FOLDER = path.join(import.meta.dirname, '../../functions/policy')

export const defaultPolicies = readPolicyFolder(FOLDER)
export const policySchema = readPolicyFile(path.join(FOLDER, SCHEMA_FILE))

/** Magnum's default policies, as they run. */
export const defaultPolicy = cedarPolicy(defaultPolicies)
