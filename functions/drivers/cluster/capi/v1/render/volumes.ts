import type { Sparse } from './compact.ts'
import type { DesiredGroup } from './plan.ts'

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
