type Head<T> = { value: T; source: AsyncIterator<T> }

const pull = async <T>(source: AsyncIterator<T>): Promise<Head<T>[]> => {
  const step = await source.next()
  return step.done === true ? [] : [{ value: step.value, source }]
}

/** Merges sources that each rise by `keyOf` into one that does. Few sources: the least head is looked for one by one. */
export async function* mergeAscending<T>(
  sources: readonly AsyncIterable<T>[],
  keyOf: (value: T) => string,
): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  let heads = (await Promise.all(iterators.map(pull))).flat()
  while (heads.length > 0) {
    const least = heads.reduce((a, b) => (keyOf(b.value) < keyOf(a.value) ? b : a))
    yield least.value
    heads = [...heads.filter((head) => head !== least), ...(await pull(least.source))]
  }
}
