import type { Machine } from '../management/objects.schema.ts'
import { CONTROL_PLANE_LABEL, machines as machineResource } from '../management/resources.ts'
import type { ManagementSite } from '../management/site.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { conditionOf, isLeaving, isTrue } from '../status/conditions.ts'

/** How long a machine that runs may take to join: kubeadm pulls images and starts etcd. Milliseconds. */
const JOIN_MS = 10 * 60_000

const hasNode = ({ status }: Machine): boolean => status.nodeRef.name !== ''

/** Not what is wanted any more, and nothing runs on it, or nothing that has joined in all that time. */
const isUnborn = (machine: Machine, now: string): boolean => {
  if (isLeaving(machine) || hasNode(machine) || conditionOf(machine, 'UpToDate')?.status !== 'False') return false
  const age = Date.parse(now) - Date.parse(machine.metadata.creationTimestamp)
  return !isTrue(machine, 'InfrastructureReady') || age > JOIN_MS
}

/**
 * Deletes masters that an earlier upgrade has begun and that never came up, once another upgrade wants others (decision 0025). The control plane replaces
 * nothing while one of its machines has no node, so that it would wait for its health check, half an hour, or where that is off for ever. No member of etcd is among them.
 */
export const removeMachinesWithoutNode = async (
  { client, names }: ManagementSite,
  { machines }: Snapshot,
  now: string,
): Promise<void> => {
  const masters = machines.filter(({ metadata }) => CONTROL_PLANE_LABEL in metadata.labels)
  if (!masters.some((machine) => hasNode(machine) && !isLeaving(machine))) return
  for (const { metadata } of masters.filter((machine) => isUnborn(machine, now))) {
    await client.delete(machineResource(names.namespace), metadata.name, { uid: metadata.uid })
  }
}
