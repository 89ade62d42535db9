import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { longProse } from '../../support/prose.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const FOLDERS = '{.ci,cli,clients,docs,functions,infra,local,simulated-kubernetes,statemachines,test}'
/** Inputs from the field, kept as they were given. */
const GIVEN = 'test/contract/cases/field'
const PAGES = globSync(['*.md', `${FOLDERS}/**/*.md`], {
  cwd: ROOT,
  exclude: (name) => name.includes('node_modules') || name.startsWith(GIVEN),
}).sort()

const words = (count: number): string => `${Array.from({ length: count }, () => 'word').join(' ')}.`

describe('the lint of prose', () => {
  it.each([
    ['a sentence of 25 words', words(25), 0],
    ['one of 26', words(26), 1],
    ['two of 25', `${words(25)} ${words(25).replace('w', 'W')}`, 0],
    ['code, which is one word', `\`${words(40)}\` ${words(24)}`, 0],
    ['an item of a list', `- ${words(26)}`, 1],
    ['a table', `| a |\n|---|\n| ${words(40)} |`, 0],
    ['a block of code', `\`\`\`\n${words(40)}\n\`\`\``, 0],
    ['a paragraph of more than four lines', Array.from({ length: 9 }, () => `A${words(12)}`).join(' '), 1],
  ])('counts %s', (_what, text, found) => {
    expect(longProse(text)).toHaveLength(found)
  })
})

describe.each(PAGES)('%s', (file) => {
  it('has sentences of at most 25 words and paragraphs of at most four lines', () => {
    expect(longProse(readFileSync(path.join(ROOT, file), 'utf8'))).toEqual([])
  })
})
