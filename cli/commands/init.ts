import { Command, Option } from 'commander'
import { usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { loadKubeconfig } from '../kubeconfig/local-kubeconfig.ts'
import { table } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { createFederation } from './federation-changes.ts'
import {
  collect,
  collectPairs,
  connect,
  type WaitFlags,
  withExamples,
  withServer,
  withWait,
  withYes,
} from './options.ts'
import { ensureRegistered, type PlaceOptions, placesOf, withPlaces } from './places.ts'

/**
 * Options that `kubefed init` had, with the property of karmada@1 that each sets
 * (https://github.com/kubernetes/website/blob/release-1.12/content/en/docs/reference/setup-tools/kubefed/kubefed_init.md).
 */
const KUBEFED_OPTIONS = [
  ['--federation-system-namespace <name>', 'namespace', 'namespace of the control plane in the host'],
  ['--api-server-service-type <type>', 'api-service-type', 'LoadBalancer, NodePort or ClusterIP'],
  [
    '--api-server-advertise-address <address>',
    'api-endpoint',
    'address of the API server, with --api-server-port, or https://HOST:PORT',
  ],
  ['--api-server-port <port>', 'api-node-port', 'node port of the API server'],
  ['--etcd-pv-capacity <size>', 'storage-size', "size of etcd's volumes"],
  ['--etcd-pv-storage-class <name>', 'storage-class', "StorageClass of etcd's volumes"],
  ['--image-pull-secrets <name>', 'image-pull-secret', 'Secret with the credential of the registry of images'],
] as const

const DRIVER = 'karmada@1'
const camelCase = (flag: string): string =>
  flag
    .replace(/ .*/, '')
    .slice(2)
    .replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())

type InitOptions = ServerOptions &
  WaitFlags &
  PlaceOptions & {
    host?: string
    hostClusterContext?: string
    join?: string[]
    driver?: string
    property?: Record<string, string>
    kubeconfig?: string
  }

/** kubefed took an address and a port, and the property is a URL. @throws CliError */
const endpointOf = (address: string, port: string | undefined): string => {
  if (address.startsWith('https://')) return address
  if (port === undefined)
    throw usageError('--api-server-advertise-address needs --api-server-port.', '--api-server-port 32443')
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}`
}

const propertiesOf = (options: InitOptions): Record<string, string> => {
  const given = options as unknown as Record<string, string | undefined>
  const named = KUBEFED_OPTIONS.flatMap(([flag, key]) => {
    const value = given[camelCase(flag)]
    if (value === undefined) return []
    return [[key, key === 'api-endpoint' ? endpointOf(value, given.apiServerPort) : value] as const]
  })
  const { driver = DRIVER } = options
  if (named.length > 0 && !driver.startsWith('karmada@')) {
    throw usageError(
      `Only ${DRIVER} has ${named.map(([key]) => key).join(', ')}, and --driver is ${driver}.`,
      '--property key=value',
    )
  }
  return { ...Object.fromEntries(named), ...options.property }
}

const run = async (io: Io, name: string, options: InitOptions): Promise<void> => {
  const properties = propertiesOf(options)
  const host = options.host ?? options.hostClusterContext
  if (host === undefined) throw usageError('No host is named.', `fedplane init ${name} --host CONTEXT`)
  const places = placesOf(loadKubeconfig(io.env, options.kubeconfig), [host, ...(options.join ?? [])])
  const api = await connect(io, options)
  const [hostcluster_id = '', ...member_ids] = await ensureRegistered(io, api, places, options)
  await createFederation(io, api, { name, hostcluster_id, member_ids, driver: options.driver, properties }, options)
}

/** `fedplane init`: kubefed's `init` and `join` in one command. What is registered already is taken as it is. */
export const initCommand = (io: Io): Command => {
  const command = withExamples(
    withYes(withPlaces(withWait(withServer(new Command('init'))))),
    'fedplane init myfederation --host mycluster',
    'fedplane init fleet --host hub --join edge-1,edge-2 --driver clusterprofile@1',
    'fedplane init fleet --host kind-hub --join kind-edge --api-server-service-type NodePort --server-for-peers kind-edge=https://172.18.0.3:6443',
  )
    .description('Register clusters from contexts of your kubeconfig, and make a federation of them: one command.')
    .argument('<name>', 'name of the federation')
    .option('--host <context>', 'context (or registered cluster) that carries the control plane')
    .addOption(new Option('--host-cluster-context <context>', 'the same, as in kubefed').hideHelp())
    .addOption(
      new Option('--join <context>', 'contexts (or registered clusters) that join; may be repeated').argParser(collect),
    )
    .option('--driver <id>', 'what the federation is (default: that of the server)')
    .addOption(new Option('--property <key=value>', 'property of the driver; may be repeated').argParser(collectPairs))
  for (const [flag, , meaning] of KUBEFED_OPTIONS)
    command.addOption(new Option(flag, meaning).helpGroup(`Options of kubefed, for ${DRIVER}:`))
  const rows = KUBEFED_OPTIONS.map(([flag, key]) => [flag.replace(/ .*/, ''), key])
  return command
    .addHelpText(
      'after',
      `\nEach of kubefed's options sets a property of ${DRIVER}:\n${table(['OPTION', 'PROPERTY'], rows)}`,
    )
    .action((name: string, options: InitOptions) => run(io, name, options))
}
