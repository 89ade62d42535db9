import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import { type ClusterTask, nodeGroupOf } from '../../../functions/core/cluster/cluster-task.ts'
import { requestTask } from '../../../functions/core/cluster/cluster-tasks.ts'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import * as remove from '../../../functions/core/cluster/delete-cluster.ts'
import { type NodeGroup, type NodeGroupChange, nodesOf } from '../../../functions/core/cluster/node-group.ts'
import { isAbout, reasonKept } from '../../../functions/core/cluster/task-groups.ts'
import { retryOnConflict } from '../../../functions/core/operation/retry-on-conflict.ts'
import { AUTHORITIES } from '../../../functions/core/values/certificate-authority.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { Write } from '../../../functions/store/write.ts'
import { until } from '../local/engine-lab.ts'
import { createCluster, deleteRules, key, newCluster } from './actions.ts'
import type { FlowLab } from './flow-lab.ts'
import { ended } from './look.ts'
import { defaultGroups, newGroup } from './node-groups.ts'

/** What the API does when a change of a cluster is asked for. */

export const groupsOf = (lab: FlowLab, id: string): Promise<NodeGroup[]> => lab.ports.stores.nodeGroups.listOf(key(id))

export const groupNamed = async (lab: FlowLab, id: string, name: string): Promise<NodeGroup> => {
  const group = (await groupsOf(lab, id)).find((it) => it.name === name)
  if (group === undefined) throw new Error(`no node group ${name}`)
  return group
}

/** A cluster that is up, with its two default groups. */
export const readyCluster = async (lab: FlowLab, labels?: Record<string, string>): Promise<string> => {
  const { id, ref } = await createCluster(lab, 'it', labels)
  await ended(lab, ref)
  return id
}

/** A cluster that is up, without having run its flow: with a group `pool` of two nodes, and authorities `old`. */
export const settledCluster = async (lab: FlowLab): Promise<string> => {
  const { clusters, nodeGroups, commit } = lab.ports.stores
  const cluster = { ...newCluster(lab, 'it'), status: 'CREATE_COMPLETE' as const, operation: null }
  const pool = newGroup(cluster, { id: lab.ports.newId(), number: 3, name: 'pool', nodeCount: 2 })
  const groups = [...defaultGroups(cluster, lab.ports.newId), pool].map((group) => ({
    ...group,
    status: cluster.status,
    reachedCount: group.nodeCount,
  }))
  await commit([
    clusters.insert({ ...cluster, nodes: nodesOf(groups) }),
    ...groups.map((group) => nodeGroups.insert(group)),
    ...(await sealAuthorities(lab, cluster.id, 'old', false)),
  ])
  return cluster.id
}

type Asked = {
  change?: (group: NodeGroup) => NodeGroupChange
  insert?: NodeGroup
  writes?: readonly Write[]
  launched?: boolean
  takesPlace?: boolean
}

/** Stores a task with its groups marked. Returns when the API would answer. */
export const ask = async (lab: FlowLab, id: string, task: ClusterTask, asked: Asked = {}): Promise<void> => {
  const { stores } = lab.ports
  const executions =
    asked.launched === false ? { ...lab.ports.executions, start: async () => undefined } : lab.ports.executions
  await retryOnConflict(async () => {
    const cluster = (await stores.clusters.get(key(id))) as Cluster
    const groups = await groupsOf(lab, id)
    const change = (group: NodeGroup): NodeGroupChange => ({
      status: task.kind === 'node-group-delete' ? 'DELETE_IN_PROGRESS' : 'UPDATE_IN_PROGRESS',
      statusReason: reasonKept(group),
      ...asked.change?.(group),
    })
    const own = groups.filter((group) => isAbout(task, group))
    const after = groups.map((group) => (own.includes(group) ? { ...group, ...change(group) } : group))
    await requestTask({ ...lab.ports, executions }, cluster, {
      task,
      ...(asked.takesPlace ? { takesPlace: true } : {}),
      writes: [
        ...own.map((group) => stores.nodeGroups.change(group, change(group))),
        ...(asked.insert ? [stores.nodeGroups.insert(asked.insert)] : []),
        ...(asked.writes ?? []),
      ],
      change: { nodes: nodesOf([...after, ...(asked.insert ? [asked.insert] : [])]) },
      said: { reason: 'Requested', message: 'Asked by a test.' },
    })
  })
}

export const resize = async (
  lab: FlowLab,
  id: string,
  {
    group,
    nodeCount,
    nodesToRemove = [],
    launched = true,
    takesPlace = false,
  }: { group: string; nodeCount: number; nodesToRemove?: string[]; launched?: boolean; takesPlace?: boolean },
): Promise<void> => {
  const { id: nodeGroupId } = await groupNamed(lab, id, group)
  await ask(
    lab,
    id,
    { kind: 'resize', nodeGroupId, nodeCount, nodesToRemove },
    { change: () => ({ nodeCount }), launched, takesPlace },
  )
}

export const createGroup = async (lab: FlowLab, id: string, changes: Partial<NodeGroup> = {}): Promise<NodeGroup> => {
  const cluster = (await lab.ports.stores.clusters.get(key(id))) as Cluster
  const number = (await groupsOf(lab, id)).length + 1
  const group = newGroup(cluster, { id: lab.ports.newId(), name: 'pool', number, nodeCount: 2, ...changes })
  await ask(lab, id, { kind: 'node-group-create', nodeGroupId: group.id }, { insert: group })
  return group
}

/** A task about one group, by the group's name. */
export const askOf = async (
  lab: FlowLab,
  id: string,
  kind: 'node-group-delete' | 'node-group-update',
  name: string,
): Promise<void> => {
  const { id: nodeGroupId } = await groupNamed(lab, id, name)
  await ask(lab, id, kind === 'node-group-delete' ? { kind, nodeGroupId } : { kind, nodeGroupId, nodeCount: null })
}

/** Seals an authority of each type whose certificate and key are this text. */
export const sealAuthorities = (lab: FlowLab, id: string, text: string, candidate: boolean): Promise<Write[]> =>
  Promise.all(
    AUTHORITIES.map((type) =>
      lab.ports.stores.certificates.seal(
        { projectId: 'blue', clusterId: id, type, candidate },
        { certificatePem: text, privateKey: new Secret(`${text} key`) },
      ),
    ),
  )

/** Certificates in force, then candidates. */
export const authoritiesOf = (lab: FlowLab, id: string): Promise<(string | undefined)[]> =>
  Promise.all(
    [false, true].flatMap((candidate) =>
      AUTHORITIES.map((type) =>
        lab.ports.stores.certificates.certificate({ projectId: 'blue', clusterId: id, type, candidate }),
      ),
    ),
  )

export const newTemplate = async (lab: FlowLab, labels: Record<string, string> = {}): Promise<ClusterTemplate> => {
  const createdAt = lab.clock.now().toISOString()
  const template: ClusterTemplate = {
    id: lab.ports.newId(),
    projectId: 'blue',
    userId: 'alice',
    name: 'template',
    driver: 'memory@1',
    spec: {
      coe: 'kubernetes',
      imageId: 'new-image',
      flavorId: null,
      masterFlavorId: null,
      keypairId: null,
      externalNetworkId: null,
      fixedNetwork: null,
      fixedSubnet: null,
      networkDriver: null,
      volumeDriver: null,
      dnsNameserver: null,
      apiserverPort: null,
      dockerVolumeSize: null,
      dockerStorageDriver: null,
      labels,
      serverType: 'vm',
      clusterDistro: null,
      registryEnabled: false,
      insecureRegistry: null,
      tlsDisabled: false,
      masterLbEnabled: false,
      floatingIpEnabled: false,
      httpProxy: null,
      httpsProxy: null,
      noProxy: null,
    },
    public: false,
    hidden: false,
    tags: null,
    revision: 1,
    createdAt,
    updatedAt: null,
    clusterCount: 0,
  }
  await lab.ports.stores.commit([lab.ports.stores.templates.insert(template)])
  return template
}

/** Puts the cluster on a template, as if it had been made from it. */
export const useTemplate = async (lab: FlowLab, id: string, template: ClusterTemplate): Promise<void> => {
  const { clusters, templates, commit } = lab.ports.stores
  const cluster = (await clusters.get(key(id))) as Cluster
  const { id: clusterTemplateId, projectId: templateProjectId, spec } = template
  const magnum = { ...cluster.magnum, clusterTemplateId, templateProjectId, templateLabels: spec.labels }
  await commit([clusters.change(cluster, { magnum }), templates.countUse(template, 1)])
}

export const usesOf = async (lab: FlowLab, { projectId, id }: ClusterTemplate): Promise<number | undefined> =>
  (await lab.ports.stores.templates.get({ projectId, id }))?.clusterCount

/** DELETE of a cluster: takes over from what runs, and drops what waits. */
export const deleteCluster = async (lab: FlowLab, id: string): Promise<void> => {
  await remove.deleteCluster(lab.ports, deleteRules(lab, id))
}

/** Waits until nothing runs on the cluster, or it is gone. Reads the database only when an execution has ended since. */
export const rested = async (lab: FlowLab, id: string): Promise<Cluster | 'gone'> => {
  const endsSoFar = async () => (await lab.engine.list()).filter(({ status }) => status !== 'RUNNING').length
  let ends = -1
  return until(async () => {
    const now = await endsSoFar()
    if (now === ends) return false
    ends = now
    const cluster = await lab.ports.stores.clusters.get(key(id))
    if (cluster === undefined) return 'gone' as const
    return cluster.operation === null && cluster
  })
}

/** Kinds and group ids of the tasks that wait. */
export const waitingOf = (cluster: Cluster): string[] =>
  cluster.queue.map(({ task }) => `${task.kind} ${nodeGroupOf(task) ?? ''}`.trim())
