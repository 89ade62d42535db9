import { Command, Option } from 'commander'
import type { ClusterView, EventView } from '../api/views.ts'
import { type Io, readStdin } from '../io.ts'
import { clusterNameOf, contextOf, loadKubeconfig, parseGiven } from '../kubeconfig/local-kubeconfig.ts'
import { printList, printOne } from '../output/format.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { clusterChanges } from './cluster-changes.ts'
import { CLUSTERS, describeCluster, describeHealth } from './cluster-view.ts'
import { EVENTS } from './event-view.ts'
import { clusterKubeconfig } from './kubeconfig.ts'
import {
  connect,
  type OutputFlags,
  segment,
  type WaitFlags,
  withExamples,
  withOutput,
  withServer,
  withWait,
  withYes,
} from './options.ts'
import { register, untilSettled } from './register.ts'

type ReadOptions = ServerOptions & OutputFlags

const list = (io: Io) =>
  withExamples(withOutput(withServer(new Command('list'))).alias('ls'), 'fedplane cluster list -o wide')
    .description('List clusters.')
    .action(async (options: ReadOptions) => {
      const api = await connect(io, options)
      await printList(io, options.output, CLUSTERS, await api.list<ClusterView>('/clusters/detail', 'clusters'))
    })

const find = async (io: Io, name: string, options: ReadOptions): Promise<ClusterView> =>
  (await connect(io, options)).get<ClusterView>(`/clusters/${segment(name)}`)

const show = (io: Io) =>
  withExamples(
    withOutput(withServer(new Command('show'))).alias('get'),
    'fedplane cluster show edge-1',
    "fedplane cluster show edge-1 -o jsonpath='{.api_address}'",
  )
    .description('Show a cluster.')
    .argument('<cluster>', 'name or uuid')
    .action(async (name: string, options: ReadOptions) =>
      printOne(io, options.output, { kind: CLUSTERS, item: await find(io, name, options), describe: describeCluster }),
    )

const health = (io: Io) =>
  withExamples(withOutput(withServer(new Command('health'))), 'fedplane cluster health edge-1')
    .description("Show a cluster's health: its API and each node.")
    .argument('<cluster>', 'name or uuid')
    .action(async (name: string, options: ReadOptions) =>
      printOne(io, options.output, { kind: CLUSTERS, item: await find(io, name, options), describe: describeHealth }),
    )

const events = (io: Io) =>
  withExamples(withOutput(withServer(new Command('events'))), 'fedplane cluster events edge-1')
    .description('List what happened to a cluster, of the last 30 days.')
    .argument('<cluster>', 'name or uuid; the uuid also after it was deleted')
    .action(async (name: string, options: ReadOptions) => {
      const api = await connect(io, options)
      await printList(
        io,
        options.output,
        EVENTS,
        await api.list<EventView>(`/clusters/${segment(name)}/events`, 'events'),
      )
    })

type ImportOptions = ServerOptions &
  WaitFlags & {
    name?: string
    kubeconfig?: string
    serverForPeers?: string
    insecureSkipTlsVerify?: boolean
    serviceAccount?: boolean
    role: string
    yes?: boolean
  }

/** The context that is meant, from the person's own files or from standard input. */
const contextFor = async (io: Io, wanted: string | undefined, file: string | undefined) =>
  contextOf(file === '-' ? parseGiven(await readStdin(io)) : loadKubeconfig(io.env, file), wanted)

/** `cluster import`, which registers a cluster from a context of the local kubeconfig. */
const importCluster = (io: Io) =>
  withExamples(
    withYes(withWait(withServer(new Command('import')))).alias('register'),
    'fedplane cluster import kind-edge --name edge-1',
    'fedplane cluster import --kubeconfig - < edge-1.kubeconfig',
    'fedplane cluster import arn:aws:eks:eu-west-1:111122223333:cluster/prod --name prod',
  )
    .description('Register a cluster from a context of your kubeconfig (default: the current one).')
    .argument('[context]', 'context of the kubeconfig')
    .option('--name <name>', 'name of the cluster (default: made of the context)')
    .option('--kubeconfig <file>', 'kubeconfig to read; - is standard input (default: KUBECONFIG, ~/.kube/config)')
    .option('--server-for-peers <url>', "the API server's address as other clusters reach it")
    .option('--insecure-skip-tls-verify', 'accept a kubeconfig that does not verify the server')
    .option(
      '--service-account',
      'create a ServiceAccount there and hand over only that; always so for contexts with a plugin',
    )
    .addOption(
      new Option('--role <clusterrole>', 'ClusterRole of that ServiceAccount; it must let it list nodes').default(
        'cluster-admin',
      ),
    )
    .action(async (wanted: string | undefined, options: ImportOptions) => {
      const context = await contextFor(io, wanted, options.kubeconfig)
      const name = options.name ?? clusterNameOf(context.name)
      const api = await connect(io, options)
      const { serverForPeers, insecureSkipTlsVerify: insecure } = options
      const uuid = await register(io, api, { name, context, serverForPeers, insecure }, options)
      if (!options.wait) return void io.stdout.write(`cluster/${name} is being registered\n`)
      await untilSettled(io, api, { uuid, name }, options)
      io.stdout.write(`cluster/${name} registered\n`)
    })

/** `fedplane cluster …`. */
export const clusterCommand = (io: Io): Command => {
  const command = new Command('cluster').description('Clusters: register, create, look after and delete them.')
  const verbs = [
    importCluster(io),
    ...clusterChanges(io),
    list(io),
    show(io),
    clusterKubeconfig(io),
    health(io),
    events(io),
  ]
  for (const verb of verbs) command.addCommand(verb)
  return command
}
