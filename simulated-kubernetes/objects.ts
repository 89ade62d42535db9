/** A JSON object, not an array and not null. */
export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Equal as JSON, whatever the order of keys. */
export const isEqual = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  }
  if (!isFields(a) || !isFields(b)) return a === b
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
}

/** JSON merge patch, RFC 7386. */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isFields(patch)) return patch
  const result: Fields = isFields(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = mergePatch(result[key], value)
  }
  return result
}

/** A copy without the named fields. */
export const without = (object: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !names.includes(key)))
