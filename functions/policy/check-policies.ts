import { checkParsePolicySet, checkParseSchema, validate } from '@cedar-policy/cedar-wasm/nodejs'
import { type PolicyText, refusalOf } from './policy-text.ts'

/**
 * Checks policies against the schema: an action, role or attribute that does not exist would otherwise just never match, and a `forbid`
 * with one never forbid.
 *
 * @throws PolicyTextInvalid for the first fault
 */
export const checkPolicies = (schema: PolicyText, policies: readonly PolicyText[]): void => {
  const parsed = checkParseSchema(schema.text)
  if (parsed.type === 'failure') throw refusalOf(schema, parsed.errors)
  for (const source of policies) {
    const staticPolicies = { staticPolicies: source.text }
    const alone = checkParsePolicySet(staticPolicies)
    if (alone.type === 'failure') throw refusalOf(source, alone.errors)
    const checked = validate({ schema: schema.text, policies: staticPolicies })
    if (checked.type === 'failure') throw refusalOf(source, checked.errors)
    if (checked.validationErrors.length > 0) {
      throw refusalOf(
        source,
        checked.validationErrors.map(({ error }) => error),
      )
    }
  }
}
