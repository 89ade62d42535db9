import { type ApiApp, apiApp } from '../../../functions/api/app.ts'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { type Answer, API_SETTINGS, callApp } from '../api/lab.ts'
import { until } from '../local/engine-lab.ts'
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

/** The whole of fedplane, API and flows, with people of several projects. */
export type TwoProjects = {
  lab: FlowLab
  app: ApiApp
  call(as: Principal, method: string, target: string, body?: unknown): Promise<Answer>
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
  const lab = await openFlowLab(options)
  const app = apiApp(lab.ports, API_SETTINGS)
  const call: TwoProjects['call'] = (as, method, target, body) =>
    callApp(app, method, target, { as, ...(body === undefined ? {} : { body }) })
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
    app,
    call,
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
