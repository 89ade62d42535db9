import { Command } from 'commander'
import type { CredentialView } from '../api/views.ts'
import type { Io } from '../io.ts'
import { type Kind, printList } from '../output/format.ts'
import type { ServerOptions } from '../profiles/server.ts'
import { connect, type OutputFlags, withExamples, withOutput, withServer } from './options.ts'

const CREDENTIALS: Kind<CredentialView> = {
  name: 'credential',
  list: 'credentials',
  nameOf: ({ uuid }) => uuid,
  columns: [
    { heading: 'KIND', value: ({ kind }) => kind },
    { heading: 'WHERE', value: ({ place }) => place },
    { heading: 'CLUSTER', value: ({ cluster_name, cluster_uuid }) => cluster_name ?? cluster_uuid ?? '' },
    {
      heading: 'FEDERATION',
      value: ({ federation_name, federation_uuid }) => federation_name ?? federation_uuid ?? '',
    },
    { heading: 'FOR', value: ({ user_id, holder }) => user_id ?? holder },
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
      await printList(io, options.output, CREDENTIALS, credentials)
    })
