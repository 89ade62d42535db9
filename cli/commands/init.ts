import { Command, Option } from 'commander'
import { type ApiClient, segment } from '../api/client.ts'
import type { ClusterView, FederationView, TemplateView } from '../api/views.ts'
import { CliError, usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { loadKubeconfig } from '../kubeconfig/local-kubeconfig.ts'
import { shown, table } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { createFederation, untilCreated } from './federation-changes.ts'
import { pathOf } from './federation-requests.ts'
import { joinMembers } from './membership.ts'
import {
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
import { ensureRegistered, type Place, type PlaceOptions, placesOf, withPlaces } from './places.ts'

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
    createHost?: string
    nodeCount?: number
    keepHost?: boolean
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

const isOn = async (api: ApiClient, view: FederationView, host: Place | undefined): Promise<boolean> =>
  (host && (await api.findOwnCluster(host.name)))?.uuid === view.hostcluster_id

/** Its host was created with it, from that template. A host that is gone by now is no other. */
const isOnNew = async (
  api: ApiClient,
  { host, hostcluster_id }: FederationView,
  template: string,
): Promise<boolean> => {
  if (!host?.created) return false
  const [cluster, wanted] = await Promise.all([
    api.find<ClusterView>(`/clusters/${segment(hostcluster_id)}`),
    api.find<TemplateView>(`/clustertemplates/${segment(template)}`),
  ])
  return cluster === undefined || wanted?.uuid === cluster.cluster_template_id
}

/**
 * The federation of that name, which an `init` that was ended may have made.
 *
 * @throws CliError when it is another one than is asked for
 */
const federationOf = async (
  api: ApiClient,
  name: string,
  host: Place | undefined,
  { driver, property = {}, createHost }: Pick<InitOptions, 'driver' | 'property' | 'createHost'>,
): Promise<FederationView | undefined> => {
  const view = await api.find<FederationView>(pathOf(name))
  if (view === undefined) return undefined
  const isThere = createHost === undefined ? await isOn(api, view, host) : await isOnNew(api, view, createHost)
  const other = Object.keys(property).filter((key) => view.properties[key] !== property[key])
  const differs =
    (!isThere && 'on another host') ||
    (driver !== undefined && driver !== view.driver && `with the driver ${view.driver}`) ||
    (other.length > 0 && `with other properties: ${other.join(', ')}`)
  if (!differs) return view
  throw new CliError(`Federation ${name} is there already, ${differs}.`, {
    remedy: `fedplane federation show ${name}; another name, or fedplane federation update`,
  })
}

/** Waits for a federation that is there, and joins what is no member of it yet. */
const goOn = async (
  io: Io,
  api: ApiClient,
  { uuid, name, members }: FederationView,
  { ids, names, options }: { ids: readonly string[]; names: readonly string[]; options: WaitFlags },
): Promise<void> => {
  const joined = new Set(members.filter(({ state }) => state !== 'JoinFailed').map(({ cluster_id }) => cluster_id))
  const missing = ids.flatMap((id, index) => (joined.has(id) ? [] : [{ id, name: names[index] ?? id }]))
  io.stdout.write(`federation/${shown(name)} is there already\n`)
  if (missing.length > 0) {
    const more = { name, names: missing.map((each) => each.name), ids: missing.map(({ id }) => id) }
    await joinMembers(io, api, more, options)
  }
  if (options.wait) await untilCreated(io, api, { uuid, name }, options)
}

/** The context of the host; undefined when the host is to be created. @throws CliError for none, and for both */
const hostContextOf = (name: string, options: InitOptions): string | undefined => {
  const { host = options.hostClusterContext, createHost, nodeCount, keepHost } = options
  if (host !== undefined && createHost !== undefined)
    throw usageError('--host names a cluster that is there, and --create-host creates one.', 'One of them.')
  if (createHost === undefined && (nodeCount !== undefined || keepHost))
    throw usageError('--node-count and --keep-host go with --create-host only.', '--create-host TEMPLATE')
  if (host === undefined && createHost === undefined) {
    const help = `fedplane init ${name} --host CONTEXT, or --create-host TEMPLATE (fedplane template list)`
    throw usageError('No host is named.', help)
  }
  return host
}

/** What the request says of the host. */
const hostOf = ({ createHost, nodeCount, keepHost }: InitOptions, hostcluster_id: string | undefined) => {
  if (createHost !== undefined)
    return { host: { cluster_template_id: createHost, node_count: nodeCount, keep: keepHost } }
  return hostcluster_id === undefined ? {} : { hostcluster_id }
}

const run = async (io: Io, name: string, options: InitOptions): Promise<void> => {
  const properties = propertiesOf(options)
  const host = hostContextOf(name, options)
  const hosts = host === undefined ? [] : [host]
  const places = placesOf(loadKubeconfig(io.env, options.kubeconfig), [...hosts, ...(options.join ?? [])])
  const members = places.slice(hosts.length)
  const api = await connect(io, options)
  const there = await federationOf(api, name, host === undefined ? undefined : places[0], {
    ...options,
    property: properties,
  })
  const ids = await ensureRegistered(io, api, places, options)
  const member_ids = ids.slice(hosts.length)
  if (there) return goOn(io, api, there, { ids: member_ids, names: members.map((place) => place.name), options })
  const [hostId] = hosts.length > 0 ? ids : []
  const request = { name, ...hostOf(options, hostId), member_ids, driver: options.driver, properties }
  await createFederation(io, api, request, options)
}

/** `fedplane init`: kubefed's `init` and `join` in one command. What is registered already is taken as it is. */
export const initCommand = (io: Io): Command => {
  // First of all what most need.
  const first = new Command('init')
    .option('--host <context>', 'context (or registered cluster) that carries the control plane')
    .option(
      '--create-host <template>',
      'create the host cluster from this cluster template; it goes with the federation',
    )
    .addOption(
      new Option('--join <context>', 'contexts (or registered clusters) that join; may be repeated').argParser(collect),
    )
    .addOption(new Option('--node-count <n>', 'workers of the host that is created').argParser(countOf))
    .option('--keep-host', 'the host that is created stays when the federation goes')
  const command = withExamples(
    withYes(withPlaces(withWait(withServer(first)))),
    'fedplane init myfederation --host mycluster',
    'fedplane init fleet --create-host small --join edge-1 --node-count 3',
    'fedplane init fleet --host hub --join edge-1,edge-2 --driver clusterprofile@1',
    'fedplane init fleet --host kind-hub --join kind-edge --api-server-service-type NodePort --server-for-peers kind-edge=https://172.18.0.3:6443',
  )
    .description('Register clusters from contexts of your kubeconfig, and make a federation of them: one command.')
    .argument('<name>', 'name of the federation')
    .addOption(new Option('--host-cluster-context <context>', '--host, as in kubefed').hideHelp())
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
