import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase, StepResult } from '../../../../contract/phase.ts'
import { isTerminating, listAll, nameOf, refOf, requireOwned } from '../../../../support/owned.ts'
import { Pending, step, type Trace } from '../../../../support/step.ts'
import { claimManifests } from '../host/etcd.ts'
import { type HostWork, hostWork } from '../host/host-work.ts'
import { componentSelector } from '../host/plan.ts'
import { removeSelected } from '../host/remove.ts'
import { volumeClaims } from '../host/resources.ts'
import { requireStorageClass } from '../host/storage.ts'
import { ETCD } from '../names.ts'

const selectorOf = ({ site }: HostWork): string => componentSelector(site.federationId, ETCD)

/** Volume claims of this federation, as they are in the host. */
export const ownClaims = (work: HostWork): Promise<KubernetesObject[]> =>
  listAll(work.site.client, volumeClaims(work.namespace), selectorOf(work))

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
  const wanted = claimManifests(work.plan)
  const names = new Set((await ownClaims(work)).map(({ metadata }) => metadata.name))
  const isMissing = wanted.some(({ metadata }) => !names.has(metadata.name))
  if (isMissing) await requireStorageClass(work.site.client, work.plan.properties)
  for (const claim of wanted) await ensureClaim(work, trace, claim)
}

const dropClaims = (context: FederationContext): Promise<StepResult> =>
  step(async () => {
    const work = await hostWork(context)
    await removeSelected(work, [volumeClaims(work.namespace)], selectorOf(work))
    return {}
  })

export const storagePhase: Phase<FederationContext> = {
  id: 'storage',
  title: 'storage',
  deadlineSeconds: 120,
  ensure: (context) =>
    step(async (trace) => {
      await ensureClaims(await hostWork(context), trace)
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
