import { renewCluster } from '../../core/cluster/rotate-cluster.ts'
import { rotateFederation } from '../../core/federation/rotate-federation.ts'
import { rotateCredential } from '../../core/membership/begin-operation.ts'
import type { TablePorts } from '../../core/ports.ts'
import { RevisionConflict } from '../../store/errors.ts'
import type { DueRenewal } from '../../store/work.store.ts'
import { beat } from '../heartbeat.ts'

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
