import { Command } from 'commander'
import { segment } from '../api/client.ts'
import type { ClusterView, HookView, NewHookView, ObserveView } from '../api/views.ts'
import { waitFor } from '../api/wait.ts'
import { CliError } from '../errors.ts'
import type { Io } from '../io.ts'
import { confirmOrEnd } from '../output/confirm.ts'
import type { Kind } from '../output/format.ts'
import { age, shown } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { accepted, connect, type WaitFlags, withExamples, withServer, withWait, withYes } from './options.ts'
import { listBelow } from './read-verbs.ts'

/** Observations at once: on request, and by hooks. */

const observeVerb = (io: Io) =>
  withExamples(withWait(withServer(new Command('observe'))), 'fedplane cluster observe edge-1')
    .description("Observe a cluster's health at once.")
    .argument('<cluster>', 'name or uuid')
    .action(async (name: string, options: ServerOptions & WaitFlags) => {
      const api = await connect(io, options)
      const again = `fedplane cluster health ${name}`
      const { uuid } = (await api.ask<ObserveView>('POST', `/clusters/${segment(name)}/actions/observe`)).body
      if (!options.wait) return accepted(io, `cluster/${name} will be observed`, again)
      await waitFor<ObserveView>(
        {
          path: `/clusters/${uuid}/actions/observe`,
          isDone: (seen) => {
            if (seen === undefined) throw new CliError(`Cluster ${name} was deleted meanwhile.`)
            return seen.state === 'idle'
          },
          snapshot: ({ state }) => ({ whole: `cluster/${name}  observation ${state}`, parts: new Map() }),
          again,
        },
        { io, api, timeoutSeconds: options.timeout },
      )
      const { health_status: health } = await api.get<ClusterView>(`/clusters/${uuid}`)
      io.stdout.write(`cluster/${shown(name)} ${shown(health ?? 'not observed')}\n`)
    })

const HOOKS: Kind<HookView> = {
  name: 'hook',
  list: 'hooks',
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', value: ({ name }) => name },
    { heading: 'UUID', value: ({ uuid }) => uuid },
    { heading: 'AGE', value: ({ created_at }) => age(created_at, Date.now()) },
  ],
}

const hooksOf = (cluster: string): string => `/clusters/${segment(cluster)}/hooks`

const create = (io: Io) =>
  withExamples(withServer(new Command('create')), 'fedplane cluster hook create edge-1 alertmanager')
    .description('Create a hook and print its URL, which is a secret and shown this once.')
    .argument('<cluster>', 'name or uuid')
    .argument('<name>', 'name of the hook')
    .action(async (cluster: string, name: string, options: ServerOptions) => {
      const api = await connect(io, options)
      const { url } = (await api.ask<NewHookView>('POST', hooksOf(cluster), { body: { name } })).body
      io.stdout.write(`${shown(url)}\n`)
    })

const list = (io: Io) =>
  listBelow(io, {
    verb: 'list',
    kind: HOOKS,
    path: '/clusters',
    description: 'List the hooks of a cluster.',
    examples: ['fedplane cluster hook list edge-1'],
    argument: 'cluster',
    meaning: 'name or uuid',
  }).alias('ls')

const remove = (io: Io) =>
  withExamples(
    withYes(withServer(new Command('delete'))).alias('rm'),
    'fedplane cluster hook delete edge-1 0199c5a2-7c3e-7e21-9f0a-3b7e2d1c4f60',
  )
    .description('Delete a hook: its URL leads nowhere any more.')
    .argument('<cluster>', 'name or uuid')
    .argument('<hook>', 'uuid of the hook')
    .action(async (cluster: string, hook: string, options: ServerOptions & { yes?: boolean }) => {
      const api = await connect(io, options)
      await confirmOrEnd(io, `The hook ${hook} of cluster ${cluster} will be deleted.`, options)
      await api.ask('DELETE', `${hooksOf(cluster)}/${segment(hook)}`)
      io.stdout.write(`hook/${shown(hook)} deleted\n`)
    })

/** `fedplane cluster observe` and `fedplane cluster hook …`. */
export const observeVerbs = (io: Io): Command[] => {
  const hook = new Command('hook').description('Hooks: URLs that have a cluster observed at once.')
  for (const verb of [create(io), list(io), remove(io)]) hook.addCommand(verb)
  return [observeVerb(io), hook]
}
