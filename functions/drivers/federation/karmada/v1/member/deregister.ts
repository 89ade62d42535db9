import { operationOf } from '../../../../../core/membership/membership.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import type { StepResult } from '../../../../contract/phase.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import { deleteOwned, isOwned, isTerminating, type Site } from '../../../../support/owned.ts'
import { Pending, retryWhilePending, settleAll, step } from '../../../../support/step.ts'
import { clusterTime } from '../../../../support/who-am-i.ts'
import { hasControlPlane, withControlPlane, workInControlPlane } from '../control-plane/open.ts'
import { MEMBERS_NAMESPACE } from '../model/names.ts'
import type { KarmadaOptions } from '../model/options.ts'
import {
  blockersOf,
  deleteWorks,
  finish,
  type Leaving,
  type LeavingSite,
  markNamespace,
  observeLeaving,
  releaseWorks,
  setPreserve,
} from './leaving.ts'
import { clusters, controlPlaneSite, executionSpace, impersonatorSecretName } from './names.ts'
import { stuckWorks, toGiveUp, toKeep, unreachedWarnings, unreachedWorks } from './works.ts'

/** Marks that are taken away again before the API server knows that it must not; it does so within milliseconds. */
const MARKS_MAX = 10

type Job = {
  context: MemberContext
  options: KarmadaOptions
  site: Site
  at: LeavingSite
  /** True: workloads stay in the member. */
  keep: boolean
  force: boolean
  /** What stays in the member though Karmada should have seen to it, as the first observation that knew of it said. */
  warnings: string[]
}

const jobOf = (context: MemberContext, options: KarmadaOptions, client: KubernetesClient, warnings: string[]): Job => {
  const operation = operationOf(context.membership)
  const { memberName } = context.membership
  return {
    context,
    options,
    site: controlPlaneSite(context, client),
    at: { client, memberName, space: executionSpace({ memberName }) },
    keep: operation?.workloads !== 'delete',
    force: operation?.force === true,
    warnings,
  }
}

/** Sees that what is to stay in the member does, before anything goes. @throws Pending while somebody takes the marks away */
const mark = async ({ at, keep }: Job, seen: Leaving): Promise<void> => {
  if (seen.namespace !== undefined) await markNamespace(at, seen.namespace, keep)
  if (!keep) return setPreserve(at, toGiveUp(seen.works), false)
  let open = toKeep(seen.works)
  for (let tries = 0; open.length > 0 && tries < MARKS_MAX; tries += 1) {
    await setPreserve(at, open, true)
    open = toKeep((await observeLeaving(at)).works)
  }
  if (open.length > 0) throw new Pending(`${open.length} Works of ${at.space} to be marked, so that workloads stay`)
}

/** Begins: afterwards the Cluster is being deleted, and with it the namespace of its Works. */
const begin = async (job: Job, seen: Leaving): Promise<void> => {
  if (seen.cluster === undefined || isTerminating(seen.cluster)) return
  await mark(job, seen)
  await deleteOwned(job.site, clusters, seen.cluster)
}

const note = ({ warnings, keep }: Job, works: readonly KubernetesObject[]): void => {
  if (warnings.length === 0) warnings.push(...unreachedWarnings(works, keep))
}

/** Works go at once, rather than when Karmada gets to them; those that can't are let go. */
const emptySpace = async (job: Job, seen: Leaving): Promise<void> => {
  const { at, keep, force, options, context } = job
  if (seen.namespace === undefined || !isTerminating(seen.namespace)) return
  if (keep) await setPreserve(at, toKeep(seen.works), true)
  await deleteWorks(
    at,
    seen.works.filter((work) => !isTerminating(work)),
  )
  if (!seen.works.some(isTerminating)) return
  const now = await clusterTime(at.client, context.now())
  const stuck = stuckWorks(seen.works, { now, timeoutSeconds: options.workTimeoutSeconds, force })
  if (force) note(job, stuck)
  await releaseWorks(at, stuck)
}

const isOver = ({ cluster, namespace }: Leaving): boolean => cluster === undefined && namespace === undefined

/** One observation, and what is to be done about it. */
const advance = async (job: Job): Promise<Leaving> => {
  const seen = await observeLeaving(job.at)
  note(job, unreachedWorks(seen))
  await begin(job, seen)
  await emptySpace(job, seen)
  const { workTimeoutSeconds } = job.options
  await finish(job.at, seen, { now: job.context.now(), workTimeoutSeconds, force: job.force })
  return seen
}

/** The Secrets are Karmada's garbage collector's to remove; what it leaves would be a token that is still good. */
const removeSecrets = async ({ site, context }: Job): Promise<void> => {
  const wanted = [
    { resource: secrets(MEMBERS_NAMESPACE), name: context.membership.memberName },
    { resource: secrets(memberObjectName(site.federationId)), name: impersonatorSecretName(context.membership) },
  ]
  await settleAll(
    wanted.map(({ resource, name }) => async () => {
      const secret = await site.client.get(resource, name)
      if (secret !== undefined) await deleteOwned(site, resource, secret)
    }),
  )
}

const leave = async (job: Job): Promise<void> => {
  const { cluster } = await observeLeaving(job.at)
  // Somebody else's of that name: nothing of this member is there.
  if (cluster !== undefined && !isOwned(job.site, cluster)) return
  await retryWhilePending(async () => {
    const seen = await advance(job)
    if (!isOver(seen)) throw new Pending(blockersOf(job.at, seen))
  })
  await removeSecrets(job)
}

/**
 * Takes the member out of the control plane, and its workloads out of the member only where that was asked for. Never talks to the member; the control
 * plane may have to, to remove workloads and what it made there for itself. With `force` what it can't finish is taken away all the same.
 */
export const deregisterMember = async (context: MemberContext, options: KarmadaOptions): Promise<StepResult> => {
  const warnings: string[] = []
  const result = await step(async () => {
    if (!(await hasControlPlane(context))) return {}
    // Who forces does not wait for a control plane to work again.
    const work = operationOf(context.membership)?.force === true ? withControlPlane : workInControlPlane
    await work(context, (client) => leave(jobOf(context, options, client, warnings)))
    return {}
  })
  return warnings.length === 0 ? result : { ...result, warnings }
}
