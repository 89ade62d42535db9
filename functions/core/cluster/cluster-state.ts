import { isInProgress, type Status } from '../values/status.ts'
import { quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'

/** Statuses in which a cluster takes a change. */
export type Accepted = readonly Status[]

/** Settled: what PATCH and upgrade need (magnum-rest.md 4.3, 4.6). */
export const SETTLED: Accepted = ['CREATE_COMPLETE', 'UPDATE_COMPLETE']

/** A resize also repairs what an earlier change left, and queues behind one that runs (magnum-rest.md 4.5). */
export const RESIZABLE: Accepted = [...SETTLED, 'UPDATE_FAILED', 'UPDATE_IN_PROGRESS']

/** A new kubeconfig also repairs what failed (design section 2), and so does another role as a management cluster. */
export const CREDENTIAL_TAKEN: Accepted = [...SETTLED, 'CREATE_FAILED', 'UPDATE_FAILED']

const inWords = (statuses: Accepted): string => `${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}`

/** Why a cluster takes no such change now, as a sentence with what to wait for; null when it does. */
export const stateFault = ({ name, status, operation }: Cluster, accepted: Accepted): string | null => {
  if (accepted.includes(status)) return null
  const runs = isInProgress(status) ? `, its ${operation?.kind ?? 'operation'} is running` : ''
  return `Cluster ${quote(name)} is ${status}${runs}. It can be changed so when it is ${inWords(accepted)}.`
}
