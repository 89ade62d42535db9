import path from 'node:path'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { examplesOf } from '../../../cli/commands/options.ts'
import { createProgram } from '../../../cli/program.ts'
import { referenceOf } from '../../../cli/reference.ts'

const FILE = path.join(import.meta.dirname, '../../../docs/cli.md')
const none = { write: () => undefined }
const program = createProgram({
  stdout: none,
  stderr: none,
  stdin: Readable.from([]),
  env: {},
  signal: new AbortController().signal,
})

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
const verbs = leaves(program).filter((command) => !command.name().startsWith('__'))

describe('the definitions of the verbs', () => {
  it('are what docs/cli.md says (-u writes it)', async () => {
    await expect(referenceOf(program)).toMatchFileSnapshot(FILE)
  })

  it.each(verbs.map((command) => [command.parent?.name() ?? '', command.name(), command] as const))(
    'have an example and a description: %s %s',
    (_parent, _name, command) => {
      expect(examplesOf(command).length).toBeGreaterThan(0)
      expect(command.description()).toMatch(/\.$/)
      for (const argument of command.registeredArguments) expect(argument.description).not.toBe('')
    },
  )
})
