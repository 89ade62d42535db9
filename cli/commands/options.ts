import { type Command, InvalidArgumentError, Option } from 'commander'
import { ApiClient } from '../api/client.ts'
import type { Io } from '../io.ts'
import { FORMATS, formatOf } from '../output/format.ts'
import { shown } from '../output/table.ts'
import { chooseServer, type ServerOptions } from '../profiles/server.ts'

/** Examples of a command, for its help and for docs/cli.md. */
const EXAMPLES = new WeakMap<Command, string[]>()

export const examplesOf = (command: Command): readonly string[] => EXAMPLES.get(command) ?? []

/** Examples below a command's help, one line each. */
export const withExamples = (command: Command, ...lines: string[]): Command => {
  EXAMPLES.set(command, lines)
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

/** Heading of the options that say which server is meant. */
export const SERVER_GROUP = 'Server:'

/** Options of every command that talks to a server: which one, and as whom. */
export const withServer = (command: Command): Command =>
  command
    .addOption(new Option('--profile <name>', 'a profile of fedplane login').helpGroup(SERVER_GROUP))
    .addOption(new Option('--server <url>', 'address of the server').helpGroup(SERVER_GROUP))
    .addOption(new Option('--os-cloud <name>', 'an entry of clouds.yaml').helpGroup(SERVER_GROUP))

export const withOutput = (command: Command): Command =>
  command.addOption(
    new Option('-o, --output <format>', FORMATS.join(', '))
      .default('table')
      .argParser((text: string) => formatOf(text)),
  )

const DURATION = /^(\d{1,6})(s|m|h)?$/
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

/** `90`, `90s`, `5m`, `1h`, in seconds. */
export const durationOf = (text: string): number => {
  const [, count, unit = 's'] = DURATION.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('A duration is 90s, 5m or 1h.')
  return Number(count) * (SECONDS[unit] ?? 1)
}

/** Options of what takes long. */
export const withWait = (command: Command): Command =>
  command
    .addOption(new Option('--no-wait', 'end as soon as the request is accepted'))
    .addOption(
      new Option('--timeout <duration>', 'stop waiting after this time; the work goes on').argParser(durationOf),
    )

export const withYes = (command: Command): Command => command.option('-y, --yes', 'do not ask')

/** A count of something. */
export const countOf = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('An integer of 0 or more.')
}

/** `key=value`, given again and again. */
export const collectPairs = (text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Write key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

/** Values of an option that is given again and again, or with commas. */
export const collect = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(',').flatMap((part) => part.trim() || []),
]

export type WaitFlags = { wait: boolean; timeout?: number }
export type OutputFlags = { output: string }

/** A client for the server that the options choose. */
export const connect = async (io: Io, options: ServerOptions): Promise<ApiClient> =>
  new ApiClient(await chooseServer(options, io), io.signal)

/** Says that a request was accepted, where nothing is waited for. */
export const accepted = (io: Io, line: string, again: string): void => {
  io.stdout.write(`${shown(line)}\n`)
  io.stderr.write(`Try: ${shown(again)}\n`)
}
