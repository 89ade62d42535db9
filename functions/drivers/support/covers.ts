const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * True when `actual` holds everything that `desired` says: objects may have more fields (defaults, other writers'), lists must be
 * equal in length and order. The API server drops empty maps and lists, so a desired empty one equals an absent one.
 */
export const covers = (actual: unknown, desired: unknown): boolean => {
  if (isRecord(desired)) {
    if (actual === undefined) return Object.keys(desired).length === 0
    return isRecord(actual) && Object.entries(desired).every(([key, value]) => covers(actual[key], value))
  }
  if (Array.isArray(desired)) {
    if (actual === undefined) return desired.length === 0
    return (
      Array.isArray(actual) &&
      actual.length === desired.length &&
      desired.every((item, index) => covers(actual[index], item))
    )
  }
  return Object.is(actual, desired)
}

/** True when each covers the other: for what is ours alone, where a field too many is a difference as well. */
export const agrees = (one: unknown, other: unknown): boolean => covers(one, other) && covers(other, one)
