import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { withExamples } from './options.ts'

/** The server's entry: built, beside this program in an installed package; else its source in the checkout. */
const entry = (): string => {
  const built = path.join(import.meta.dirname, '../server/main.mjs')
  return existsSync(built) ? built : path.resolve(import.meta.dirname, '../../local/main.ts')
}

/** `fedplane server`: the whole product in this process, as `npm start` runs it. Its own options are passed on. */
export const serverCommand = (program: Command): Command =>
  withExamples(
    new Command('server').copyInheritedSettings(program),
    'fedplane server',
    'fedplane server --port 0 --data-dir ./data',
  )
    .description('Run fedplane on this machine, in the foreground: API, database and flows. --help shows its settings.')
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(async (_options: unknown, command: Command) => {
      // It reads the process's own arguments.
      process.argv = [process.argv[0] ?? '', 'fedplane server', ...command.args]
      await import(pathToFileURL(entry()).href)
    })
