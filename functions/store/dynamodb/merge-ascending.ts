/** Everything that a source gives. */
export const toArray = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const value of source) all.push(value)
  return all
}

type Head<T> = { value: T; source: AsyncIterator<T> }

const pull = async <T>(source: AsyncIterator<T>): Promise<Head<T>[]> => {
  const step = await source.next()
  return step.done === true ? [] : [{ value: step.value, source }]
}

/**
 * Merges sources that each rise by `keyOf` into one that does; of equal ones those of the earlier source come first. Few sources: the
 * least head is looked for one by one.
 */
export async function* mergeAscending<T>(
  sources: readonly AsyncIterable<T>[],
  keyOf: (value: T) => string,
): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  const heads = (await Promise.all(iterators.map(pull))).flat()
  while (heads.length > 0) {
    const least = heads.reduce((a, b) => (keyOf(b.value) < keyOf(a.value) ? b : a))
    yield least.value
    heads.splice(heads.indexOf(least), 1, ...(await pull(least.source)))
  }
}
