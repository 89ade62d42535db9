import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import { ensureOwned, refOf, type Site } from '../../../../support/owned.ts'
import { settleAll } from '../../../../support/settle-all.ts'
import { Pending, type Trace } from '../../../../support/step.ts'
import type { Pki } from '../pki/pki.schema.ts'
import { readHostPki } from '../pki/read-pki.ts'
import { type OperationTime, operationTime } from './image-fault.ts'
import { type HostPlan, planOf } from './plan.ts'
import { deployments, disruptionBudgets, services, statefulSets, volumeClaims } from './resources.ts'

/** Everything that a phase needs for its work in the host. */
export type HostWork = { site: Site; plan: HostPlan; namespace: string; time: OperationTime }

export const hostWork = async (context: FederationContext): Promise<HostWork> => {
  const plan = planOf(context.federation)
  return {
    site: { client: await context.host.client(), where: 'host', federationId: context.federation.id },
    plan,
    namespace: plan.properties.namespace,
    time: operationTime(context),
  }
}

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
