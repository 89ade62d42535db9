import { standInTemplate } from '../../../functions/core/cluster/builtin-templates.ts'
import { changeNodeGroup } from '../../../functions/core/cluster/change-node-group.ts'
import { AUTHORITIES, type Cluster } from '../../../functions/core/cluster/cluster.ts'
import { type ClusterTask, nodeGroupOf } from '../../../functions/core/cluster/cluster-task.ts'
import { requestTask } from '../../../functions/core/cluster/cluster-tasks.ts'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import { createNodeGroup, type DesiredNodeGroup } from '../../../functions/core/cluster/create-node-group.ts'
import { deleteNodeGroup } from '../../../functions/core/cluster/delete-node-group.ts'
import { type NodeGroup, nodesOf } from '../../../functions/core/cluster/node-group.ts'
import { resizeCluster } from '../../../functions/core/cluster/resize-cluster.ts'
import { isAbout, reasonKept } from '../../../functions/core/cluster/task-groups.ts'
import * as upgrades from '../../../functions/core/cluster/upgrade-cluster.ts'
import { notFound } from '../../../functions/core/errors.ts'
import { retryOnConflict } from '../../../functions/core/operation/retry-on-conflict.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { Write } from '../../../functions/store/write.ts'
import { until } from '../local/engine-lab.ts'
import { sampleCluster } from '../store/samples.ts'
import { changeRules, createCluster, key, newCluster, portsFor } from './actions.ts'
import type { FlowLab } from './flow-lab.ts'
import { ended } from './look.ts'
import { defaultGroups, newGroup } from './node-groups.ts'

/** Changes of clusters and node groups by the commands that the API calls, and what they are about. */

export const groupsOf = (lab: FlowLab, id: string): Promise<NodeGroup[]> => lab.ports.stores.nodeGroups.listOf(key(id))

export const groupNamed = async (lab: FlowLab, id: string, name: string): Promise<NodeGroup> => {
  const group = (await groupsOf(lab, id)).find((it) => it.name === name)
  if (group === undefined) throw new Error(`no node group ${name}`)
  return group
}

/** A cluster that is up, with its two default groups. */
export const readyCluster = async (
  lab: FlowLab,
  labels: Record<string, string> = {},
  template?: ClusterTemplate,
): Promise<string> => {
  const { id, ref } = await createCluster(lab, 'it', { labels, ...(template === undefined ? {} : { template }) })
  await ended(lab, ref)
  return id
}

/** A cluster that is up, without having run its flow: with a group `pool` of two nodes, and authorities `old`. */
export const settledCluster = async (lab: FlowLab): Promise<string> => {
  const { clusters, nodeGroups, commit } = lab.ports.stores
  const { endpoint } = sampleCluster()
  const cluster = { ...newCluster(lab, 'it'), status: 'CREATE_COMPLETE' as const, operation: null, endpoint }
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

type Launched = { /** False: as if the process had died between commit and launch. */ launched?: boolean }

/** It takes the place of another number for the same group. */
export const resize = async (
  lab: FlowLab,
  id: string,
  desired: Launched & { group: string; nodeCount: number; nodesToRemove?: string[] },
): Promise<void> => {
  const { group: nodeGroup, nodeCount, nodesToRemove = [], launched = true } = desired
  await resizeCluster(lab.ports, changeRules(lab, id, launched), { nodeGroup, nodeCount, nodesToRemove })
}

/** Brings a group to a number of nodes by its limits: unlike a resize, it waits for its turn behind others of the same group. */
export const limit = async (
  lab: FlowLab,
  id: string,
  {
    group,
    nodeCount,
    least = nodeCount,
    most = nodeCount,
    launched = true,
  }: Launched & { group: string; nodeCount: number; least?: number; most?: number | null },
): Promise<void> => {
  await changeNodeGroup(lab.ports, changeRules(lab, id, launched), group, {
    attributes: ['min_node_count', 'max_node_count'],
    settingsOf: (read) => ({ ...read, minNodeCount: least, maxNodeCount: most }),
  })
}

/** Changes a group to what it is already, which is a change as any other. */
export const changeGroup = async (lab: FlowLab, id: string, group: string): Promise<void> => {
  const patch = { attributes: ['min_node_count'], settingsOf: (read: NodeGroup) => read }
  await changeNodeGroup(lab.ports, changeRules(lab, id), group, patch)
}

/** Default: `pool`, of two nodes. */
export const createGroup = async (
  lab: FlowLab,
  id: string,
  desired: Partial<DesiredNodeGroup> = {},
): Promise<NodeGroup> => {
  const { group } = await createNodeGroup(lab.ports, changeRules(lab, id), { name: 'pool', nodeCount: 2, ...desired })
  return group
}

export const deleteGroup = (lab: FlowLab, id: string, group: string): Promise<void> =>
  deleteNodeGroup(lab.ports, changeRules(lab, id), group)

/** Of the cluster, or of one group. */
export const upgrade = async (
  lab: FlowLab,
  id: string,
  template: ClusterTemplate,
  { group, launched }: Launched & { group?: string } = {},
): Promise<void> => {
  const rules: upgrades.UpgradeRules = {
    ...changeRules(lab, id, launched),
    findTemplate: async (_, ident) => {
      const found = await lab.ports.stores.templates.get({ projectId: template.projectId, id: ident })
      if (found === undefined) throw notFound('ClusterTemplate', ident)
      return { template: found, isBuiltin: false }
    },
    requireTemplateOpen: () => undefined,
  }
  await upgrades.upgradeCluster(lab.ports, rules, { template: template.id, nodeGroup: group, maxBatchSize: 1 })
}

/**
 * Stores a task that no command stores just so, with its groups marked. An upgrade waits only behind a rotation of application credentials, a
 * change of a group that goes is refused, and a rotation of authorities has certificates that differ from run to run.
 */
export const ask = async (
  lab: FlowLab,
  id: string,
  task: ClusterTask,
  { writes = [], launched = true }: Launched & { writes?: readonly Write[] } = {},
): Promise<void> => {
  const { stores } = lab.ports
  const change = (group: NodeGroup) =>
    ({
      status: task.kind === 'node-group-delete' ? 'DELETE_IN_PROGRESS' : 'UPDATE_IN_PROGRESS',
      statusReason: reasonKept(group),
    }) as const
  await retryOnConflict(async () => {
    const groups = await groupsOf(lab, id)
    const own = groups.filter((group) => isAbout(task, group))
    await requestTask(portsFor(lab, launched), (await stores.clusters.get(key(id))) as Cluster, {
      task,
      writes: [...own.map((group) => stores.nodeGroups.change(group, change(group))), ...writes],
      said: { reason: 'Requested', message: 'Asked by a test.' },
    })
  })
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

export const newTemplate = async (
  lab: FlowLab,
  labels: Record<string, string> = {},
  imageId = 'new-image',
): Promise<ClusterTemplate> => {
  const createdAt = lab.clock.now().toISOString()
  const template: ClusterTemplate = {
    id: lab.ports.newId(),
    projectId: 'blue',
    userId: 'alice',
    name: 'template',
    driver: 'memory@1',
    spec: { ...standInTemplate(lab.ports.drivers.cluster.resolve('memory@1')).spec, imageId, labels },
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
