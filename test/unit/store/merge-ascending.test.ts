import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeAscending } from '../../../functions/store/dynamodb/read.ts'
import { collect } from '../../support/store/contract-subject.ts'

async function* from<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

describe('mergeAscending', () => {
  it('gives everything of all sources in rising order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.string({ maxLength: 3 }))), async (lists) => {
        const sources = lists.map((list) => from([...list].sort()))
        expect(await collect(mergeAscending(sources, (text) => text))).toEqual(lists.flat().sort())
      }),
    )
  })

  it('gives equal ones in the order of their sources', async () => {
    const keys = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(keys, { maxLength: 4 }), async (lists) => {
        const tagged = lists.map((list, source) => [...list].sort().map((key) => ({ key, source })))
        const merged = await collect(mergeAscending(tagged.map(from), ({ key }) => String(key)))
        expect(merged).toEqual(tagged.flat().sort((a, b) => a.key - b.key))
      }),
    )
  })

  it('reads no further than it is asked', async () => {
    let pulled = 0
    async function* endless() {
      for (;;) yield `${pulled++}`.padStart(9, '0')
    }
    const merged = mergeAscending([endless()], (text) => text)
    expect((await merged.next()).value).toBe('000000000')
    expect(pulled).toBe(1)
  })
})
