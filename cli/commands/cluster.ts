import { Command, Option } from 'commander'
import { type Io, readStdin } from '../io.ts'
import { clusterNameOf, contextOf, loadKubeconfig, parseGiven } from '../kubeconfig/local-kubeconfig.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { clusterChanges } from './cluster-changes.ts'
import { CLUSTERS, describeCluster, describeHealth } from './cluster-view.ts'
import { clusterUseVerbs } from './grant.ts'
import { observeVerbs } from './hook.ts'
import { clusterKubeconfig } from './kubeconfig.ts'
import { connect, type WaitFlags, withExamples, withServer, withWait, withYes } from './options.ts'
import { eventsVerb, listVerb, showVerb } from './read-verbs.ts'
import { register, untilSettled } from './register.ts'

const list = (io: Io) =>
  listVerb(io, {
    kind: CLUSTERS,
    path: '/clusters/detail',
    description: 'List clusters.',
    examples: ['fedplane cluster list -o wide'],
  })

const ONE = { kind: CLUSTERS, path: '/clusters', argument: 'cluster', meaning: 'name or uuid' }

const show = (io: Io) =>
  showVerb(io, {
    ...ONE,
    description: 'Show a cluster.',
    examples: ['fedplane cluster show edge-1', "fedplane cluster show edge-1 -o jsonpath='{.api_address}'"],
    describe: describeCluster,
  })

const health = (io: Io) =>
  showVerb(io, {
    ...ONE,
    verb: 'health',
    description: "Show a cluster's health: its API and each node.",
    examples: ['fedplane cluster health edge-1'],
    describe: describeHealth,
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
    ...clusterUseVerbs(io),
    eventsVerb(io, { of: 'cluster', example: 'edge-1' }),
    ...observeVerbs(io),
  ]
  for (const verb of verbs) command.addCommand(verb)
  return command
}
