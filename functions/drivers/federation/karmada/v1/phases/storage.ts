import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { isTerminating, nameOf, refOf, requireOwned } from '../../../../support/owned.ts'
import { Pending, step, type Trace } from '../../../../support/step.ts'
import { claimManifests, claimSelector, missingClaims, ownClaims } from '../host/etcd.ts'
import { requireStorageClass } from '../host/findings.ts'
import { type HostWork, hostWork, inHost, removeSelected } from '../host/host-work.ts'
import { volumeClaims } from '../host/plan.ts'

/** One that is there stays as it is: it may have been enlarged. */
const ensureClaim = async ({ site, namespace }: HostWork, trace: Trace, claim: KubernetesObject): Promise<void> => {
  const resource = volumeClaims(namespace)
  const found = await site.client.get(resource, claim.metadata.name)
  if (found !== undefined) requireOwned(site, found)
  if (found !== undefined && isTerminating(found)) throw new Pending(`${nameOf(site, found)} to be gone`)
  trace.made(refOf(site, found ?? (await site.client.apply(resource, claim))))
}

/** Volume claims for etcd. They are not waited for: many classes provision only when a pod asks. */
const ensureClaims = async (work: HostWork, trace: Trace): Promise<void> => {
  if ((await missingClaims(work)).length > 0) await requireStorageClass(work.site.client, work.plan.properties)
  for (const claim of claimManifests(work.plan)) await ensureClaim(work, trace, claim)
}

const dropClaims = (context: FederationContext): Promise<StepResult> =>
  step(async () => {
    const work = await hostWork(context)
    await removeSelected(work, [volumeClaims(work.namespace)], claimSelector(work))
    return {}
  })

export const storagePhase: Phase<FederationContext> = {
  id: 'storage',
  title: 'storage',
  deadlineSeconds: 120,
  ensure: inHost(async (work, trace) => {
    await ensureClaims(work, trace)
    return {}
  }),
  undo: dropClaims,
}

/** At a delete: the volumes go too, unless `keep-data` says that they stay. */
export const dropStorage = async (context: FederationContext): Promise<StepResult> => {
  const work = await hostWork(context)
  if (!work.plan.properties.keepData) return dropClaims(context)
  return { done: true, leftovers: (await ownClaims(work)).map((claim) => refOf(work.site, claim)) }
}
