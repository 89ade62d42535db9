import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import { type DeleteRules, deleteCluster } from '../../../functions/core/cluster/delete-cluster.ts'
import { nodesOf } from '../../../functions/core/cluster/node-group.ts'
import * as change from '../../../functions/core/federation/change-federation.ts'
import * as create from '../../../functions/core/federation/create-federation.ts'
import * as remove from '../../../functions/core/federation/delete-federation.ts'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import { launchesOf } from '../../../functions/core/membership/membership-steps.ts'
import { DEADLINE_SECONDS } from '../../../functions/core/operation/deadlines.ts'
import { executionOf, launch, newOperation } from '../../../functions/core/operation/launch.ts'
import type { ExecutionRef, Flow, Operation } from '../../../functions/core/operation/operation.ts'
import type { Principal } from '../../../functions/core/values/principal.ts'
import { sampleCluster } from '../store/samples.ts'
import type { FlowLab } from './flow-lab.ts'
import { defaultGroups } from './node-groups.ts'

/** Federations: the commands that the API calls. Clusters: what their create, update and delete write, as far as flows see it. */

export const PROJECT = 'blue'
type Options = {
  force?: boolean
  workloads?: 'delete'
  launched?: boolean
}

export const key = (id: string) => ({ projectId: PROJECT, id })

const begin = async (
  lab: FlowLab,
  flow: Flow,
  entity: { id: string; operation: Operation | null },
  launched = true,
): Promise<ExecutionRef> => {
  const operation = entity.operation as Operation
  if (launched) await launch(lab.ports, { flow, projectId: PROJECT, entityId: entity.id, operation })
  return executionOf(flow, operation)
}

const operationFor = <K extends 'create' | 'update'>(lab: FlowLab, kind: K, options: Options = {}) =>
  newOperation(lab.ports, kind, { ...options, deadlineSeconds: DEADLINE_SECONDS[`cluster-${kind}`] })

export const newCluster = (lab: FlowLab, name: string, labels: Record<string, string> = {}): Cluster => {
  const id = lab.ports.newId()
  return sampleCluster({
    id,
    name,
    driver: 'memory@1',
    status: 'CREATE_IN_PROGRESS',
    statusReason: null,
    endpoint: null,
    identity: null,
    driverState: {},
    operation: operationFor(lab, 'create'),
    magnum: { ...sampleCluster().magnum, labels },
  })
}

/** @param deadlineSeconds default: as long as any */
export const createCluster = async (
  lab: FlowLab,
  name: string,
  labels?: Record<string, string>,
  deadlineSeconds?: number,
) => {
  const made = newCluster(lab, name, labels)
  const operation = deadlineSeconds ? newOperation(lab.ports, 'create', { deadlineSeconds }) : made.operation
  const cluster = { ...made, operation }
  const { clusters, nodeGroups, commit } = lab.ports.stores
  const groups = defaultGroups(cluster, lab.ports.newId)
  await commit([
    clusters.insert({ ...cluster, nodes: nodesOf(groups) }),
    ...groups.map((group) => nodeGroups.insert(group)),
  ])
  return { id: cluster.id, ref: await begin(lab, 'cluster-create', cluster) }
}

/** Registered clusters without running their flow: the start for tests of other flows. */
export const registered = async (lab: FlowLab, name: string, labels?: Record<string, string>): Promise<string> => {
  const cluster = newCluster(lab, name, labels)
  const { id } = cluster
  const done = {
    ...cluster,
    status: 'CREATE_COMPLETE' as const,
    operation: null,
    identity: { uid: `uid-${id}`, user: 'admin' },
  }
  await lab.ports.stores.commit([lab.ports.stores.clusters.insert(done)])
  return id
}

/** @param launched false: as if the process had died between commit and launch */
const portsFor = (lab: FlowLab, launched = true): FlowLab['ports'] =>
  launched ? lab.ports : { ...lab.ports, executions: { ...lab.ports.executions, start: async () => undefined } }

const clusterOf = async (lab: FlowLab, id: string): Promise<Cluster> => {
  const cluster = await lab.ports.stores.clusters.get(key(id))
  if (cluster === undefined) throw new Error(`there is no cluster ${id}`)
  return cluster
}

/** Of a deletion that its caller may ask for, and lends nothing for. */
export const deleteRules = (lab: FlowLab, id: string, force = false): DeleteRules => ({
  findCluster: () => clusterOf(lab, id),
  force,
  storeDeletion: (_, store) => store({ change: {}, writes: [] }),
})

export const changeCluster = async (
  lab: FlowLab,
  id: string,
  kind: 'update' | 'delete',
  { force = false, launched }: Options = {},
): Promise<ExecutionRef> => {
  if (kind === 'delete') {
    const deletion = await deleteCluster(portsFor(lab, launched), deleteRules(lab, id, force))
    if (deletion === null) throw new Error('no delete began')
    return executionOf('cluster-delete', deletion)
  }
  const { clusters, commit } = lab.ports.stores
  const operation = operationFor(lab, 'update', { force })
  await commit([clusters.change(await clusterOf(lab, id), { operation, status: 'UPDATE_IN_PROGRESS' })])
  return begin(lab, 'cluster-update', { id, operation }, launched)
}

/** Who asks; the policy allows everything. */
const CALLER: Principal = { userId: 'alice', projectId: PROJECT, roles: ['member'], source: 'local' }
const requireUse = (): void => undefined

const federationOf = async (lab: FlowLab, id: string): Promise<Federation> => {
  const federation = await lab.ports.stores.federations.get(key(id))
  if (federation === undefined) throw new Error(`there is no federation ${id}`)
  return federation
}

export type NewFederation = { members?: string[]; properties?: Record<string, string>; launched?: boolean }

export const createFederation = async (lab: FlowLab, hostClusterId: string, options: NewFederation = {}) => {
  const { members = [], properties = {}, launched } = options
  const desired = { name: null, driver: null, properties, host: hostClusterId, members }
  const rules = { findCluster: (id: string) => clusterOf(lab, id), requireUse }
  const { federation, given } = await create.createFederation(portsFor(lab, launched), CALLER, desired, rules)
  return { id: federation.id, ref: executionOf('federation-create', given.operation) }
}

type Change = Options & { properties?: Record<string, string>; join?: string[]; leave?: string[] }

/** PATCH of a federation. */
const patch = async (lab: FlowLab, id: string, desired: Change) => {
  const { properties, join: joins = [], leave = [], force = false, workloads, launched } = desired
  const plan = await change.changeFederation(portsFor(lab, launched), await federationOf(lab, id), {
    properties: properties === undefined ? null : () => properties,
    members: async ({ memberships }) => ({
      join: await Promise.all(joins.map((clusterId) => clusterOf(lab, clusterId))),
      leave: memberships.filter(({ clusterId }) => leave.includes(clusterId)),
    }),
    force,
    workloads,
    requireUse,
  })
  if (plan === null) throw new Error('the change changes nothing')
  return plan
}

const executionsOf = ({ steps }: Pick<Awaited<ReturnType<typeof patch>>, 'steps'>): ExecutionRef[] =>
  launchesOf(steps).map(({ flow, operation }) => executionOf(flow, operation))

export const changeFederation = async (
  lab: FlowLab,
  id: string,
  kind: 'update' | 'delete',
  options: Options & { properties?: Record<string, string> } = {},
): Promise<ExecutionRef> => {
  const { force = false, workloads, launched } = options
  const operation =
    kind === 'update'
      ? (await patch(lab, id, options)).operation
      : await remove.deleteFederation(portsFor(lab, launched), await federationOf(lab, id), { force, workloads })
  if (operation === null) throw new Error(`no ${kind} began`)
  return executionOf(`federation-${kind}`, operation)
}

/** PATCH add /member_ids. */
export const join = async (lab: FlowLab, federationId: string, clusterIds: string[]): Promise<ExecutionRef[]> =>
  executionsOf(await patch(lab, federationId, { join: clusterIds }))

/** PATCH remove /member_ids. */
export const unjoin = async (
  lab: FlowLab,
  federationId: string,
  clusterId: string,
  options: Options = {},
): Promise<ExecutionRef> => {
  const [ref] = executionsOf(await patch(lab, federationId, { ...options, leave: [clusterId] }))
  if (ref === undefined) throw new Error('no unjoin began')
  return ref
}

export const membership = (lab: FlowLab, federationId: string, clusterId: string) =>
  lab.ports.stores.memberships.get({ projectId: PROJECT, federationId, clusterId })
