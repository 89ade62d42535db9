import process from 'node:process'
import { Command } from 'commander'
import { hashPassword } from '../../functions/identity/password.ts'
import { CliError, EXIT, usageError } from '../errors.ts'
import { type Io, readStdin } from '../io.ts'
import { withExamples } from './options.ts'

/** Shorter ones are guessed in spite of limits (NIST SP 800-63B, section 3.1.1.2: at least 8 beside another factor, 15 alone). */
const LENGTH_MIN = 15
const LENGTH_MAX = 1024

/** Asked for twice at a terminal, where nothing shows it; of a pipe all of it but the end of its line. */
const readPassword = async (io: Io): Promise<string> => {
  if (!io.stdin.isTTY) return (await readStdin(io)).replace(/\r?\n$/, '')
  const { default: ask } = await import('@inquirer/password')
  const prompt = (message: string): Promise<string> =>
    ask({ message, mask: false }, { output: process.stderr, signal: io.signal }).catch(() => {
      throw new CliError('Nothing was done.', { exitCode: EXIT.failed })
    })
  const password = await prompt('Password')
  if ((await prompt('Again')) !== password) throw usageError('The two are not the same.', 'The same command again.')
  return password
}

const printHash = async (io: Io): Promise<void> => {
  const password = await readPassword(io)
  if (password.length < LENGTH_MIN || password.length > LENGTH_MAX) {
    throw usageError(
      `The password has ${password.length} characters; ${LENGTH_MIN} to ${LENGTH_MAX} are accepted.`,
      'A sentence of some words.',
    )
  }
  io.stdout.write(`${await hashPassword(password)}\n`)
}

/** `fedplane user`: users of the identity facade (docs/authentication.md). */
export const userCommand = (io: Io): Command =>
  new Command('user').description('Users of the identity facade.').addCommand(
    withExamples(new Command('hash'), 'fedplane user hash', 'pass show ana | fedplane user hash')
      .description(
        'Read a password and print its hash for the file of users. It asks no server, and shows nothing typed.',
      )
      .action((_options: unknown, { args }: Command) => {
        if (args.length === 0) return printHash(io)
        throw usageError(
          'A password is no argument: others see the command line.',
          'fedplane user hash, which asks for it.',
        )
      }),
  )
