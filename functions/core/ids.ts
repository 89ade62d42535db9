import { randomBytes } from 'node:crypto'
import type { Clock } from './ports.ts'

/** The last id's time and counter; per clock, so that a clock of a test that goes back does not disturb another's ids. */
type Last = { milliseconds: number; counter: number }

const lastOf = new WeakMap<Clock, Last>()

/** 12 bits beside the time. Starts in the lower half, which leaves 2,048 ids at least before the next millisecond is borrowed. */
const COUNTER_MAX = 0xfff
const START_MAX = 0x7ff

const next = (clock: Clock, random: Buffer): Last => {
  const now = clock.now().getTime()
  const last = lastOf.get(clock)
  if (last === undefined || now > last.milliseconds)
    return { milliseconds: now, counter: random.readUInt16BE(0) & START_MAX }
  if (last.counter < COUNTER_MAX) return { milliseconds: last.milliseconds, counter: last.counter + 1 }
  return { milliseconds: last.milliseconds + 1, counter: 0 }
}

/**
 * UUIDv7 (RFC 9562): 48 bits of time, a 12 bit counter (its method 1), 62 random bits. Ids of one process rise strictly, also within a
 * millisecond and when the clock goes back. Text order is order of creation.
 */
export const newUuidV7 = (clock: Clock): string => {
  const bytes = randomBytes(16)
  const { milliseconds, counter } = next(clock, bytes)
  lastOf.set(clock, { milliseconds, counter })
  bytes.writeUIntBE(milliseconds, 0, 6)
  bytes.writeUInt16BE(0x7000 | counter, 6)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
