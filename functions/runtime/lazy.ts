/** Makes a value at its first use and keeps it: one for each Lambda environment. A failure is not kept. */
export const lazy = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
