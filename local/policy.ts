import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { AppError } from '../functions/core/values/app-error.ts'
import type { Policy } from '../functions/policy/policy.ts'
import type { PolicyText } from '../functions/policy/policy-text.ts'
import { readPolicyFile, readPolicyFolder, SCHEMA_FILE } from '../functions/runtime/bundled-files.ts'

/** There are no policies where FEDPLANE_POLICIES says. */
export class PoliciesNotFound extends AppError {
  override readonly name = 'PoliciesNotFound'
  readonly kind = 'invalid'
}

const DEFAULTS = path.join(import.meta.dirname, '../functions/policy')

const readPlace = (place: string): PolicyText[] => {
  if (!existsSync(place)) return []
  return statSync(place).isDirectory() ? readPolicyFolder(place) : [readPolicyFile(place)]
}

const readPolicies = (place: string): PolicyText[] => {
  const found = readPlace(place)
  if (found.length > 0) return found
  throw new PoliciesNotFound(
    `There are no policies at ${place}. Let FEDPLANE_POLICIES name a file, or a folder with files *.cedar.`,
  )
}

/**
 * Magnum's default policies, and those of the operator. Cedar is imported only here, beside whatever else starts. The defaults are checked
 * against the schema by a test, so that only additions cost the time.
 *
 * @param place file or folder of the operator's own
 * @throws PoliciesNotFound, PolicyTextInvalid
 */
export const loadPolicy = async (place?: string): Promise<Policy> => {
  const added = place === undefined ? [] : readPolicies(place)
  if (added.length > 0) {
    const { checkPolicies } = await import('../functions/policy/check-policies.ts')
    checkPolicies(readPolicyFile(path.join(DEFAULTS, SCHEMA_FILE)), added)
  }
  const { cedarPolicy } = await import('../functions/policy/cedar-policy.ts')
  return cedarPolicy([...readPolicyFolder(DEFAULTS), ...added])
}
