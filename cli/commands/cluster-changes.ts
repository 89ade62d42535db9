import { Command, Option } from 'commander'
import { type ApiClient, segment } from '../api/client.ts'
import type { ClusterView, DriverView } from '../api/views.ts'
import { waitFor } from '../api/wait.ts'
import { CliError, usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { confirmOrEnd } from '../output/confirm.ts'
import { shown } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { clusterSnapshot } from './cluster-view.ts'
import { type Access, findAccess, findLeftAccess, forgetAccess } from './forget.ts'
import {
  accepted,
  collect,
  collectPairs,
  connect,
  countOf,
  type WaitFlags,
  withExamples,
  withServer,
  withWait,
  withYes,
} from './options.ts'
import { untilSettled } from './register.ts'

type ChangeOptions = ServerOptions & WaitFlags

const pathOf = (name: string): string => `/clusters/${segment(name)}`

/** Ends here with `--no-wait`; else waits until the cluster is settled, and says so. */
const finish = async (
  io: Io,
  api: ApiClient,
  work: { uuid: string; name: string; done: string },
  options: WaitFlags,
): Promise<void> => {
  const { name, done } = work
  if (!options.wait) return accepted(io, `cluster/${name}: accepted`, `fedplane cluster show ${name}`)
  await untilSettled(io, api, work, options)
  io.stdout.write(`cluster/${shown(name)} ${done}\n`)
}

type CreateOptions = ChangeOptions & {
  template: string
  nodeCount?: number
  masterCount?: number
  label?: Record<string, string>
  mergeLabels?: boolean
  keypair?: string
  flavor?: string
  masterFlavor?: string
  createTimeout?: number
}

const create = (io: Io) =>
  withExamples(
    withWait(withServer(new Command('create'))),
    'fedplane cluster create paris --template k8s-1.36 --master-count 3 --node-count 2',
    'fedplane cluster create paris --template k8s-1.36 --label kube_tag=v1.36.1 --merge-labels --no-wait',
  )
    .description('Create a cluster from a template.')
    .argument('<name>', 'name of the cluster')
    .requiredOption('--template <template>', 'name or uuid of the cluster template')
    .option('--node-count <count>', 'workers', countOf)
    .option('--master-count <count>', 'control plane nodes, an odd number', countOf)
    .addOption(
      new Option('--label <key=value>', "in place of the template's labels; may be repeated").argParser(collectPairs),
    )
    .option('--merge-labels', "lay the labels over the template's")
    .option('--keypair <name>', 'key pair for the machines')
    .option('--flavor <name>', 'flavor of the workers')
    .option('--master-flavor <name>', 'flavor of the control plane nodes')
    .option('--create-timeout <minutes>', 'minutes after which the creation has failed', countOf)
    .action(async (name: string, options: CreateOptions) => {
      const api = await connect(io, options)
      const body = {
        name,
        cluster_template_id: options.template,
        node_count: options.nodeCount,
        master_count: options.masterCount,
        labels: options.label,
        merge_labels: options.mergeLabels,
        keypair: options.keypair,
        flavor_id: options.flavor,
        master_flavor_id: options.masterFlavor,
        create_timeout: options.createTimeout,
      }
      const uuid = await api.createOnce('/clusters', body)
      await finish(io, api, { uuid, name, done: 'created' }, options)
    })

const resize = (io: Io) =>
  withExamples(
    withWait(withServer(new Command('resize'))),
    'fedplane cluster resize paris 5',
    'fedplane cluster resize paris 2 --remove-node paris-worker-3',
  )
    .description('Change the number of workers.')
    .argument('<cluster>', 'name or uuid')
    .argument('<count>', 'workers of the node group', countOf)
    .option('--nodegroup <name>', 'node group (default: the default workers)')
    .addOption(new Option('--remove-node <name>', 'a node that goes first; may be repeated').argParser(collect))
    .action(
      async (name: string, count: number, options: ChangeOptions & { nodegroup?: string; removeNode?: string[] }) => {
        const api = await connect(io, options)
        const { uuid } = await api.get<ClusterView>(pathOf(name))
        const body = { node_count: count, nodegroup: options.nodegroup, nodes_to_remove: options.removeNode }
        await api.ask('POST', `/clusters/${uuid}/actions/resize`, { body })
        await finish(io, api, { uuid, name, done: 'resized' }, options)
      },
    )

const upgrade = (io: Io) =>
  withExamples(withWait(withServer(new Command('upgrade'))), 'fedplane cluster upgrade paris k8s-1.37')
    .description('Upgrade a cluster to another template of the same driver.')
    .argument('<cluster>', 'name or uuid')
    .argument('<template>', 'name or uuid of the template')
    .option('--max-batch-size <count>', 'nodes at a time', countOf)
    .option('--nodegroup <name>', 'node group (default: the default ones)')
    .action(
      async (
        name: string,
        template: string,
        options: ChangeOptions & { maxBatchSize?: number; nodegroup?: string },
      ) => {
        const api = await connect(io, options)
        const { uuid } = await api.get<ClusterView>(pathOf(name))
        const body = {
          cluster_template: template,
          max_batch_size: options.maxBatchSize ?? null,
          nodegroup: options.nodegroup,
        }
        await api.ask('POST', `/clusters/${uuid}/actions/upgrade`, { body })
        await finish(io, api, { uuid, name, done: 'upgraded' }, options)
      },
    )

/** What a deletion does: clusters of drivers that make no nodes exist without fedplane, and go on without it. */
const whatGoes = async (api: ApiClient, views: readonly ClusterView[]): Promise<string[]> => {
  const drivers = await api.list<DriverView>('/drivers', 'drivers')
  const registering = drivers.filter(({ cluster }) => cluster?.capabilities?.makes_nodes === false).map(({ id }) => id)
  return views.map(({ name, driver, master_count, node_count }) =>
    registering.includes(driver)
      ? `Cluster ${name} will be forgotten; nothing in it is touched.`
      : `Cluster ${name} will be deleted with its ${master_count + node_count} nodes and all that runs on them.`,
  )
}

type DeleteOptions = ChangeOptions & { force?: boolean; forget?: boolean; kubeconfig?: string; yes?: boolean }

/** Before anything is deleted. @throws CliError */
const requireWait = ({ forget, wait }: DeleteOptions): void => {
  if (forget && !wait) throw usageError('--forget needs the cluster to be gone first.', 'The same without --no-wait.')
}

const remove = (io: Io) =>
  withExamples(
    withYes(withWait(withServer(new Command('delete')))).alias('rm'),
    'fedplane cluster delete edge-1',
    'fedplane cluster delete prod --forget --yes',
  )
    .description('Delete clusters that fedplane created, or forget registered ones.')
    .argument('<cluster...>', 'names or uuids')
    .option('--force', 'for administrators: go on past what can not be reached')
    .option('--forget', 'also take away what cluster import created in the cluster')
    .option('--kubeconfig <file>', 'with --forget: kubeconfig that leads to the cluster')
    .action(async (names: string[], options: DeleteOptions) => {
      requireWait(options)
      const api = await connect(io, options)
      const found = await Promise.all(names.map((name) => whatIsThere(io, api, name, options)))
      const [views, accesses] = [found.flatMap(({ view }) => view ?? []), found.flatMap(({ access }) => access ?? [])]
      const goes = options.yes ? [] : await whatGoes(api, views)
      await confirmOrEnd(io, [...goes, ...accesses.map(({ describe }) => describe)].join(' '), options)
      for (const { uuid } of views) await api.ask('DELETE', `/clusters/${uuid}`, { query: { force: options.force } })
      // Only now: as long as it was registered its credential was in use.
      for (const view of views) await untilGone(io, api, view, options)
      for (const access of accesses) await forgetAccess(io, access)
    })

type Found = { view?: ClusterView; access?: Access | undefined }

/** A cluster, and with `--forget` what is to be taken away in it; also where that alone is left. @throws CliError when there is neither */
const whatIsThere = async (io: Io, api: ApiClient, name: string, options: DeleteOptions): Promise<Found> => {
  const { forget, kubeconfig } = options
  const view = await api.find<ClusterView>(pathOf(name))
  if (view) return { view, access: forget ? await findAccess(io, view, kubeconfig) : undefined }
  const access = forget ? await findLeftAccess(io, name, kubeconfig) : undefined
  return access ? { access } : { view: await api.get<ClusterView>(pathOf(name)) }
}

const untilGone = async (
  io: Io,
  api: ApiClient,
  { uuid, name }: ClusterView,
  options: DeleteOptions,
): Promise<void> => {
  if (!options.wait) {
    io.stdout.write(`cluster/${shown(name)} is being deleted\n`)
    return
  }
  await waitFor<ClusterView>(
    {
      path: `/clusters/${uuid}`,
      isDone: (seen) => seen === undefined || isDeleteFailed(seen),
      snapshot: clusterSnapshot,
      again: options.forget ? `fedplane cluster delete ${name} --forget` : `fedplane cluster show ${name}`,
    },
    { io, api, timeoutSeconds: options.timeout },
  )
  io.stdout.write(`cluster/${shown(name)} deleted\n`)
}

const isDeleteFailed = ({ name, status, status_reason }: ClusterView): false => {
  if (status.endsWith('_IN_PROGRESS')) return false
  throw new CliError(`Cluster ${name} was not deleted, and is ${status}: ${status_reason ?? 'no reason is given'}`, {
    remedy: `fedplane cluster delete ${name} --force`,
  })
}

/** Verbs that change clusters. */
export const clusterChanges = (io: Io): Command[] => [create(io), resize(io), upgrade(io), remove(io)]
