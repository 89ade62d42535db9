import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext, FederationObservation } from '../../../../contract/federation-driver.ts'
import { federationSelector, listAll } from '../../../../support/owned.ts'
import { API_SERVER, COMPONENTS, ETCD } from '../names.ts'
import { namespaceOf } from '../schema.ts'
import { reasonOf } from './reasons.ts'
import { deployments, statefulSets } from './resources.ts'

const Workload = z.object({
  spec: z.object({ replicas: z.number().default(1) }),
  status: z.object({ availableReplicas: z.number().default(0) }).prefault({}),
})

const missing = (object: KubernetesObject): number => {
  const { spec, status } = Workload.parse(object)
  return spec.replicas - status.availableReplicas
}

const faultOf = async (
  client: KubernetesClient,
  name: string,
  object: KubernetesObject | undefined,
): Promise<FederationObservation['fault']> => {
  if (object === undefined) return { reason: 'ComponentMissing', message: `${name} is not in the host any more.` }
  if (missing(object) <= 0) return null
  const { replicas } = Workload.parse(object).spec
  const why = await reasonOf(client, object)
  const message = `${replicas - missing(object)} of ${replicas} pods of ${name} are available${why === null ? '' : `: ${why}`}.`
  return { reason: 'ComponentUnavailable', message }
}

/** What is wrong with the pods of the control plane in the host; null when all are there and available. */
export const componentFault = async (context: FederationContext): Promise<FederationObservation['fault']> => {
  const client = await context.host.client()
  const [namespace, selector] = [namespaceOf(context.federation), federationSelector(context.federation.id)]
  const found = await Promise.all(
    [deployments(namespace), statefulSets(namespace)].map((resource) => listAll(client, resource, selector)),
  )
  const byName = new Map(found.flat().map((object) => [object.metadata.name, object]))
  for (const name of [ETCD, API_SERVER, ...COMPONENTS]) {
    const fault = await faultOf(client, name, byName.get(name))
    if (fault !== null) return fault
  }
  return null
}
