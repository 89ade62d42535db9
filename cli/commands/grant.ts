import { Command, Option } from 'commander'
import { type ApiClient, segment } from '../api/client.ts'
import type { ClusterUseView, ClusterView, GrantView } from '../api/views.ts'
import { CliError, usageError } from '../errors.ts'
import type { Io } from '../io.ts'
import { confirmOrEnd } from '../output/confirm.ts'
import { type Kind, printList, printOne } from '../output/format.ts'
import { age, description, shown } from '../output/table.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { collect, connect, type OutputFlags, withExamples, withOutput, withServer, withYes } from './options.ts'
import { listVerb } from './read-verbs.ts'

/** Clusters that one project shares with the federations of another. */

const receiverOf = ({ project_id, federation_id }: GrantView): string =>
  project_id === null ? `federation ${federation_id}` : `project ${project_id}`

const GRANTS: Kind<GrantView> = {
  name: 'grant',
  list: 'grants',
  nameOf: ({ uuid }) => uuid,
  columns: [
    { heading: 'UUID', value: ({ uuid }) => uuid },
    { heading: 'CLUSTER', value: ({ cluster_name }) => cluster_name },
    {
      heading: 'SHARED',
      value: (grant) => (grant.direction === 'given' ? `to ${receiverOf(grant)}` : `by ${grant.owner_project_id}`),
    },
    { heading: 'ACTIONS', value: ({ actions }) => actions.join(',') },
    { heading: 'RIGHTS', value: ({ rights }) => rights },
    { heading: 'STATE', value: ({ state }) => state },
    { heading: 'EXPIRES', value: ({ expires_at }) => expires_at ?? '' },
    { heading: 'USES', value: ({ federations }) => String(federations.length) },
    { heading: 'CLUSTER UUID', value: ({ cluster_uuid }) => cluster_uuid, isWide: true },
  ],
}

/** By its uuid, given or received. @throws CliError */
const findGrant = async (api: ApiClient, uuid: string): Promise<GrantView> => {
  const grant = (await api.list<GrantView>('/grants', 'grants')).find((it) => it.uuid === uuid)
  if (grant) return grant
  throw new CliError(`There is no grant ${uuid} that you gave or received.`, { remedy: 'fedplane grant list' })
}

const describeGrant = (grant: GrantView): string =>
  description([
    ['UUID', grant.uuid],
    ['Cluster', `${grant.cluster_name} (${grant.cluster_uuid})`],
    ['Shared by', `project ${grant.owner_project_id}`],
    ['Shared with', receiverOf(grant)],
    ['Actions', grant.actions.join(', ')],
    ['Rights', grant.rights],
    ['State', grant.state],
    ['Expires', grant.expires_at ?? ''],
    ['Created', grant.created_at],
    ['Used by', grant.federations.map(({ uuid, role }) => `${uuid} (${role})`).join(', ')],
  ])

type CreateOptions = ServerOptions & {
  project?: string
  federation?: string
  action: string[]
  rights?: string
  expiresAt?: string
}

const create = (io: Io) =>
  withExamples(
    withServer(new Command('create')),
    'fedplane grant create edge-1 --project shop --action join',
    'fedplane grant create edge-1 --federation 0193… --action join --rights edit --expires-at 2027-01-31T00:00:00Z',
  )
    .description('Let federations of another project use a cluster.')
    .argument('<cluster>', 'name or uuid')
    .option('--project <id>', 'whose federations may use it')
    .option('--federation <uuid>', 'the one federation that may')
    .addOption(
      new Option('--action <action>', 'join (as a member) or host; may be repeated')
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .option('--rights <level>', 'the most that a federation may take: view (the default), edit or more')
    .option('--expires-at <time>', 'when it ends by itself')
    .action(async (cluster: string, options: CreateOptions) => {
      if ((options.project === undefined) === (options.federation === undefined))
        throw usageError('Give either --project or --federation.', 'fedplane grant create --help')
      const api = await connect(io, options)
      const body = {
        project_id: options.project,
        federation_id: options.federation,
        actions: options.action,
        rights: options.rights,
        expires_at: options.expiresAt,
      }
      const { body: made } = await api.ask<{ uuid: string }>('POST', `/clusters/${segment(cluster)}/grants`, { body })
      io.stdout.write(`grant/${shown(made.uuid)} created\n`)
    })

const list = (io: Io) =>
  listVerb(io, {
    kind: GRANTS,
    path: '/grants',
    description: 'List the grants that you gave and received.',
    examples: ['fedplane grant list -o wide'],
  })

const show = (io: Io) =>
  withExamples(withOutput(withServer(new Command('show'))).alias('get'), 'fedplane grant show 0193…')
    .description('Show a grant.')
    .argument('<grant>', 'uuid')
    .action(async (uuid: string, options: ServerOptions & OutputFlags) => {
      const item = await findGrant(await connect(io, options), uuid)
      await printOne(io, options.output, { kind: GRANTS, item, describe: describeGrant })
    })

const remove = (io: Io) =>
  withExamples(withYes(withServer(new Command('delete'))).alias('rm'), 'fedplane grant delete 0193…')
    .description('Revoke grants; what uses a cluster by one begins to leave.')
    .argument('<grant...>', 'uuids')
    .action(async (uuids: string[], options: ServerOptions & { yes?: boolean }) => {
      const api = await connect(io, options)
      const grants = await Promise.all(uuids.map((uuid) => findGrant(api, uuid)))
      const used = grants.filter(({ federations }) => federations.length > 0)
      const loss = used.map((grant) => `Federations of ${receiverOf(grant)} lose cluster ${grant.cluster_name}.`)
      await confirmOrEnd(io, [`${grants.length} grants will be revoked.`, ...loss].join(' '), options)
      for (const { uuid, cluster_uuid } of grants) {
        await api.ask('DELETE', `/clusters/${cluster_uuid}/grants/${uuid}`)
        io.stdout.write(`grant/${shown(uuid)} deleted\n`)
      }
    })

/** `fedplane grant …`. */
export const grantCommand = (io: Io): Command => {
  const command = new Command('grant').description('Grants: clusters that projects share with each other.')
  for (const verb of [create(io), list(io), show(io), remove(io)]) command.addCommand(verb)
  return command
}

const USES: Kind<ClusterUseView> = {
  name: 'federation',
  list: 'federations',
  nameOf: ({ uuid }) => uuid,
  columns: [
    { heading: 'NAME', value: ({ name }) => name ?? '' },
    { heading: 'PROJECT', value: ({ project_id }) => project_id },
    { heading: 'ROLE', value: ({ role }) => role },
    { heading: 'RIGHTS', value: ({ rights }) => rights ?? '' },
    { heading: 'STATE', value: ({ state }) => state ?? '' },
    { heading: 'SINCE', value: ({ since }) => (since === null ? '' : age(since, Date.now())) },
    { heading: 'UUID', value: ({ uuid }) => uuid },
    { heading: 'GRANT', value: ({ grant_id }) => grant_id ?? '', isWide: true },
    { heading: 'MESSAGE', value: ({ message }) => message ?? '', isWide: true },
  ],
}

const federations = (io: Io) =>
  withExamples(withOutput(withServer(new Command('federations'))), 'fedplane cluster federations edge-1')
    .description('List the federations that use a cluster, of all projects.')
    .argument('<cluster>', 'name or uuid')
    .action(async (name: string, options: ServerOptions & OutputFlags) => {
      const api = await connect(io, options)
      const path = `/clusters/${segment(name)}/federations`
      const { federations: uses } = await api.get<{ federations: ClusterUseView[] }>(path)
      await printList(io, options.output, USES, uses)
    })

const leave = (io: Io) =>
  withExamples(
    withYes(withServer(new Command('leave'))),
    'fedplane cluster leave edge-1 0193…',
    'fedplane cluster leave edge-1 0193… --force',
  )
    .description('Take a cluster out of a federation of another project; the grant stays.')
    .argument('<cluster>', 'name or uuid')
    .argument('<federation-uuid>', 'uuid, as cluster federations shows it')
    .option('--force', "skip what can't be reached, such as a host that is gone")
    .action(async (name: string, federation: string, options: ServerOptions & { force?: boolean; yes?: boolean }) => {
      const api = await connect(io, options)
      const { uuid } = await api.get<ClusterView>(`/clusters/${segment(name)}`)
      await confirmOrEnd(io, `Cluster ${name} leaves the federation ${federation}.`, options)
      const query = { force: options.force }
      await api.ask('DELETE', `/clusters/${uuid}/federations/${segment(federation)}`, { query })
      io.stdout.write(`cluster/${shown(name)} leaves federation/${shown(federation)}\n`)
    })

/** Verbs of a cluster about those who use it. */
export const clusterUseVerbs = (io: Io): Command[] => [federations(io), leave(io)]
