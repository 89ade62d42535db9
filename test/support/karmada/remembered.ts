/** Entries after which what is remembered is forgotten. */
const MAX = 500

/**
 * Remembers what texts come to: the stand-in checks the same few certificates all the time. Texts that are the same object are found
 * without being read.
 */
export const remembered = <T, Rest extends string[]>(
  make: (first: string, ...rest: Rest) => T,
): ((first: string, ...rest: Rest) => T) => {
  const known = new Map<string, Map<string, { value: T }>>()
  return (first, ...rest) => {
    if (known.size > MAX) known.clear()
    const below = known.get(first) ?? new Map<string, { value: T }>()
    known.set(first, below)
    const [key = ''] = rest
    const found = below.get(key) ?? { value: make(first, ...rest) }
    below.set(key, found)
    return found.value
  }
}

/** The text of base64, the same object each time. */
export const decoded = remembered((base64: string) => Buffer.from(base64, 'base64').toString())
