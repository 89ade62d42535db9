import type { Clock } from '../../core/ports.ts'

/** Now, in the unit of DynamoDB's TTL attribute. */
export const epochSeconds = (clock: Clock): number => Math.floor(clock.now().getTime() / 1000)
