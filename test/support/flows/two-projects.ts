import { type ApiApp, apiApp } from '../../../functions/api/app.ts'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { KeyService } from '../../../functions/core/ports.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { dynamoStores } from '../../../functions/store/dynamodb/stores.ts'
import { type Answer, API_SETTINGS, callApp } from '../api/lab.ts'
import { until } from '../local/engine-lab.ts'
import { memoryKeys } from '../store/memory-keys.ts'
import { newCluster } from './actions.ts'
import { type FlowLab, openFlowLab } from './flow-lab.ts'

const somebody = (userId: string, projectId: string, ...roles: Principal['roles']): Principal => ({
  userId,
  projectId,
  roles,
  source: 'token-file',
})

/** Of the project that has a federation. */
export const ANA = somebody('ana', 'blue', 'member')
/** Of the project that lends clusters. */
export const BEN = somebody('ben', 'green', 'member')
/** Of a project that has nothing to do with either. */
export const CLEO = somebody('cleo', 'red', 'member')

/** Notes whose key is made or opened. */
const notingKeys = (keys: KeyService, noted: Set<string>): KeyService => ({
  generateDataKey: (context) => {
    noted.add(context.project ?? '')
    return keys.generateDataKey(context)
  },
  decrypt: (wrapped, context) => {
    noted.add(context.project ?? '')
    return keys.decrypt(wrapped, context)
  },
})

const storesOver = ({ ports: { stores, clock } }: FlowLab, keys: KeyService) =>
  dynamoStores({ documentClient: stores.table.client, tableName: stores.table.tableName, keys, clock })

/** The whole of fedplane, API and flows, with people of several projects. */
export type TwoProjects = {
  lab: FlowLab
  /** Projects whose keys were used for requests of this project. */
  keysUsedBy(projectId: string): string[]
  call(as: Principal, method: string, target: string, body?: unknown): Promise<Answer>
  /** The same over other ports; `line` is `<method> <target>`. */
  callOver(ports: FlowLab['ports'], as: Principal, line: string, body?: unknown): Promise<Answer>
  /** A registered cluster. */
  cluster(owner: Principal, name: string, given?: Partial<Cluster>): Promise<string>
  /** The id of a grant. */
  grant(cluster: string, body: Record<string, unknown>): Promise<string>
  /** A federation of ana's, settled. */
  federation(body?: Record<string, unknown>): Promise<string>
  /** `add /member_ids`. */
  join(federation: string, ...clusters: string[]): Promise<Answer>
  /** Ana's federation once nothing moves. */
  settled(federation: string): Promise<Answer>
  dispose(): Promise<void>
}

export const openTwoProjects = async (options: Parameters<typeof openFlowLab>[0] = {}): Promise<TwoProjects> => {
  const keys = memoryKeys()
  const lab = await openFlowLab({ ...options, keys })
  const used = new Map<string, Set<string>>()
  const apps = new Map<string, ApiApp>()
  /** A function of its own for each project, so that none finds a key that was opened for another. */
  const appOf = (projectId: string): ApiApp => {
    const noted = used.get(projectId) ?? new Set()
    used.set(projectId, noted)
    const stores = () => storesOver(lab, notingKeys(keys, noted))
    const app = apps.get(projectId) ?? apiApp({ ...lab.ports, stores: stores() }, API_SETTINGS)
    apps.set(projectId, app)
    return app
  }
  const call: TwoProjects['call'] = (as, method, target, body) =>
    callApp(appOf(as.projectId), method, target, { as, ...(body === undefined ? {} : { body }) })
  const settled = (id: string): Promise<Answer> =>
    until(async () => {
      const answer = await call(ANA, 'GET', `/v1/federations/${id}`)
      return (answer.status === 404 || !answer.body.status.endsWith('_IN_PROGRESS')) && answer
    })
  const cluster: TwoProjects['cluster'] = async (owner, name, given = {}) => {
    const made = {
      ...newCluster(lab, name),
      projectId: owner.projectId,
      userId: owner.userId,
      status: 'CREATE_COMPLETE' as const,
      operation: null,
    }
    const identity = { uid: `uid-${made.id}`, user: 'admin' }
    await lab.ports.stores.commit([lab.ports.stores.clusters.insert({ ...made, identity, ...given })])
    return made.id
  }
  return {
    lab,
    keysUsedBy: (projectId) => [...(used.get(projectId) ?? [])].sort(),
    call,
    callOver: (ports, as, line, body) => {
      const [method = '', target = ''] = line.split(' ')
      return callApp(apiApp(ports, API_SETTINGS), method, target, { as, ...(body === undefined ? {} : { body }) })
    },
    cluster,
    settled,
    grant: async (id, body) => (await call(BEN, 'POST', `/v1/clusters/${id}/grants`, body)).body.uuid,
    federation: async (body = {}) => {
      const hostcluster_id = body.hostcluster_id ?? (await cluster(ANA, 'hub'))
      const { body: made } = await call(ANA, 'POST', '/v1/federations', { hostcluster_id, ...body })
      await settled(made.uuid)
      return made.uuid
    },
    join: (id, ...clusters) =>
      call(ANA, 'PATCH', `/v1/federations/${id}`, [{ op: 'add', path: '/member_ids', value: clusters }]),
    dispose: lab.dispose,
  }
}
