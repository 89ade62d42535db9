import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import { nodesOf } from '../../../functions/core/cluster/node-group.ts'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import type { Membership, WaitingMembership } from '../../../functions/core/membership/membership.ts'
import { joining, launchOf, leaving } from '../../../functions/core/membership/membership-states.ts'
import { DEADLINE_SECONDS } from '../../../functions/core/operation/deadlines.ts'
import { executionOf, launch, newOperation } from '../../../functions/core/operation/launch.ts'
import type { ExecutionRef, Flow, Operation } from '../../../functions/core/operation/operation.ts'
import { retryOnConflict } from '../../../functions/core/operation/retry-on-conflict.ts'
import { sampleCluster, sampleFederation } from '../store/samples.ts'
import type { FlowLab } from './flow-lab.ts'
import { defaultGroups } from './node-groups.ts'

/** What the API does on a request, as far as flows see it: the commit with the operation, then the launch. */

export const PROJECT = 'blue'
type Options = {
  force?: boolean
  workloads?: 'delete'
  supersedes?: readonly ExecutionRef[]
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

const operationFor = <K extends 'create' | 'update' | 'delete'>(
  lab: FlowLab,
  on: 'cluster' | 'federation',
  kind: K,
  options: Options = {},
) => newOperation(lab.ports, kind, { ...options, deadlineSeconds: DEADLINE_SECONDS[`${on}-${kind}`] })

const runningOf = (flow: Flow, entity: { operation: Operation | null }): ExecutionRef[] =>
  entity.operation === null ? [] : [executionOf(flow, entity.operation)]

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
    operation: operationFor(lab, 'cluster', 'create'),
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

export const changeCluster = async (lab: FlowLab, id: string, kind: 'update' | 'delete', options: Options = {}) => {
  const { clusters, commit } = lab.ports.stores
  const cluster = (await clusters.get(key(id))) as Cluster
  const supersedes = kind === 'delete' ? runningOf('cluster-create', cluster) : []
  const operation = operationFor(lab, 'cluster', kind, { ...options, supersedes })
  await commit([
    clusters.change(cluster, { operation, status: `${kind === 'update' ? 'UPDATE' : 'DELETE'}_IN_PROGRESS` }),
  ])
  return begin(lab, `cluster-${kind}`, { id, operation }, options.launched)
}

const waiting = (federation: Federation, clusterId: string, changeId: string): WaitingMembership => ({
  projectId: PROJECT,
  federationId: federation.id,
  clusterId,
  memberName: `m-${clusterId.slice(-10)}`,
  revision: 1,
  changeId,
  since: federation.createdAt,
  made: [],
  credential: null,
  state: 'Waiting',
})

export type NewFederation = { members?: string[]; properties?: Record<string, string>; launched?: boolean }

export const createFederation = async (lab: FlowLab, hostClusterId: string, options: NewFederation = {}) => {
  const { members = [], properties = {}, launched } = options
  const { federations, clusters, memberships, commit } = lab.ports.stores
  const operation = operationFor(lab, 'federation', 'create')
  const change = members.length > 0 ? { id: lab.ports.newId(), deadline: operation.deadline } : null
  const federation = sampleFederation({
    id: lab.ports.newId(),
    driver: 'memory@1',
    hostClusterId,
    properties,
    status: 'CREATE_IN_PROGRESS',
    operation,
    change,
    endpoint: null,
    made: [],
    updatedAt: null,
    memberIds: [...members].sort(),
  })
  const uid = `uid-${hostClusterId}`
  const names = lab.ports.drivers.federation.resolve('memory@1').hostNamespaces(federation)
  await commit([
    federations.insert(federation),
    clusters.addUses(key(hostClusterId), [`host:${federation.id}`]),
    ...names.map((name) => federations.claimNamespace({ projectId: PROJECT, uid }, name, federation.id)),
    ...members.map((id) => memberships.insert(waiting(federation, id, change?.id ?? ''))),
    ...members.map((id) => clusters.addUses(key(id), [`member:${federation.id}`])),
  ])
  return { id: federation.id, ref: await begin(lab, 'federation-create', federation, launched) }
}

export const changeFederation = async (
  lab: FlowLab,
  id: string,
  kind: 'update' | 'delete',
  options: Options & { properties?: Record<string, string> } = {},
) => {
  const { federations, commit } = lab.ports.stores
  const federation = (await federations.get(key(id))) as Federation
  const { properties, launched, ...more } = options
  const supersedes = federation.operation ? runningOf(`federation-${federation.operation.kind}`, federation) : []
  const operation = operationFor(lab, 'federation', kind, { ...more, supersedes })
  const status = `${kind === 'update' ? 'UPDATE' : 'DELETE'}_IN_PROGRESS` as const
  await commit([federations.change(federation, { operation, status, ...(properties && { properties }) })])
  return begin(lab, `federation-${kind}`, { id, operation }, launched)
}

type Open = { federation: Federation; change: { id: string; deadline: string } }

const openChange = async (lab: FlowLab, federationId: string): Promise<Open> => {
  const federation = (await lab.ports.stores.federations.get(key(federationId))) as Federation
  const deadline = new Date(lab.clock.now().getTime() + 300_000).toISOString()
  return { federation, change: federation.change ?? { id: lab.ports.newId(), deadline } }
}

/** PATCH add /member_ids. */
export const join = async (lab: FlowLab, federationId: string, clusterIds: string[]): Promise<ExecutionRef[]> => {
  const { federations, memberships, clusters, commit } = lab.ports.stores
  const { federation, change } = await openChange(lab, federationId)
  const joins = clusterIds.map((id) => joining(lab.ports, waiting(federation, id, change.id), change.id))
  await commit([
    federations.change(federation, { change, status: 'UPDATE_IN_PROGRESS', statusReason: null }, { add: clusterIds }),
    ...joins.map((membership) => memberships.insert(membership)),
    ...clusterIds.map((id) => clusters.addUses(key(id), [`member:${federationId}`])),
  ])
  await Promise.all(joins.map((membership) => launch(lab.ports, launchOf(membership))))
  return joins.map((membership) => executionOf('member-join', membership.operation))
}

/** PATCH remove /member_ids. */
export const unjoin = async (
  lab: FlowLab,
  federationId: string,
  clusterId: string,
  options: Options = {},
): Promise<ExecutionRef> => {
  const { federations, memberships, commit } = lab.ports.stores
  // As the API does: steps and sweeps may write meanwhile.
  const next = await retryOnConflict(async () => {
    const { federation, change } = await openChange(lab, federationId)
    const membership = (await memberships.get({ projectId: PROJECT, federationId, clusterId })) as Membership
    const left = leaving(lab.ports, membership, {
      changeId: change.id,
      force: options.force ?? false,
      workloads: options.workloads,
    })
    await commit([
      federations.change(federation, { change, status: 'UPDATE_IN_PROGRESS', statusReason: null }),
      memberships.replace(membership, left),
    ])
    return left
  })
  if (options.launched !== false) await launch(lab.ports, launchOf(next))
  return executionOf('member-unjoin', next.operation)
}

export const membership = (lab: FlowLab, federationId: string, clusterId: string) =>
  lab.ports.stores.memberships.get({ projectId: PROJECT, federationId, clusterId })
