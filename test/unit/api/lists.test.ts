import { describe, expect, it } from 'vitest'
import { titleOf } from '../../../functions/api/envelope.ts'
import { listResponse, selectPage } from '../../../functions/api/lists.ts'
import { mapLimited } from '../../../functions/core/map-limited.ts'
import { generatedName } from '../../../functions/core/values/ids.ts'

const QUERY = { limit: 1000, marker: undefined, sort_key: 'id', sort_dir: 'asc' } as const

describe('listResponse', () => {
  const respond = (count: number, bytes: number) => {
    const items = Array.from({ length: count }, (_, n) => ({ id: `i${n}`, text: 'x'.repeat(bytes) }))
    const shape = { collection: 'things', url: 'http://h/v1/things', write: (item: object) => JSON.stringify(item) }
    return JSON.parse(listResponse({ items, more: false }, QUERY, shape).text ?? '')
  }

  it('cuts a page at 5 MB and says where it goes on', () => {
    const { things, next } = respond(8, 1024 * 1024)
    expect([things.length, next]).toEqual([4, expect.stringContaining('marker=i3')])
  })

  it('gives an item that is too large alone', () => {
    expect(respond(2, 6 * 1024 * 1024).things).toHaveLength(1)
  })

  it('has no next when nothing is left', () => {
    expect(respond(3, 10)).not.toHaveProperty('next')
  })
})

describe('selectPage', () => {
  const listing = (count: number) => ({
    noun: 'Cluster' as const,
    columns: { id: ({ id }: { id: string }) => id, name: ({ id }: { id: string }) => id },
    get: async () => undefined,
    page: async ({ limit, marker = '' }: { limit: number; marker?: string }) => {
      const from = marker === '' ? 0 : Number(marker) + 1
      const items = Array.from({ length: Math.min(limit, count - from) }, (_, n) => ({ id: String(from + n) }))
      return { items, more: from + limit < count }
    },
  })

  it('sorts up to 5,000 items', async () => {
    const { items } = await selectPage(listing(5000), { ...QUERY, limit: 1, sort_key: 'name', sort_dir: 'desc' })
    expect(items).toEqual([{ id: '999' }])
  })

  it('refuses to sort more', async () => {
    const sorting = selectPage(listing(5001), { ...QUERY, sort_key: 'name' })
    await expect(sorting).rejects.toThrow('more than 5000 items')
  })
})

describe('titleOf', () => {
  it.each([
    ['A name a.b.c is wrong.', 'A name a.b.c is wrong.'],
    [`It is used by "a". ${'x'.repeat(500)}. Do this.`, `It is used by "a". ${'x'.repeat(500)}. Do this.`],
    [
      `First 1.10 sentence. ${'Second sentence. '.repeat(80)}`,
      `First 1.10 sentence. ${'Second sentence. '.repeat(34)}`.trim(),
    ],
    [`First ${'x'.repeat(592)}. Second.`, `First ${'x'.repeat(592)}.`],
    [`${'word '.repeat(119)}longer than what is left`, `${'word '.repeat(119)}…`],
    ['x'.repeat(700), `${'x'.repeat(598)} …`],
  ])('%s', (detail, title) => {
    expect(titleOf(detail)).toBe(title)
    expect(title.length).toBeLessThanOrEqual(600)
  })
})

describe('mapLimited', () => {
  it('keeps the order and never has more than 16 at once', async () => {
    let running = 0
    let most = 0
    const results = await mapLimited([...Array(50).keys()], async (n) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return n * 2
    })
    expect([results, most]).toEqual([[...Array(50).keys()].map((n) => n * 2), 16])
  })

  it('fails with the first failure', async () => {
    await expect(mapLimited([1, 2], () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  })
})

it('generated names follow the rule for names', () => {
  const names = Array.from({ length: 600 }, (_, n) => generatedName(`0-${n.toString(16).padStart(6, '0')}`, 'cluster'))
  expect(new Set(names).size).toBe(24 * 24)
  expect(names.every((name) => /^[a-z]+-([1-9]|1[0-9]|2[0-4])-cluster$/.test(name))).toBe(true)
})
