import { peopleNamespace, withdraw } from '../../core/access/cluster-people.ts'
import { OperationSuperseded } from '../../core/errors.ts'
import { openCluster, type Target } from '../../core/operation/subjects.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { withoutFullStop } from '../../core/values/wording.ts'
import type { BoundPhase } from '../loop.ts'
import type { StepPorts } from '../step.ts'

const DEADLINE_SECONDS = 60

/**
 * Takes accounts for people out of a cluster before it is forgotten. One that does not answer is no reason to keep it: its owner has the cluster, tokens end
 * within a day, and the last event says what is left.
 */
const remove = async (ports: StepPorts, target: Target): Promise<{ done: true; warnings: string[] }> => {
  const cluster = await openCluster(ports, target)
  const { stores, log } = ports
  let fault: string | undefined
  for (const issued of await stores.inventory.issuedOf(cluster)) {
    try {
      // What has failed once would take its time for each of them.
      if (fault === undefined) await withdraw(ports, cluster, issued)
      else await stores.commit([stores.inventory.forget(issued)])
    } catch (error) {
      if (!isAppError(error) || error instanceof OperationSuperseded) throw error
      fault = withoutFullStop(error.message)
      log.warn('account of a kubeconfig left in a cluster', { clusterId: cluster.id, id: issued.id, error: error.name })
      await stores.commit([stores.inventory.forget(issued)])
    }
  }
  if (fault === undefined) return { done: true, warnings: [] }
  return {
    done: true,
    warnings: [`accounts for people stay in it, in namespace ${peopleNamespace(cluster.id)} (${fault})`],
  }
}

/** Of a deletion, before the driver's own. */
export const peoplePhases = (ports: StepPorts, target: Target): BoundPhase[] => [
  {
    id: 'people',
    title: 'accounts of people removed',
    deadlineSeconds: DEADLINE_SECONDS,
    ensure: () => remove(ports, target),
    undo: undefined,
  },
]
