import * as z from 'zod'
import { listInWords } from '../../../../../core/values/wording.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { isTerminating } from '../../../../support/owned.ts'
import { conditionOf } from '../control-plane/apply-all.ts'
import { FIND_WORKLOADS } from '../model/names.ts'
import type { Leaving } from './leaving.ts'
import { IMPERSONATOR, WORK_FINALIZER } from './names.ts'

const Work = z.object({
  spec: z.object({
    preserveResourcesOnDeletion: z.boolean().optional(),
    workload: z
      .object({
        manifests: z
          .array(
            z.object({
              kind: z.string().default(''),
              metadata: z.object({ name: z.string().default(''), namespace: z.string().optional() }),
            }),
          )
          .default([]),
      })
      .optional(),
  }),
})

const specOf = (work: KubernetesObject) => Work.safeParse(work).data?.spec

const manifestsIn = (work: KubernetesObject) => specOf(work)?.workload?.manifests ?? []

/** What Karmada made for itself in the member: it goes with the member, whatever becomes of workloads. */
export const isImpersonators = (work: KubernetesObject): boolean => {
  const manifests = manifestsIn(work)
  return manifests.length > 0 && manifests.every(({ metadata }) => metadata.name === IMPERSONATOR)
}

/** True when what the Work brought stays in the member once the Work goes. */
const keeps = (work: KubernetesObject): boolean => specOf(work)?.preserveResourcesOnDeletion === true

const isHeld = ({ metadata }: KubernetesObject): boolean => metadata.finalizers?.includes(WORK_FINALIZER) === true

/** Works that would take workloads with them. */
export const toKeep = (found: readonly KubernetesObject[]): KubernetesObject[] =>
  found.filter((work) => isHeld(work) && !isImpersonators(work) && !keeps(work))

/** Works that an earlier request marked, where this one wants the workloads gone. */
export const toGiveUp = (found: readonly KubernetesObject[]): KubernetesObject[] =>
  found.filter((work) => isHeld(work) && keeps(work))

type Stuck = {
  /** The control plane's own time. */
  now: Date
  timeoutSeconds: number
  /** True: also those whose workloads would be removed from the member. */
  force: boolean
}

/** Times the patience with other Works that the impersonator's are given, which nothing but the member itself can end well. */
const IMPERSONATOR_FACTOR = 3

/** Seconds that Karmada is given for a Work; null where only Karmada may end it. */
const timeoutOf = (work: KubernetesObject, { timeoutSeconds, force }: Stuck): number | null => {
  if (force || keeps(work)) return timeoutSeconds
  return isImpersonators(work) ? timeoutSeconds * IMPERSONATOR_FACTOR : null
}

/**
 * Works that Karmada does not let go, because the member does not answer, or because what they brought is no longer there: its own way to keep
 * workloads first takes its labels off them. Nothing is lost when these go all the same. What Karmada made for itself `cleanMember` takes away.
 */
export const stuckWorks = (found: readonly KubernetesObject[], stuck: Stuck): KubernetesObject[] =>
  found.filter((work) => {
    const patience = timeoutOf(work, stuck)
    if (!isTerminating(work) || !isHeld(work) || patience === null) return false
    const since = new Date(work.metadata.deletionTimestamp ?? stuck.now)
    return (stuck.now.getTime() - since.getTime()) / 1000 >= patience
  })

/** Objects in a sentence before it says how many more there are: `status_reason` has it. */
const NAMES_MAX = 10

/** `Deployment default/web`. */
const namesIn = (work: KubernetesObject): string[] =>
  manifestsIn(work).map(({ kind, metadata: { name, namespace } }) =>
    namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
  )

/** Works that Karmada can't end well, since it does not reach the member. */
export const unreachedWorks = ({ cluster, works }: Leaving): readonly KubernetesObject[] =>
  conditionOf(cluster, 'Ready')?.status === 'True' || cluster === undefined ? [] : works

/**
 * What stays in a member with Works that Karmada did not end itself; none without workloads in them. It keeps workloads by taking its labels off
 * them, and removes them, in the member.
 */
export const unreachedWarnings = (works: readonly KubernetesObject[], keep: boolean): string[] => {
  const names = works.filter((work) => !isImpersonators(work)).flatMap(namesIn)
  if (names.length === 0) return []
  const listed = listInWords([...new Set(names)].toSorted(), NAMES_MAX)
  return [
    keep
      ? `Karmada did not reach the member, so its labels may still be on what stays there: ${listed}.`
      : `Karmada did not reach the member, so what was to be removed may still be in it: ${listed}.`,
    FIND_WORKLOADS,
  ]
}
