import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import {
  AFTER_SECONDS,
  DEFAULT_HEALTH_POLICY,
  type HealthPolicy,
  ON_HEALTHY,
  ON_UNHEALTHY,
} from '../../core/health-policy/health-policy.ts'
import { parseAttributes } from '../body/attributes.ts'
import { integerField, optional, wordField } from '../body/fields.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'

/** Attributes of a federation that are its health policy. */
export const healthPolicyFields = {
  on_unhealthy: optional(wordField(ON_UNHEALTHY)).meta({
    description: `What becomes of members whose cluster is unhealthy. Default ${DEFAULT_HEALTH_POLICY.onUnhealthy}.`,
  }),
  after_seconds: optional(integerField(0, AFTER_SECONDS.max)).meta({
    description: `Seconds of uninterrupted unhealthiness before that. Default ${AFTER_SECONDS.default}.`,
  }),
  on_healthy: optional(wordField(ON_HEALTHY)).meta({
    description: `What becomes of those that left by it. Default ${DEFAULT_HEALTH_POLICY.onHealthy}.`,
  }),
}

const policyFields = z.object(healthPolicyFields)
type PolicyAttributes = z.output<typeof policyFields>

/** What a request says of the policy; what it does not mention stays, null is the default. */
export type WantedPolicy = { [K in keyof HealthPolicy]?: HealthPolicy[K] | null }

const FIELD_OF = { on_unhealthy: 'onUnhealthy', after_seconds: 'afterSeconds', on_healthy: 'onHealthy' } as const

export const POLICY_ATTRIBUTES: readonly string[] = Object.keys(FIELD_OF)

/** Of a create; null where it says nothing of it. */
export const policyOfCreate = (attributes: PolicyAttributes): WantedPolicy | null => {
  const given = Object.entries(FIELD_OF).flatMap(([name, field]) => {
    const value = attributes[name as keyof typeof FIELD_OF]
    return value === undefined ? [] : [[field, value]]
  })
  return given.length === 0 ? null : Object.fromEntries(given)
}

/** Of a patch; undefined where it says nothing of it. It stands alone. @throws InvalidRequest */
export const policyOfPatch = (operations: readonly PatchOperation[]): WantedPolicy | undefined => {
  const own = operations.filter(({ attribute }) => POLICY_ATTRIBUTES.includes(attribute))
  if (own.length === 0) return undefined
  if (own.length < operations.length || own.some(({ rest }) => rest.length > 0)) {
    throw new InvalidRequest(
      '"/on_unhealthy", "/after_seconds" and "/on_healthy" are changed as a whole, in a request without other attributes: [{"op": "replace", "path": "/on_unhealthy", "value": "cordon"}].',
    )
  }
  const values = Object.fromEntries(
    own.map(({ attribute, op, value = null }) => [attribute, op === 'remove' ? null : value]),
  )
  const parsed = parseAttributes(policyFields, values, { ignored: [], readOnly: [] })
  return Object.fromEntries(
    own.map(({ attribute }) => {
      const name = attribute as keyof typeof FIELD_OF
      return [FIELD_OF[name], parsed[name] ?? null]
    }),
  )
}
