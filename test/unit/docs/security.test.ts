import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

/** SECURITY.md promises tests: each that it names is there. */

const ROOT = path.join(import.meta.dirname, '../../..')
const text = readFileSync(path.join(ROOT, 'SECURITY.md'), 'utf8')
const rows = text.split('\n').filter((line) => /^\| (?!actor|---)/.test(line))

describe('the threat model of SECURITY.md', () => {
  it('has a test for every row', () => {
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter((row) => !/`test\/[\w./-]+\.(test|e2e)\.ts`/.test(row))).toEqual([])
  })

  it('names tests that are there', () => {
    const named = [...text.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file)
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([])
  })
})
