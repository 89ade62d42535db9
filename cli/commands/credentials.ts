import { Command } from 'commander'
import type { CredentialView } from '../api/views.ts'
import type { Io } from '../io.ts'
import { type Kind, printList } from '../output/format.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { connect, type OutputFlags, withExamples, withOutput, withServer } from './options.ts'

/** Of which authority, hook or trigger it is; what was left in a cluster is told apart from what is in use. */
const kindOf = ({ kind, object, left_behind: isLeft }: CredentialView): string => {
  if (isLeft) return `${kind}, left behind`
  return object !== null && ['certificate-authority', 'hook', 'trigger-secret'].includes(kind)
    ? `${kind} ${object}`
    : kind
}

/** By what it leads to, then by where it is, then by name. */
const orderOf = (it: CredentialView): string =>
  [
    it.cluster_name ?? it.cluster_uuid,
    it.federation_name ?? it.federation_uuid,
    it.place,
    it.kind,
    it.object,
    it.user_id,
    it.valid_until,
    it.uuid,
  ]
    .map((part) => part ?? '')
    .join('\u0000')

const inOrder = (credentials: readonly CredentialView[]): CredentialView[] =>
  credentials
    .map((credential) => ({ credential, order: orderOf(credential) }))
    .sort((one, other) => (one.order < other.order ? -1 : 1))
    .map(({ credential }) => credential)

const CREDENTIALS: Kind<CredentialView> = {
  name: 'credential',
  list: 'credentials',
  nameOf: ({ uuid }) => uuid,
  columns: [
    { heading: 'KIND', value: kindOf },
    { heading: 'WHERE', value: ({ place }) => place },
    { heading: 'CLUSTER', value: ({ cluster_name, cluster_uuid }) => cluster_name ?? cluster_uuid ?? '' },
    {
      heading: 'FEDERATION',
      value: ({ federation_name, federation_uuid }) => federation_name ?? federation_uuid ?? '',
    },
    { heading: 'FOR', value: ({ user_id, holder }) => (holder === 'nobody' ? holder : (user_id ?? holder)) },
    { heading: 'RIGHTS', value: ({ rights }) => rights ?? '' },
    { heading: 'UNTIL', value: ({ valid_until }) => valid_until },
    { heading: 'OBJECT', value: ({ object }) => object ?? '', isWide: true },
    { heading: 'UUID', value: ({ uuid }) => uuid, isWide: true },
  ],
}

type Options = ServerOptions & OutputFlags & { cluster?: string; federation?: string; project?: string }

/** `fedplane credentials`. */
export const credentialsCommand = (io: Io): Command =>
  withExamples(
    withOutput(withServer(new Command('credentials'))),
    'fedplane credentials',
    'fedplane credentials --federation fleet -o wide',
  )
    .description('List every credential of the project: where it is, for whom, with which rights, until when.')
    .option('--cluster <name>', 'of this cluster only; name or uuid')
    .option('--federation <name>', 'of this federation only; name or uuid')
    .option('--project <id>', 'of another project; for administrators')
    .action(async ({ cluster, federation, project, ...options }: Options) => {
      const api = await connect(io, options)
      const query = { cluster, federation, project_id: project }
      const credentials = await api.list<CredentialView>('/credentials/inventory', 'credentials', query)
      await printList(io, options.output, CREDENTIALS, inOrder(credentials))
    })
