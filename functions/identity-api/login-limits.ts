import { createHash } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Clock } from '../core/ports.ts'
import type { IdentityStore } from '../store/identity.store.ts'
import { IdentityRefusal } from './errors.ts'

const WINDOW_MS = 5 * 60_000

/**
 * Failed logins in five minutes, counted in this order: what the first refuses the others never see, so that one source can't lock a user out
 * for all.
 */
const LIMITS = [
  { max: 20, of: (user: string, source: string) => ['user-and-source', user, source] },
  { max: 100, of: (_: string, source: string) => ['source', source] },
  { max: 200, of: (user: string) => ['user', user] },
] as const

/** A host has a whole /64 of IPv6, so that is what counts as one source. */
export const sourceOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex')
}

/** User names are any text, and no list of them should be in the table. */
const digest = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

export type Login = { user: string; source: string }

/**
 * Counts a login before it is tried, so that many at once are not let through, and forgets it when it was good. Users that are not there are counted like
 * others.
 *
 * @param attempt undefined when it failed
 * @throws IdentityRefusal (429) whatever the password is; what `attempt` throws
 */
export const withinLoginLimits = async <T>(
  { store, clock }: { store: IdentityStore; clock: Clock },
  { user, source }: Login,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> => {
  const now = clock.now().getTime()
  const endsAt = new Date((Math.floor(now / WINDOW_MS) + 1) * WINDOW_MS)
  const span = { id: endsAt.toISOString(), endsAt }
  const keys = LIMITS.map(({ max, of }) => ({ max, key: digest(of(user, source)) }))
  for (const { max, key } of keys) {
    if ((await store.countLogin(key, span)) <= max) continue
    const seconds = Math.ceil((endsAt.getTime() - now) / 1000)
    throw new IdentityRefusal(
      'throttled',
      `Too many logins of this user or from this address have failed: try again in ${seconds} seconds.`,
      { 'Retry-After': String(seconds) },
    )
  }
  const forget = () => Promise.all(keys.map(({ key }) => store.forgetLogin(key, span)))
  let result: T | undefined
  try {
    result = await attempt()
  } catch (error) {
    // Nobody has learnt anything about the password.
    await forget()
    throw error
  }
  if (result !== undefined) await forget()
  return result
}
