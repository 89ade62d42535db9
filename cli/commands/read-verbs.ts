import { Command } from 'commander'
import { type ApiClient, segment } from '../api/client.ts'
import type { EventView } from '../api/views.ts'
import type { Io } from '../io.ts'
import { type Kind, printList, printOne } from '../output/format.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { connect, type OutputFlags, withExamples, withOutput, withServer } from './options.ts'

/** Verbs that only read: lists, and one thing. */

type ReadOptions = ServerOptions & OutputFlags

/** What is read, and how its help says it. */
type Reading<T> = { kind: Kind<T>; path: string; description: string; examples: readonly string[] }

const verb = <T>(name: string, { description, examples }: Reading<T>): Command =>
  withExamples(withOutput(withServer(new Command(name))), ...examples).description(description)

const printAll = async <T>(io: Io, options: ReadOptions, { kind, path }: Pick<Reading<T>, 'kind' | 'path'>) => {
  const api = await connect(io, options)
  await printList(io, options.output, kind, await api.list<T>(path, kind.list))
}

/** `list`. */
export const listVerb = <T>(io: Io, reading: Reading<T>): Command =>
  verb('list', reading)
    .alias('ls')
    .action((options: ReadOptions) => printAll(io, options, reading))

/** An argument of a command line: its name, as completion knows it, and its meaning. */
type Argument = { argument: string; meaning: string }

/** A list below one thing, such as the members of a federation. `path` is that of the things. The verb's name is the list's by default. */
export const listBelow = <T>(io: Io, reading: Reading<T> & Argument & { verb?: string }): Command =>
  verb(reading.verb ?? reading.kind.list, reading)
    .argument(`<${reading.argument}>`, reading.meaning)
    .action((name: string, options: ReadOptions) =>
      printAll(io, options, { ...reading, path: `${reading.path}/${segment(name)}/${reading.kind.list}` }),
    )

/** One thing by its name. `describe` writes what people read; it is asked only where they do. */
export const showVerb = <T>(
  io: Io,
  reading: Reading<T> & Argument & { verb?: string; describe: (item: T, api: ApiClient) => string | Promise<string> },
): Command => {
  const command = verb(reading.verb ?? 'show', reading)
  if (reading.verb === undefined) command.alias('get')
  return command
    .argument(`<${reading.argument}>`, reading.meaning)
    .action(async (name: string, options: ReadOptions) => {
      const api = await connect(io, options)
      const item = await api.get<T>(`${reading.path}/${segment(name)}`)
      await printOne(io, options.output, {
        kind: reading.kind,
        item,
        describe: (seen) => reading.describe(seen, api),
      })
    })
}

const EVENTS: Kind<EventView> = {
  name: 'event',
  list: 'events',
  nameOf: ({ id }) => id,
  columns: [
    { heading: 'TIME', value: ({ time }) => time },
    { heading: 'ACTION', value: ({ action }) => action ?? '' },
    { heading: 'OUTCOME', value: ({ outcome }) => outcome ?? '' },
    { heading: 'REASON', value: ({ reason }) => reason },
    { heading: 'MESSAGE', value: ({ message }) => message },
    { heading: 'CLUSTER', value: ({ cluster_id }) => cluster_id ?? '', isWide: true },
  ],
}

/** `events` of a federation or a cluster. */
export const eventsVerb = (io: Io, { of, example }: { of: 'federation' | 'cluster'; example: string }): Command =>
  listBelow(io, {
    kind: EVENTS,
    path: `/${of}s`,
    description: `List what happened to a ${of}, of the last 30 days.`,
    examples: [`fedplane ${of} events ${example}`],
    argument: of,
    meaning: 'name or uuid; the uuid also after it was deleted',
  })
