import { standInTemplate } from '../../../functions/core/cluster/builtin-templates.ts'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import { type ChangeRules, requestTask } from '../../../functions/core/cluster/cluster-tasks.ts'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import * as clusterCreate from '../../../functions/core/cluster/create-cluster.ts'
import * as clusterDelete from '../../../functions/core/cluster/delete-cluster.ts'
import * as kubeconfigs from '../../../functions/core/cluster/replace-kubeconfig.ts'
import * as change from '../../../functions/core/federation/change-federation.ts'
import * as create from '../../../functions/core/federation/create-federation.ts'
import * as remove from '../../../functions/core/federation/delete-federation.ts'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import { launchesOf } from '../../../functions/core/membership/membership-steps.ts'
import { DEADLINE_SECONDS } from '../../../functions/core/operation/deadlines.ts'
import { executionOf, newOperation } from '../../../functions/core/operation/launch.ts'
import type { ExecutionRef, Operation } from '../../../functions/core/operation/operation.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { Write } from '../../../functions/store/write.ts'
import { sampleCluster } from '../store/samples.ts'
import type { FlowLab } from './flow-lab.ts'

/** The commands that the API calls, for a caller to whom everything is allowed and who lends nothing. */

export const PROJECT = 'blue'
type Options = {
  force?: boolean
  workloads?: 'delete'
  launched?: boolean
}

export const key = (id: string) => ({ projectId: PROJECT, id })

/** Who asks; the policy allows everything. */
const CALLER: Principal = { userId: 'alice', projectId: PROJECT, roles: ['member'], source: 'local' }

/** @param launched false: as if the process had died between commit and launch */
export const portsFor = (lab: FlowLab, launched = true): FlowLab['ports'] =>
  launched ? lab.ports : { ...lab.ports, executions: { ...lab.ports.executions, start: async () => undefined } }

const clusterOf = async (lab: FlowLab, id: string): Promise<Cluster> => {
  const cluster = await lab.ports.stores.clusters.get(key(id))
  if (cluster === undefined) throw new Error(`there is no cluster ${id}`)
  return cluster
}

/** The execution of what runs. */
const runningOn = ({ operation }: { operation: Operation<'create' | 'update' | 'delete'> | null }): ExecutionRef => {
  if (operation === null) throw new Error('nothing runs on the cluster')
  return executionOf(`cluster-${operation.kind}`, operation)
}

export const changeRules = (lab: FlowLab, id: string, launched = true): ChangeRules => ({
  findCluster: () => clusterOf(lab, id),
  request: (cluster, change) => requestTask(portsFor(lab, launched), cluster, change),
})

const CREATE_RULES: clusterCreate.CreateRules & { remember(): Write[] } = {
  limit: async () => 10_000,
  requireTemplateOpen: () => undefined,
  requireDelegable: () => undefined,
  storeDelegated: (_, store) => store({ change: {}, writes: [] }),
  remember: () => [],
}

export type NewClusterOptions = Partial<Pick<clusterCreate.NewCluster, 'management' | 'attributes'>> & {
  projectId?: string
  labels?: Record<string, string>
  /** Default: that of a driver whose clusters need none. */
  template?: ClusterTemplate
  /** Default: the template's, or memory@1. */
  driver?: string
}

const desiredCluster = (lab: FlowLab, name: string, options: NewClusterOptions): clusterCreate.NewCluster => {
  const { labels = {}, template, attributes = {}, management = null } = options
  const driver = lab.ports.drivers.cluster.resolve(options.driver ?? template?.driver ?? 'memory@1')
  return {
    name,
    origin: { driver, template: template ?? standInTemplate(driver), isBuiltin: template === undefined },
    nodeCount: 1,
    masterCount: 1,
    attributes: { ...attributes, labels },
    mergeLabels: false,
    endpoint: null,
    driverState: {},
    management,
    credential: null,
  }
}

export const createCluster = async (lab: FlowLab, name: string, options: NewClusterOptions = {}) => {
  const { projectId = PROJECT } = options
  const desired = desiredCluster(lab, name, options)
  const made = await clusterCreate.createCluster(lab.ports, { ...CALLER, projectId }, desired, CREATE_RULES)
  return { id: made.id, ref: runningOn(made) }
}

/** A cluster of memory@1 as its create begins, for those that are put into the table. */
export const newCluster = (lab: FlowLab, name: string, labels: Record<string, string> = {}): Cluster =>
  sampleCluster({
    id: lab.ports.newId(),
    name,
    driver: 'memory@1',
    status: 'CREATE_IN_PROGRESS',
    statusReason: null,
    endpoint: null,
    identity: null,
    driverState: {},
    operation: newOperation(lab.ports, 'create', { deadlineSeconds: DEADLINE_SECONDS['cluster-create'] }),
    magnum: { ...sampleCluster().magnum, labels },
  })

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

/** Of a deletion that its caller may ask for, and lends nothing for. */
const deleteRules = (lab: FlowLab, id: string, force: boolean): clusterDelete.DeleteRules => ({
  findCluster: () => clusterOf(lab, id),
  force,
  storeDeletion: (_, store) => store({ change: {}, writes: [] }),
})

/** Takes over from what runs, and drops what waits. */
export const deleteCluster = async (
  lab: FlowLab,
  id: string,
  { force = false, launched }: Options = {},
): Promise<ExecutionRef> => {
  const deletion = await clusterDelete.deleteCluster(portsFor(lab, launched), deleteRules(lab, id, force))
  if (deletion === null) throw new Error('no delete began')
  return executionOf('cluster-delete', deletion)
}

const ENDPOINT = {
  server: 'https://10.0.0.2:6443',
  serverForPeers: null,
  caPem: null,
  tlsServerName: null,
  tlsVerify: true,
}

/** Sends another kubeconfig, for which nobody vouches. */
export const replaceKubeconfig = async (
  lab: FlowLab,
  { projectId, id }: Pick<Cluster, 'projectId' | 'id'>,
  text: string,
) => {
  const { clusters } = lab.ports.stores
  const read = async (): Promise<Cluster> => (await clusters.get({ projectId, id })) ?? clusterOf(lab, id)
  await kubeconfigs.replaceKubeconfig(lab.ports, await read(), {
    taken: { endpoint: ENDPOINT, credential: new Secret(text) },
    vouchedBy: undefined,
    requireMayGoOn: () => undefined,
  })
  return runningOn(await read())
}

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

/** POST with a `host` in place of `hostcluster_id`: both flows begin. */
export const createWithHost = async (
  lab: FlowLab,
  { keep = false, ...options }: NewFederation & NewClusterOptions & { keep?: boolean; name?: string } = {},
) => {
  const { members = [], properties = {}, launched, name = 'fleet' } = options
  const planned = await clusterCreate.planCluster(lab.ports, CALLER, desiredCluster(lab, `${name}-host`, options))
  const desired = { name, driver: null, properties, host: { planned, rules: CREATE_RULES, keep }, members }
  const rules = { findCluster: (id: string) => clusterOf(lab, id), requireUse }
  const { federation, given } = await create.createFederation(portsFor(lab, launched), CALLER, desired, rules)
  const { id, hostClusterId: host } = federation
  return { id, host, ref: executionOf('federation-create', given.operation) }
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
    requireUnjoin: requireUse,
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
