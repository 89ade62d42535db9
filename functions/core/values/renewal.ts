/** Seconds between two renewals at least, whatever a cluster says of the life of what it gave. */
const FLOOR_SECONDS = 300

/** Seconds after which a failed renewal is tried again: doubled with each failure in a row, up to an hour. */
const AGAIN_SECONDS = 600
const AGAIN_SECONDS_MAX = 3600

const after = (now: Date, seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString()

/** When to renew what was just renewed: as wanted, but not at once. Null for never. */
export const renewalAfterSuccess = (wanted: string | null, now: Date): string | null => {
  const soonest = after(now, FLOOR_SECONDS)
  return wanted !== null && wanted < soonest ? soonest : wanted
}

/** When to try again after so many failures in a row. */
export const renewalAfterFailures = (failures: number, now: Date): string =>
  after(now, Math.min(AGAIN_SECONDS * 2 ** (failures - 1), AGAIN_SECONDS_MAX))
