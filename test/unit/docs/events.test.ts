import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { fitsPattern } from '../../../functions/core/trigger/trigger.ts'
import { EVENT_TYPES } from '../../../functions/core/values/event.ts'

const text = readFileSync(path.join(import.meta.dirname, '../../../docs/events.md'), 'utf8')
const section = /^## Every type\n(.*?)^## /ms.exec(text)?.[1] ?? ''
/** Types with an example. */
const shown = [...section.matchAll(/^\| `([a-z.]+)` \| `[A-Za-z]+` \| .+ \|$/gm)].map(([, type = '']) => type)
/** Types, as patterns, that nothing tells of. */
const unused = [...(/nothing tells of yet: (.*)$/m.exec(section)?.[1] ?? '').matchAll(/`([a-z.*]+)`/g)].map(
  ([, pattern = '']) => pattern,
)

describe('docs/events.md', () => {
  it('has an example of every type that there is, or says that nothing tells of it', () => {
    const known: readonly string[] = EVENT_TYPES
    expect(shown.filter((type) => !known.includes(type))).toEqual([])
    const others = known.filter((type) => !shown.includes(type))
    expect(others.filter((type) => !unused.some((pattern) => fitsPattern(pattern, type)))).toEqual([])
    expect(shown.filter((type) => unused.some((pattern) => fitsPattern(pattern, type)))).toEqual([])
    expect(new Set(shown).size).toBe(shown.length)
  })
})
