import type { Resource } from '../../../../../kubernetes/client.ts'
import { type Located, listAll, nameOf, removeAllOwned } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import type { HostWork } from './host-work.ts'
import { componentSelector } from './plan.ts'
import { deployments, disruptionBudgets, pods, replicaSets, statefulSets } from './resources.ts'

/** Ours of each kind that the selector finds. */
const findOwned = async ({ site }: HostWork, resources: readonly Resource[], selector: string): Promise<Located[]> => {
  const lists = await Promise.all(
    resources.map(async (resource) =>
      (await listAll(site.client, resource, selector)).map((object) => ({ resource, object })),
    ),
  )
  return lists.flat()
}

/** Deletes all of these kinds that the selector finds. @throws Pending while finalizers hold one */
export const removeSelected = async (work: HostWork, resources: readonly Resource[], selector: string): Promise<void> =>
  removeAllOwned(work.site, await findOwned(work, resources, selector))

/**
 * Deletes the workloads of components and waits until their pods are gone: only then are their volumes free, and their names.
 *
 * @throws Pending naming what is still there
 */
export const removeComponents = async (work: HostWork, components: readonly string[]): Promise<void> => {
  const { namespace, site } = work
  const kinds = [deployments(namespace), statefulSets(namespace), disruptionBudgets(namespace)]
  const followers = [replicaSets(namespace), pods(namespace)]
  const selectors = components.map((component) => componentSelector(site.federationId, component))
  await Promise.all(selectors.map((selector) => removeSelected(work, kinds, selector)))
  const staying = (await Promise.all(selectors.map((selector) => findOwned(work, followers, selector)))).flat()
  const [first] = staying
  if (first === undefined) return
  const more = staying.length === 1 ? '' : ` (and ${staying.length - 1} more)`
  throw new Pending(`${nameOf(site, first.object)} to be gone${more}`)
}
