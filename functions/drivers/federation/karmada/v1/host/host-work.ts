import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { StepResult } from '../../../../contract/phase.ts'
import {
  ensureOwned,
  hostSite,
  type Located,
  listAll,
  nameOf,
  refOf,
  removeAllOwned,
  type Site,
} from '../../../../support/owned.ts'
import { Pending, settleAll, step, type Trace } from '../../../../support/step.ts'
import { type Pki, readHostPki } from '../pki/pki.schema.ts'
import {
  componentSelector,
  deployments,
  disruptionBudgets,
  type HostPlan,
  planOf,
  pods,
  replicaSets,
  services,
  statefulSets,
  volumeClaims,
} from './plan.ts'
import { type OperationTime, operationTime } from './rollout.ts'

/** Everything that a phase needs for its work in the host. */
export type HostWork = { site: Site; plan: HostPlan; namespace: string; time: OperationTime }

export const hostWork = async (context: FederationContext): Promise<HostWork> => {
  const plan = planOf(context.federation)
  return {
    site: await hostSite(context),
    plan,
    namespace: plan.properties.namespace,
    time: operationTime(context),
  }
}

type InHost = (
  work: HostWork,
  trace: Trace,
  context: FederationContext,
) => Promise<Omit<StepResult, 'done' | 'waitingFor'>>

/** The step of a phase that works in the host. */
export const inHost =
  (run: InHost) =>
  (context: FederationContext): Promise<StepResult> =>
    step(async (trace) => run(await hostWork(context), trace, context))

/** The certificates. @throws Pending before the phase `certificates` made them */
export const requirePki = async (context: FederationContext): Promise<Pki> => {
  const pki = await readHostPki(context)
  if (pki === undefined) throw new Pending('the control plane to have certificates')
  return pki
}

const RESOURCES: Readonly<Record<string, (namespace: string) => Resource>> = {
  Deployment: deployments,
  PersistentVolumeClaim: volumeClaims,
  PodDisruptionBudget: disruptionBudgets,
  Secret: secrets,
  Service: services,
  StatefulSet: statefulSets,
}

/** Where objects of our manifests in the host belong. */
const resourceOf = ({ kind, metadata }: KubernetesObject): Resource => {
  const resource = RESOURCES[kind]
  if (resource === undefined) throw new TypeError(`No resource for kind ${kind}.`)
  return resource(metadata.namespace ?? '')
}

/**
 * Makes the objects what they are to be, side by side, and answers them as they are now, in the same order. The first refusal is thrown when all
 * are over, so that what was made is noted.
 *
 * @throws ForeignObject, Pending: see `ensureOwned`
 */
export const ensureAll = async (
  { site }: HostWork,
  trace: Trace,
  objects: readonly KubernetesObject[],
): Promise<KubernetesObject[]> => {
  return settleAll(
    objects.map((object) => async () => {
      const made = await ensureOwned(site, resourceOf(object), object)
      trace.made(refOf(site, made))
      return made
    }),
  )
}

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
