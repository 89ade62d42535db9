import type { CelSimulation } from '../../../simulated-kubernetes/behaviour.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'

const keeps = (work: ApiObject | undefined): boolean =>
  (work?.spec as { preserveResourcesOnDeletion?: boolean } | undefined)?.preserveResourcesOnDeletion === true

/** Expressions of the policies that karmada@1 puts into its control planes, and what they come to. */
export const CEL_SIMULATIONS: Readonly<Record<string, CelSimulation>> = {
  '(has(object.spec.preserveResourcesOnDeletion) && object.spec.preserveResourcesOnDeletion) || !(oldObject == null || (has(oldObject.spec.preserveResourcesOnDeletion) && oldObject.spec.preserveResourcesOnDeletion))':
    (work, before) => keeps(work) || !(before === undefined || keeps(before)),
}
