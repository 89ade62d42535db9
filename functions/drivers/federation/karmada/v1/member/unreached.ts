import * as z from 'zod'
import { listInWords } from '../../../../../core/values/wording.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { conditionOf } from '../control-plane/conditions.ts'
import { karmadaV1Description } from '../description.ts'
import type { Leaving } from './leaving.ts'
import { isImpersonators } from './work-rules.ts'

/** Objects in a sentence before it says how many more there are: `status_reason` has it. */
const NAMES_MAX = 10

const Work = z.object({
  spec: z.object({
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

/** `Deployment default/web`. */
const namesIn = (work: KubernetesObject): string[] =>
  (Work.safeParse(work).data?.spec.workload?.manifests ?? []).map(({ kind, metadata: { name, namespace } }) =>
    namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
  )

/** Works that Karmada can't end well, since it does not reach the member. */
export const unreachedWorks = ({ cluster, works }: Leaving): readonly KubernetesObject[] =>
  conditionOf(cluster, 'Ready')?.status === 'True' || cluster === undefined ? [] : works

/**
 * What stays in a member with Works that Karmada did not end itself; none without workloads in them. It keeps workloads by taking its labels off
 * them, and removes them, in the member.
 */
export const unreachedRemarks = (works: readonly KubernetesObject[], keep: boolean): string[] => {
  const names = works.filter((work) => !isImpersonators(work)).flatMap(namesIn)
  if (names.length === 0) return []
  const listed = listInWords([...new Set(names)].toSorted(), NAMES_MAX)
  return [
    keep
      ? `Karmada did not reach the member, so its labels may still be on what stays there: ${listed}.`
      : `Karmada did not reach the member, so what was to be removed may still be in it: ${listed}.`,
    karmadaV1Description.findWorkloads,
  ]
}
