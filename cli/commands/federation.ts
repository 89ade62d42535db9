import { Command } from 'commander'
import { type ApiClient, segment } from '../api/client.ts'
import type { ClusterView, FederationView } from '../api/views.ts'
import { waitFor } from '../api/wait.ts'
import type { Io } from '../io.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { federationChanges } from './federation-changes.ts'
import { describeFederation, FEDERATIONS, federationSnapshot, isMoving, isSettled, MEMBERS } from './federation-view.ts'
import { federationKubeconfig } from './kubeconfig.ts'
import { connect, durationOf, withExamples, withServer } from './options.ts'
import { eventsVerb, listBelow, listVerb, showVerb } from './read-verbs.ts'

/** Describes with the host's name, which the federation's answer does not have. */
const withHost = async (view: FederationView, api: ApiClient): Promise<string> => {
  const host = await api.find<ClusterView>(`/clusters/${segment(view.hostcluster_id)}`)
  return describeFederation(view, host?.name)
}

const list = (io: Io) =>
  listVerb(io, {
    kind: FEDERATIONS,
    path: '/federations/detail',
    description: 'List federations.',
    examples: ['fedplane federation list -o wide'],
  })

const show = (io: Io) =>
  showVerb(io, {
    kind: FEDERATIONS,
    path: '/federations',
    description: 'Show a federation with its members and conditions.',
    examples: ['fedplane federation show fleet', "fedplane federation show fleet -o jsonpath='{.members[*].name}'"],
    argument: 'federation',
    meaning: 'name or uuid',
    describe: withHost,
  })

const members = (io: Io) =>
  listBelow(io, {
    kind: MEMBERS,
    path: '/federations',
    description: 'List the members of a federation with their states.',
    examples: ['fedplane federation members fleet -o wide'],
    argument: 'federation',
    meaning: 'name or uuid',
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
      io.stdout.write(ended ? await withHost(ended, api) : `federation/${name} deleted\n`)
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
    eventsVerb(io, { of: 'federation', example: 'fleet' }),
    watch(io),
  ])
    command.addCommand(verb)
  return command
}
