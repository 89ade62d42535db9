import type { Cluster } from '../../core/cluster/cluster.ts'
import { requestTask } from '../../core/cluster/cluster-tasks.ts'
import { rotateFederation } from '../../core/federation/rotate-federation.ts'
import { rotateCredential } from '../../core/membership/rotate-credential.ts'
import type { TablePorts } from '../../core/ports.ts'
import type { ClusterKey } from '../../store/cluster.store.ts'
import { RevisionConflict } from '../../store/errors.ts'
import type { DueRenewal } from '../../store/work.store.ts'
import { beat } from '../heartbeat.ts'

/** In these a cluster is there and takes a change. */
const AT_REST: readonly Cluster['status'][] = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_FAILED']

/** True when its application credentials are due and nothing runs on it. The index that it came from may lag. */
const isDue = ({ operation, status, cloud }: Cluster, now: string): boolean =>
  operation === null && AT_REST.includes(status) && cloud !== undefined && cloud !== null && cloud.renewAfter <= now

/** Begins the task `rotate-credential` if it is due. @throws RevisionConflict when something else began on the cluster */
export const renewCluster = async (ports: TablePorts, key: ClusterKey, now: string): Promise<boolean> => {
  const cluster = await ports.stores.clusters.get(key)
  if (cluster === undefined || !isDue(cluster, now)) return false
  await requestTask(ports, cluster, {
    task: { kind: 'rotate-credential' },
    said: {
      reason: 'RenewalDue',
      message: `The application credentials of cluster ${cluster.name} are being renewed.`,
    },
  })
  return true
}

const renewOne = (ports: TablePorts, due: DueRenewal, now: string): Promise<boolean> => {
  switch (due.kind) {
    case 'cluster':
      return renewCluster(ports, due, now)
    case 'federation':
      return rotateFederation(ports, due, now)
    case 'membership':
      return rotateCredential(ports, due, now)
  }
}

/** Begins one renewal. False when nothing is due after all, or something else began on it meanwhile: the next run sees what is due then. */
const begin = async (ports: TablePorts, due: DueRenewal, now: string): Promise<boolean> => {
  try {
    return await renewOne(ports, due, now)
  } catch (error) {
    if (error instanceof RevisionConflict) return false
    throw error
  }
}

/**
 * Starts `credential-rotate` for each member whose credential is due, `federation-rotate` for each control plane whose certificates are, and
 * the task `rotate-credential` on each cluster whose application credentials are.
 * Runs on the schedule; running twice at once does no harm.
 *
 * @returns how many were started
 */
export const renewDue = async (ports: TablePorts): Promise<number> => {
  const now = ports.clock.now().toISOString()
  let started = 0
  for await (const due of ports.stores.work.renewals(now)) started += (await begin(ports, due, now)) ? 1 : 0
  await beat(ports, 'renewals')
  return started
}
