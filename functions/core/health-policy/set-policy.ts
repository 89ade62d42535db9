import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import { InvalidRequest } from '../errors.ts'
import type { Federation } from '../federation/federation.ts'
import { decideOn } from '../federation/federation-rules.ts'
import { type Commands, requireThere, tellOf } from '../selector/release-selector.ts'
import { quote } from '../values/wording.ts'
import { DEFAULT_HEALTH_POLICY, type HealthPolicy } from './health-policy.ts'

/** @throws InvalidRequest where the driver can't keep a member from new workloads */
export const requireCordon = (
  { id, capabilities }: Pick<FederationDriverDescription, 'id' | 'capabilities'>,
  { onUnhealthy }: Pick<HealthPolicy, 'onUnhealthy'>,
): void => {
  if (onUnhealthy !== 'cordon' || capabilities.cordon) return
  throw new InvalidRequest(
    `"on_unhealthy": "cordon" has no meaning for the driver ${quote(id)}: it can't keep a member from new workloads. Use "keep" or "unjoin".`,
  )
}

/** The policy of a federation as it will be: what is not mentioned stays; null is the default. */
export const policyAfter = (
  { healthPolicy = DEFAULT_HEALTH_POLICY }: Pick<Federation, 'healthPolicy'>,
  wanted: { [K in keyof HealthPolicy]?: HealthPolicy[K] | null },
): HealthPolicy => {
  const of = <K extends keyof HealthPolicy>(key: K): HealthPolicy[K] => {
    const value = wanted[key]
    return value === undefined ? healthPolicy[key] : ((value as HealthPolicy[K] | null) ?? DEFAULT_HEALTH_POLICY[key])
  }
  return { onUnhealthy: of('onUnhealthy'), afterSeconds: of('afterSeconds'), onHealthy: of('onHealthy') }
}

/** Sets what becomes of members whose cluster is unhealthy. @throws StateConflict while the federation is being deleted */
export const setHealthPolicy = (
  ports: Commands,
  seen: Federation,
  next: (federation: Federation) => HealthPolicy,
): Promise<void> =>
  decideOn(ports.stores, seen, async (federation) => {
    requireThere(federation)
    const healthPolicy = next(federation)
    const { onUnhealthy, afterSeconds, onHealthy } = healthPolicy
    const message = `Of members that are unhealthy for ${afterSeconds} s: ${onUnhealthy}; when they are healthy again: ${onHealthy}.`
    await ports.stores.commit([
      ports.stores.federations.change(federation, { healthPolicy, updatedAt: ports.clock.now().toISOString() }),
      tellOf(ports, federation, 'HealthPolicySet', message),
    ])
  })
