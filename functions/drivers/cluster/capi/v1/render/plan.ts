import * as z from 'zod'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../../../../core/cluster/cluster-task.ts'
import type { ClusterTemplate, ClusterTemplateSpec } from '../../../../../core/cluster/cluster-template.ts'
import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import { isAbout } from '../../../../../core/cluster/task-groups.ts'
import type { Json, JsonObject } from '../../../../../core/values/json.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { wantedGroupLabels, wantedLabels } from '../model/desired.ts'
import type { Infrastructure } from '../model/infrastructure.ts'
import { type ClusterValues, clusterValues, type GroupValues, groupValues } from '../model/labels.ts'
import type { ClusterNames } from '../model/names.ts'

/** All that a topology `Cluster` is rendered from. */
export type RenderPlan = {
  cluster: Cluster
  names: ClusterNames
  /** Where the class is that new clusters, and upgraded ones, are made from. */
  classNamespace: string
  /** During an upgrade the new one. */
  template: ClusterTemplate | null
  /**
   * As they shall be when the task is done: `nodeCount` of each is what is rendered. The entry of a group that is not here is taken away; so is
   * that of the group which a `node-group-delete` is about.
   */
  nodeGroups: readonly NodeGroup[]
  infrastructure: Infrastructure
  /** The `Cluster` as it was just read; undefined when there is none yet. */
  previous: KubernetesObject | undefined
  /** Null: the cluster is to be created. To take a delete of a group back, say `node-group-create` of the same. */
  task: ClusterTask | null
}

/** What is wanted of a cluster, read. */
export type DesiredCluster = {
  plan: RenderPlan
  values: ClusterValues
  /** What its labels say to groups that have none of their own. */
  own: GroupValues
  /** Undefined when the template is gone: a change that needs it takes what is there. */
  spec: ClusterTemplateSpec | undefined
}

/** What is wanted of one node group, read. */
export type DesiredGroup = DesiredCluster & { group: NodeGroup; image: string; isMaster: boolean }

export const desiredCluster = (plan: RenderPlan): DesiredCluster => ({
  plan,
  values: clusterValues(wantedLabels(plan)),
  own: groupValues(wantedLabels(plan)),
  spec: plan.template?.spec,
})

/** An upgrade brings the template's image; other nodes are of the image that their group was given. */
const imageOf = ({ task, template }: RenderPlan, group: NodeGroup): string => {
  const given = group.imageId ?? template?.spec.imageId
  const isUpgraded = task?.kind === 'upgrade' && isAbout(task, group)
  return (isUpgraded ? template?.spec.imageId : given) ?? given ?? ''
}

export const desiredGroup = (plan: RenderPlan, group: NodeGroup): DesiredGroup => {
  const labels = wantedGroupLabels(plan, group)
  return {
    ...desiredCluster(plan),
    group: { ...group, labels },
    own: groupValues(labels),
    image: imageOf(plan, group),
    isMaster: isMaster(group),
  }
}

const Stored = z.object({
  spec: z.object({ clusterNetwork: z.object({ apiServerPort: z.number().optional() }).prefault({}) }),
})

/**
 * Where API servers listen, and the load balancer before them; undefined: 6443. That of a cluster which is there is the one that it was made with, whatever
 * its template says by now: load balancer and address stay when masters are replaced.
 */
export const apiServerPortOf = ({
  previous,
  template,
}: Pick<RenderPlan, 'previous' | 'template'>): number | undefined =>
  previous === undefined
    ? (template?.spec.apiserverPort ?? undefined)
    : Stored.safeParse(previous).data?.spec.clusterNetwork.apiServerPort

/** Label of a Cluster that says which CNI it has: also for operators' own tools. */
export const NETWORK_DRIVER_LABEL = 'fedplane.io/network-driver'

/** Of new clusters whose template names none. */
const DEFAULT_NETWORK_DRIVER = 'calico'

/** The CNI that a cluster has: the one it was made with, whatever its template says by now, since a second one would break its network. */
export const networkDriverOf = ({ previous, template }: Pick<RenderPlan, 'previous' | 'template'>): string =>
  previous?.metadata.labels?.[NETWORK_DRIVER_LABEL] ?? (template?.spec.networkDriver || DEFAULT_NETWORK_DRIVER)

/** JSON with fields that may be left out. */
export type Sparse =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly Sparse[]
  | { readonly [key: string]: Sparse }

const isObject = (value: Sparse): value is { readonly [key: string]: Sparse } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const pruned = (value: Sparse): Json | undefined => {
  if (Array.isArray(value)) return (value as readonly Sparse[]).flatMap((item) => kept(pruned(item)))
  return isObject(value) ? compact(value) : (value as Json | undefined)
}

const kept = (value: Json | undefined): Json[] => (value === undefined || isEmpty(value) ? [] : [value])

/** Without absent, null and empty values, at any depth: Cluster API refuses most of them (cluster-api.md section 4.1). `false` and 0 stay. */
export const compact = (value: { readonly [key: string]: Sparse }): JsonObject =>
  Object.fromEntries(Object.entries(value).flatMap(([key, item]) => kept(pruned(item)).map((one) => [key, one])))

/** A disk beside the root disk, with what is kept on it. */
export type Disk = {
  /** Of the block device, and of its file system's label. */
  name: 'etcd' | 'docker'
  gigabytes: number
  mountPath: string
  storage: Sparse
}

const cinder = (type: string | undefined, zone: string | undefined): Sparse => ({
  type: 'Volume',
  volume: { type, availabilityZone: zone === undefined ? undefined : { from: 'Name', name: zone } },
})

/** etcd's data; a directory below the mount point, since kubeadm wants an empty one and a file system has `lost+found`. */
export const ETCD_MOUNT = '/var/lib/etcddisk'
const CONTAINERD = '/var/lib/containerd'

const etcdDisk = ({ isMaster, values }: DesiredGroup): Disk[] => {
  const gigabytes = values.etcd_blockdevice_size ?? values.etcd_volume_size ?? 0
  if (!isMaster || gigabytes === 0) return []
  const type = values.etcd_blockdevice_volume_type ?? values.etcd_volume_type
  const isLocal = values.etcd_blockdevice_type === 'local'
  const storage = isLocal ? { type: 'Local' } : cinder(type, values.etcd_blockdevice_volume_az)
  return [{ name: 'etcd', gigabytes, mountPath: ETCD_MOUNT, storage }]
}

const dockerDisk = ({ group, own }: DesiredGroup): Disk[] => {
  const gigabytes = group.dockerVolumeSize ?? 0
  if (gigabytes === 0) return []
  return [{ name: 'docker', gigabytes, mountPath: CONTAINERD, storage: cinder(own.docker_volume_type, undefined) }]
}

/** The further disks of a group's machines, in the order in which the machine sees them. */
export const disksOf = (desired: DesiredGroup): Disk[] => [...etcdDisk(desired), ...dockerDisk(desired)]

/** What the machine calls its further disks: they follow the root disk. */
export const deviceOf = ({ own }: DesiredGroup, index: number): string =>
  `/dev/${own.capi_disk_bus === 'scsi' ? 'sd' : 'vd'}${'bcdefgh'[index]}`

/** Further networks of a group's machines, by name or id. Masters have none. */
export const extraNetworks = ({ own, isMaster }: Pick<DesiredGroup, 'own' | 'isMaster'>): readonly string[] =>
  isMaster ? [] : (own.extra_network_names ?? own.extra_network_name ?? [])
