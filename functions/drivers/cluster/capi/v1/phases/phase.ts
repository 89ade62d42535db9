import type { ClusterContext, ClusterPhase, ClusterStepResult } from '../../../../contract/cluster-driver.ts'
import { step } from '../../../../support/step.ts'
import { type ManagementSite, managementSite } from '../management/site.ts'

/** Seconds for a few calls, and for an outage of the management cluster among them: an upgrade of it, for example. */
export const CALLS_SECONDS = 900

type Named = Pick<ClusterPhase, 'id' | 'title'> & { deadlineSeconds?: number }

/** A phase that works in the management cluster. By default it has the time of a few calls. `run` ends it with `Pending` where it has to wait. */
export const managementPhase = (
  { deadlineSeconds = CALLS_SECONDS, ...named }: Named,
  run: (context: ClusterContext, site: ManagementSite) => Promise<Omit<ClusterStepResult, 'done' | 'waitingFor'>>,
): ClusterPhase => ({
  ...named,
  deadlineSeconds,
  ensure: (context) => step(async () => run(context, await managementSite(context))),
})
