import { Command } from 'commander'
import type { ApiClient } from '../api/client.ts'
import type { ClusterView, EventView, FederationView, MemberView } from '../api/views.ts'
import { waitFor } from '../api/wait.ts'
import type { Io } from '../io.ts'
import { printList, printOne } from '../output/format.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { EVENTS } from './event-view.ts'
import { federationChanges } from './federation-changes.ts'
import { describeFederation, FEDERATIONS, federationSnapshot, isMoving, isSettled, MEMBERS } from './federation-view.ts'
import { federationKubeconfig } from './kubeconfig.ts'
import { connect, durationOf, type OutputFlags, segment, withExamples, withOutput, withServer } from './options.ts'

type ReadOptions = ServerOptions & OutputFlags

const list = (io: Io) =>
  withExamples(withOutput(withServer(new Command('list'))).alias('ls'), 'fedplane federation list -o wide')
    .description('List federations.')
    .action(async (options: ReadOptions) => {
      const api = await connect(io, options)
      await printList(
        io,
        options.output,
        FEDERATIONS,
        await api.list<FederationView>('/federations/detail', 'federations'),
      )
    })

const show = (io: Io) =>
  withExamples(
    withOutput(withServer(new Command('show'))).alias('get'),
    'fedplane federation show fleet',
    "fedplane federation show fleet -o jsonpath='{.members[*].name}'",
  )
    .description('Show a federation with its members and conditions.')
    .argument('<federation>', 'name or uuid')
    .action(async (name: string, options: ReadOptions) => {
      const api = await connect(io, options)
      const item = await api.get<FederationView>(`/federations/${segment(name)}`)
      await printOne(io, options.output, { kind: FEDERATIONS, item, describe: await withHost(api, item) })
    })

/** Describes with the host's name, which the federation's answer does not have. */
const withHost = async (api: ApiClient, { hostcluster_id }: FederationView) => {
  const host = await api.find<ClusterView>(`/clusters/${segment(hostcluster_id)}`)
  return (view: FederationView) => describeFederation(view, host?.name)
}

const members = (io: Io) =>
  withExamples(withOutput(withServer(new Command('members'))), 'fedplane federation members fleet -o wide')
    .description('List the members of a federation with their states.')
    .argument('<federation>', 'name or uuid')
    .action(async (name: string, options: ReadOptions) => {
      const api = await connect(io, options)
      await printList(
        io,
        options.output,
        MEMBERS,
        await api.list<MemberView>(`/federations/${segment(name)}/members`, 'members'),
      )
    })

const events = (io: Io) =>
  withExamples(withOutput(withServer(new Command('events'))), 'fedplane federation events fleet')
    .description('List what happened to a federation, of the last 30 days.')
    .argument('<federation>', 'name or uuid; the uuid also after it was deleted')
    .action(async (name: string, options: ReadOptions) => {
      const api = await connect(io, options)
      await printList(
        io,
        options.output,
        EVENTS,
        await api.list<EventView>(`/federations/${segment(name)}/events`, 'events'),
      )
    })

const watch = (io: Io) =>
  withExamples(withServer(new Command('watch')), 'fedplane federation watch fleet')
    .description('Watch the work on a federation until it is done. Ctrl-C stops watching, not the work.')
    .argument('<federation>', 'name or uuid')
    .option('--timeout <duration>', 'stop watching after this time', durationOf)
    .action(async (name: string, options: ServerOptions & { timeout?: number }) => {
      const api = await connect(io, options)
      const { uuid } = await api.get<FederationView>(`/federations/${segment(name)}`)
      const ended = await waitFor<FederationView>(
        {
          path: `/federations/${uuid}`,
          isDone: (seen) => seen === undefined || (isSettled(seen, name) && !seen.members.some(isMoving)),
          snapshot: federationSnapshot,
          again: `fedplane federation watch ${name}`,
        },
        { io, api, timeoutSeconds: options.timeout },
      )
      io.stdout.write(ended ? (await withHost(api, ended))(ended) : `federation/${name} deleted\n`)
    })

/** `fedplane federation …`. */
export const federationCommand = (io: Io): Command => {
  const command = new Command('federation')
    .alias('fed')
    .description('Federations: create them, join and unjoin clusters.')
  for (const verb of [
    ...federationChanges(io),
    list(io),
    show(io),
    members(io),
    federationKubeconfig(io),
    events(io),
    watch(io),
  ])
    command.addCommand(verb)
  return command
}
