import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ANSWER_BOUNDS } from '../../../functions/kubernetes/bounds.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const PAGE = readFileSync(path.join(ROOT, 'docs/bounds.md'), 'utf8')

/** Rows of the table that has this heading in its first column, as cells. */
const rowsOf = (heading: string): string[][] => {
  const [, after = ''] = PAGE.split(`\n| ${heading} |`)
  const [table = ''] = after.split('\n\n')
  return table
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .map((cell) => cell.trim().replace(/^`|`$/g, ''))
        .slice(1, -1),
    )
}

/** What reads answers of others, by how it is called. */
const READS = [
  /\b(?:listAll|pagesOf|httpCall|identityCall|awsCall|readText|fetch)\(/,
  /\.(?:raw|forward)\(/,
  /\b(?:client|session)\.(?:get|list|post|put|version)\(/,
  /\.post\(['`]/,
  /\bwhoAmI\(|\bselfSubjectReview\(|\bclusterTime\(|\bservedOf\(/,
]

/** Wrap a client, or are asked for what was read before. */
const NO_READERS = ['functions/flows/loop.ts', 'functions/core/access/cluster-access.ts']

const readers = globSync('functions/**/*.ts', { cwd: ROOT })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => !NO_READERS.some((prefix) => file.startsWith(prefix)))
  .filter((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8')
    return READS.some((read) => read.test(text))
  })

describe('docs/bounds.md', () => {
  it('has the bound of each kind of answer as the client has it', () => {
    const written = rowsOf('kind').map(([kind, bytes = '', values = '']) => [
      kind,
      { bytes: Number(bytes.replaceAll(',', '')), values: Number(values.replaceAll(',', '')) },
    ])
    expect(Object.fromEntries(written)).toEqual(ANSWER_BOUNDS)
  })

  it('has a row for each file that reads what others answer', () => {
    const places = rowsOf('reader').map(([place = '']) => place)
    expect(readers.length).toBeGreaterThan(50)
    expect(readers.filter((file) => !places.some((place) => file === place || file.startsWith(`${place}/`)))).toEqual(
      [],
    )
  })

  it('names places and tests that are there', () => {
    const tests = [...PAGE.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file)
    const places = rowsOf('reader').map(([place = '']) => place)
    expect([...tests, ...places].filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([])
  })

  it('is right that nothing watches', () => {
    const watching = readers.filter((file) => /\bwatch=|watch: ?true/.test(readFileSync(path.join(ROOT, file), 'utf8')))
    expect(watching).toEqual([])
  })
})
