import { describe, expect, it } from 'vitest'
import { CliError } from '../../../cli/errors.ts'
import { fillJsonPath } from '../../../cli/output/json-path.ts'
import { age, description, table } from '../../../cli/output/table.ts'

describe('table', () => {
  it('aligns columns as kubectl does, and marks empty cells', () => {
    expect(
      table(
        ['NAME', 'STATUS'],
        [
          ['a', 'Ready'],
          ['a-long-name', ''],
        ],
      ),
    ).toBe('NAME          STATUS\na             Ready\na-long-name   <none>\n')
  })

  it('counts columns of the terminal, not characters', () => {
    expect(
      table(
        ['N', 'S'],
        [
          ['東京', 'x'],
          ['a', 'y'],
        ],
      ),
    ).toBe('N      S\n東京   x\na      y\n')
  })

  it.each([
    ['a colour', '\u001b[31mred'],
    ['a new line', 'one\ntwo'],
    ['another direction', '\u202eabc'],
    ['a C1 control', '\u009b2J'],
  ])('lets no cell steer the terminal: %s', (_what, cell) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for.
    expect(table(['A'], [[cell]])).not.toMatch(/[\u001b\u009b\u202e]|e\ntwo/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for.
    expect(description([['A', cell]])).not.toMatch(/[\u001b\u009b\u202e]|e\ntwo/)
  })

  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [7_199, '119m'],
    [7_200, '2h'],
    [172_799, '47h'],
    [172_800, '2d'],
    [-5, '0s'],
  ])('shows an age of %d seconds as %s', (seconds, text) => {
    expect(age('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:00:00Z') + seconds * 1000)).toBe(text)
  })
})

const FLEET = {
  name: 'fleet',
  count: 2,
  members: [
    { name: 'a', state: 'Ready', labels: { 'example.org/zone': 'x' } },
    { name: 'b', state: 'JoinFailed' },
  ],
}

describe('fillJsonPath', () => {
  it.each([
    ['{.name}', 'fleet'],
    ['name={.name} count={.count}', 'name=fleet count=2'],
    ['{.members[*].name}', 'a b'],
    ['{.members[0]}', '{"name":"a","state":"Ready","labels":{"example.org/zone":"x"}}'],
    ['{range .members[*]}{.name}{"\\t"}{.state}{"\\n"}{end}', 'a\tReady\nb\tJoinFailed\n'],
    ["{range .members[*]}{@.name}{'\\n'}{end}", 'a\nb\n'],
    ['{.members[?(@.state=="JoinFailed")].name}', 'b'],
    ["{.members[0].labels['example.org/zone']}", 'x'],
    ['{.nothing}', ''],
    ['plain', 'plain'],
    ['', ''],
  ])('fills %s', (template, text) => {
    expect(fillJsonPath(template, FLEET)).toBe(text)
  })

  it.each(['{.name', '{range .members[*]}{.name}', '{end}', '{.members[?(@.state==}'])('refuses %s', (template) => {
    expect(() => fillJsonPath(template, FLEET)).toThrow(CliError)
  })

  it('runs no code of a template', () => {
    expect(() => fillJsonPath('{.members[?(process.exit(1))]}', FLEET)).toThrow(CliError)
    expect(() => fillJsonPath('{.members[?(@.constructor.constructor("return process")())]}', FLEET)).toThrow(CliError)
  })
})
