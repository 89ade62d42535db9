import { Command, Option } from 'commander'
import { segment } from '../api/client.ts'
import type { DeliveryView, FeedEventView, TriggerView } from '../api/views.ts'
import type { Io } from '../io.ts'
import { confirmOrEnd } from '../output/confirm.ts'
import { type Kind, printList } from '../output/format.ts'
import { description } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { connect, type OutputFlags, withExamples, withOutput, withServer, withYes } from './options.ts'
import { listBelow, listVerb, showVerb } from './read-verbs.ts'

/** What happens in a project, and what is called when it does. */

const EVENTS: Kind<FeedEventView> = {
  name: 'event',
  list: 'events',
  nameOf: ({ id }) => id,
  columns: [
    { heading: 'TIME', value: ({ time }) => time },
    { heading: 'TYPE', value: ({ type }) => type },
    { heading: 'NAME', value: ({ owner }) => owner.name ?? owner.uuid },
    { heading: 'REASON', value: ({ reason }) => reason },
    { heading: 'MESSAGE', value: ({ message }) => message },
    { heading: 'CURSOR', value: ({ cursor }) => cursor, isWide: true },
  ],
}

/** `fedplane events`. */
export const eventsCommand = (io: Io): Command =>
  withExamples(withOutput(withServer(new Command('events'))), 'fedplane events --since 2026-11-29T10:00:00Z')
    .description('List what happened in the project, of the last 30 days.')
    .option('--since <time>', 'a time, or the cursor of an event: what came after it')
    .action(async ({ since, ...options }: ServerOptions & OutputFlags & { since?: string }) => {
      const api = await connect(io, options)
      const query = since === undefined ? {} : { since }
      await printList(io, options.output, EVENTS, await api.list<FeedEventView>('/events', 'events', query))
    })

const targetOf = ({ url, bus = '' }: TriggerView['target']): string => url ?? bus

const TRIGGERS: Kind<TriggerView> = {
  name: 'trigger',
  list: 'triggers',
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', value: ({ name }) => name },
    { heading: 'EVENTS', value: ({ events }) => events.join(',') },
    { heading: 'TARGET', value: ({ target }) => targetOf(target) },
    { heading: 'UUID', value: ({ uuid }) => uuid, isWide: true },
  ],
}

const DELIVERIES: Kind<DeliveryView> = {
  name: 'delivery',
  list: 'deliveries',
  nameOf: ({ uuid }) => uuid,
  columns: [
    { heading: 'UUID', value: ({ uuid }) => uuid },
    { heading: 'STATE', value: ({ state }) => state },
    { heading: 'TYPE', value: ({ type }) => type },
    { heading: 'ATTEMPTS', value: ({ attempts }) => String(attempts) },
    { heading: 'LAST ANSWER', value: ({ last_attempt: last }) => last?.message ?? '' },
    { heading: 'NEXT', value: ({ next_attempt_at: next }) => next ?? '', isWide: true },
  ],
}

const collect = (text: string, before: string[] = []): string[] => [...before, text]

type CreateOptions = ServerOptions & { url?: string; bus?: string; event: string[]; owner?: string; outcome?: string }

const create = (io: Io) =>
  withExamples(
    withServer(new Command('create')),
    'fedplane trigger create pager --url https://example.org/hook --event "cluster.*" --event federation.join.failure',
    "fedplane trigger create shop --bus arn:aws:events:eu-central-1:111122223333:event-bus/shop --event '*'",
  )
    .description('Create a trigger. Its secret is shown this once.')
    .argument('<name>', 'name of the trigger')
    .option('--url <url>', 'gets each event by POST, signed')
    .option('--bus <arn>', 'the EventBridge bus, of those that the operator allows, that gets each event (on AWS)')
    .addOption(
      new Option('--event <type>', 'type of event, with * for any text; may be repeated')
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .option('--owner <name>', 'only events of this cluster or federation')
    .addOption(new Option('--outcome <outcome>', 'only these').choices(['pending', 'success', 'failure']))
    .action(async (name: string, { url, bus, event, owner, outcome, ...options }: CreateOptions) => {
      const body = { name, events: event, filter: { owner, outcome }, target: { url, bus } }
      const api = await connect(io, options)
      const { secret } = (await api.ask<{ secret?: string }>('POST', '/triggers', { body })).body
      io.stdout.write(`trigger/${name} created\n${secret === undefined ? '' : `secret ${secret}\n`}`)
      if (secret === undefined) return
      io.stderr.write('The secret is not shown again. The receiver verifies webhook-signature with it.\n')
    })

const remove = (io: Io) =>
  withExamples(withYes(withServer(new Command('delete'))).alias('rm'), 'fedplane trigger delete pager')
    .description('Delete triggers; nothing is sent to their targets any more.')
    .argument('<trigger...>', 'names or uuids')
    .action(async (names: string[], options: ServerOptions & { yes?: boolean }) => {
      const api = await connect(io, options)
      await confirmOrEnd(io, `The triggers ${names.join(', ')} will be deleted.`, options)
      for (const name of names) {
        await api.ask('DELETE', `/triggers/${segment(name)}`)
        io.stdout.write(`trigger/${name} deleted\n`)
      }
    })

const test = (io: Io) =>
  withExamples(withServer(new Command('test')), 'fedplane trigger test pager')
    .description('Send a test event.')
    .argument('<trigger>', 'name or uuid')
    .action(async (name: string, options: ServerOptions) => {
      const api = await connect(io, options)
      const { body } = await api.ask<{ uuid: string }>('POST', `/triggers/${segment(name)}/actions/test`)
      io.stdout.write(`delivery/${body.uuid} begun\nTry: fedplane trigger deliveries ${name}\n`)
    })

const replay = (io: Io) =>
  withExamples(withServer(new Command('replay')), 'fedplane trigger replay pager 0193a5c2-7d1e-7f00-8000-000000000001')
    .description('Send once more what was delivered or given up.')
    .argument('<trigger>', 'name or uuid')
    .argument('<delivery>', 'uuid of fedplane trigger deliveries')
    .action(async (name: string, delivery: string, options: ServerOptions) => {
      const path = `/triggers/${segment(name)}/deliveries/${segment(delivery)}/actions/replay`
      const { body } = await (await connect(io, options)).ask<{ uuid: string }>('POST', path)
      io.stdout.write(`delivery/${body.uuid} begun\n`)
    })

const rotate = (io: Io) =>
  withExamples(withServer(new Command('rotate-secret')), 'fedplane trigger rotate-secret pager')
    .description('Give a trigger a new secret; the former one is valid for a day.')
    .argument('<trigger>', 'name or uuid')
    .action(async (name: string, options: ServerOptions) => {
      const api = await connect(io, options)
      const { body } = await api.ask<{ secret: string }>('POST', `/triggers/${segment(name)}/actions/rotate-secret`)
      io.stdout.write(`secret ${body.secret}\n`)
    })

const describeTrigger = ({ name, uuid, events, filter, target, created_at: created }: TriggerView): string =>
  description([
    ['Name', name],
    ['UUID', uuid],
    ['Events', events.join(', ')],
    [
      'Filter',
      Object.entries(filter)
        .map(([key, value]) => `${key}=${value}`)
        .join(', '),
    ],
    ['Target', targetOf(target)],
    ['Created', created],
  ])

/** `fedplane trigger …`. */
export const triggerCommand = (io: Io): Command => {
  const command = new Command('trigger').description('Triggers: what is called when something happens.')
  const reading = { kind: TRIGGERS, path: '/triggers' }
  const argument = { argument: 'trigger', meaning: 'name or uuid' }
  const verbs = [
    create(io),
    listVerb(io, { ...reading, description: 'List triggers.', examples: ['fedplane trigger list'] }),
    showVerb(io, {
      ...reading,
      ...argument,
      description: 'Show a trigger.',
      examples: ['fedplane trigger show pager'],
      describe: describeTrigger,
    }),
    remove(io),
    listBelow(io, {
      ...argument,
      kind: DELIVERIES,
      path: '/triggers',
      description: 'List what was or is sent to the target, of the last 30 days.',
      examples: ['fedplane trigger deliveries pager -o wide'],
    }),
    test(io),
    replay(io),
    rotate(io),
  ]
  for (const verb of verbs) command.addCommand(verb)
  return command
}
