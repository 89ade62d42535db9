import { Command, Option } from 'commander'
import { segment } from '../api/client.ts'
import type { DriverView, TemplateView } from '../api/views.ts'
import type { Io } from '../io.ts'
import { confirmOrEnd } from '../output/confirm.ts'
import type { Kind } from '../output/format.ts'
import { description, table } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { collectPairs, connect, withExamples, withServer, withYes } from './options.ts'
import { listVerb, showVerb } from './read-verbs.ts'

/** What clusters and federations are made from: cluster templates and drivers. */

const TEMPLATES: Kind<TemplateView> = {
  name: 'clustertemplate',
  list: 'clustertemplates',
  nameOf: ({ name }) => name,
  columns: [
    { heading: 'NAME', value: ({ name }) => name },
    { heading: 'DRIVER', value: ({ driver }) => driver },
    { heading: 'IMAGE', value: ({ image_id }) => image_id ?? '' },
    { heading: 'PUBLIC', value: ({ public: isPublic }) => String(isPublic ?? false) },
    { heading: 'UUID', value: ({ uuid }) => uuid, isWide: true },
    { heading: 'HIDDEN', value: ({ hidden }) => String(hidden ?? false), isWide: true },
  ],
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const describeTemplate = (template: TemplateView): string =>
  description(
    Object.entries(template).flatMap(([key, value]) =>
      value === null || key === 'links' ? [] : [[key, text(value)] as const],
    ),
  )

const templateList = (io: Io) =>
  listVerb(io, {
    kind: TEMPLATES,
    path: '/clustertemplates',
    description: 'List cluster templates.',
    examples: ['fedplane template list'],
  })

const templateShow = (io: Io) =>
  showVerb(io, {
    kind: TEMPLATES,
    path: '/clustertemplates',
    description: 'Show a cluster template.',
    examples: ['fedplane template show k8s-1.36 -o yaml'],
    argument: 'template',
    meaning: 'name or uuid',
    describe: describeTemplate,
  })

type TemplateOptions = ServerOptions & {
  image: string
  driver?: string
  flavor?: string
  masterFlavor?: string
  externalNetwork?: string
  keypair?: string
  label?: Record<string, string>
  masterLb?: boolean
}

const templateCreate = (io: Io) =>
  withExamples(
    withServer(new Command('create')),
    'fedplane template create k8s-1.36 --driver capi@1 --image ubuntu-2404-kube-v1.36.0 --label kube_tag=v1.36.0 --master-lb',
  )
    .description('Create a cluster template.')
    .argument('<name>', 'name of the template')
    .requiredOption('--image <image>', 'image of the machines')
    .option('--driver <id>', 'who creates the clusters (default: the first that can)')
    .option('--flavor <name>', 'flavor of the workers')
    .option('--master-flavor <name>', 'flavor of the control plane nodes')
    .option('--external-network <network>', 'network of the cloud')
    .option('--keypair <name>', 'key pair for the machines')
    .option('--master-lb', 'a load balancer for the API server')
    .addOption(new Option('--label <key=value>', 'label of the driver; may be repeated').argParser(collectPairs))
    .action(async (name: string, options: TemplateOptions) => {
      const body = {
        name,
        coe: 'kubernetes',
        image_id: options.image,
        driver: options.driver,
        flavor_id: options.flavor,
        master_flavor_id: options.masterFlavor,
        external_network_id: options.externalNetwork,
        keypair_id: options.keypair,
        labels: options.label,
        master_lb_enabled: options.masterLb,
      }
      await (await connect(io, options)).ask('POST', '/clustertemplates', { body })
      io.stdout.write(`clustertemplate/${name} created\n`)
    })

const templateDelete = (io: Io) =>
  withExamples(withYes(withServer(new Command('delete'))).alias('rm'), 'fedplane template delete k8s-1.35')
    .description('Delete cluster templates that no cluster uses.')
    .argument('<template...>', 'names or uuids')
    .action(async (names: string[], options: ServerOptions & { yes?: boolean }) => {
      const api = await connect(io, options)
      await confirmOrEnd(io, `The cluster templates ${names.join(', ')} will be deleted.`, options)
      for (const name of names) {
        await api.ask('DELETE', `/clustertemplates/${segment(name)}`)
        io.stdout.write(`clustertemplate/${name} deleted\n`)
      }
    })

/** `fedplane template …`. */
export const templateCommand = (io: Io): Command => {
  const command = new Command('template').description('Cluster templates: what clusters are created from.')
  for (const verb of [templateCreate(io), templateList(io), templateShow(io), templateDelete(io)])
    command.addCommand(verb)
  return command
}

const kindsOf = ({ federation, cluster }: DriverView): string =>
  [federation ? `federations${federation.default ? ' (default)' : ''}` : '', cluster ? 'clusters' : '']
    .filter((kind) => kind)
    .join(', ')

const DRIVERS: Kind<DriverView> = {
  name: 'driver',
  list: 'drivers',
  nameOf: ({ id }) => id,
  columns: [
    { heading: 'DRIVER', value: ({ id }) => id },
    { heading: 'FOR', value: kindsOf },
    {
      heading: 'DESCRIPTION',
      value: ({ federation, cluster }) => federation?.description ?? cluster?.description ?? '',
    },
  ],
}

const describeDriver = ({ id, federation, cluster }: DriverView): string => {
  const facts: [string, string][] = [['Driver', id]]
  if (federation) facts.push(['Federations', federation.description])
  if (cluster) facts.push(['Clusters', cluster.description])
  const properties = (federation?.properties ?? []).map(({ key, default: usual, description: meaning }) => [
    key,
    usual ?? '',
    meaning,
  ])
  return (
    description(facts) + (properties.length === 0 ? '' : `\n${table(['PROPERTY', 'DEFAULT', 'MEANING'], properties)}`)
  )
}

const driverList = (io: Io) =>
  listVerb(io, {
    kind: DRIVERS,
    path: '/drivers',
    description: 'List the drivers of the server.',
    examples: ['fedplane driver list'],
  })

const driverShow = (io: Io) =>
  showVerb(io, {
    kind: DRIVERS,
    path: '/drivers',
    description: 'Show a driver with its properties.',
    examples: ['fedplane driver show karmada@1'],
    argument: 'driver',
    meaning: 'for example karmada@1',
    describe: describeDriver,
  })

/** `fedplane driver …`. */
export const driverCommand = (io: Io): Command =>
  new Command('driver')
    .description('Drivers: what federations and clusters can be.')
    .addCommand(driverList(io))
    .addCommand(driverShow(io))
