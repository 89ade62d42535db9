import { randomUUID } from 'node:crypto'
import { type Cluster, NO_MAGNUM_ATTRIBUTES } from '../../../functions/core/cluster/cluster.ts'
import type { ClusterAccess } from '../../../functions/drivers/contract/cluster-access.ts'
import { kubeSystemUid } from '../../../functions/drivers/support/registered/phases.ts'
import { localPolicy } from '../../../functions/kubernetes/address-guard.ts'
import type { Connect, Connection, KubernetesClient } from '../../../functions/kubernetes/client.ts'
import { connectWith } from '../../../functions/kubernetes/connect.ts'
import { parseKubeconfig } from '../../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { connectionTo } from '../../../functions/kubernetes/stored-connection.ts'
import { type CallBudget, counted } from './call-budget.ts'

/** So that a busy machine fails no test. */
const PATIENT = { connectMilliseconds: 30_000, totalMilliseconds: 60_000 }

/** The client that the product uses, with what is allowed on one machine. */
export const connect: Connect = connectWith({ policy: localPolicy, limits: PATIENT })

/** A registered cluster without an API: the start for other ones. */
export const clusterEntity = (change: Partial<Cluster> = {}): Cluster => ({
  id: randomUUID(),
  projectId: 'local',
  userId: 'tester',
  name: 'paris',
  driver: 'external@1',
  revision: 1,
  status: 'CREATE_COMPLETE',
  statusReason: null,
  operation: null,
  task: null,
  queue: [],
  nodes: null,
  conditions: [],
  endpoint: null,
  identity: null,
  magnum: { ...NO_MAGNUM_ATTRIBUTES, clusterTemplateId: randomUUID() },
  driverState: {},
  createdAt: new Date().toISOString(),
  updatedAt: null,
  observation: null,
  uses: [],
  ...change,
})

/** A cluster that tests may change, as it would be registered. */
export type TestCluster = {
  cluster: Cluster
  connection: Connection
  /** The administrator's client, for looks and preparations of the test itself. */
  admin: KubernetesClient
  /** What drivers get; calls count against the budget. */
  access(budget?: CallBudget): ClusterAccess
  close(): void
}

/** An access whose cluster can't be reached. */
export const unreachable = (cluster: Cluster, error: Error): ClusterAccess => ({
  cluster,
  client: () => Promise.reject(error),
  dial: () => () => Promise.reject(error),
})

/** Registers the cluster of a kubeconfig, as text. Changes nothing in it. */
export const testCluster = async (name: string, kubeconfig: string, context?: string): Promise<TestCluster> => {
  const chosen = context === undefined ? {} : { context }
  const { endpoint, credential } = parseKubeconfig(kubeconfig, { now: new Date(), ...chosen })
  const connection = connectionTo(endpoint, credential)
  const admin = connect(connection)
  const cluster = clusterEntity({
    name,
    endpoint,
    identity: { uid: await kubeSystemUid(admin), user: 'admin' },
  })
  return {
    cluster,
    connection,
    admin,
    access: (budget) => ({
      cluster,
      client: async () => (budget === undefined ? admin : counted(admin, budget)),
      dial: (pod) => () => admin.forward(pod),
    }),
    close: () => admin.close(),
  }
}
