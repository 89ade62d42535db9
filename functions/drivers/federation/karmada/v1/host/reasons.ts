import * as z from 'zod'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { FederationContext, FederationObservation } from '../../../../contract/federation-driver.ts'
import { federationSelector, listAll } from '../../../../support/owned.ts'
import { API_SERVER, COMPONENTS, ETCD } from '../model/names.ts'
import { namespaceOf } from '../model/properties.ts'
import { type HostEvent, newestEvent, newestWarning, readEvents } from './host-events.ts'
import { deployments, pods, selectorText, statefulSets, volumeClaims } from './plan.ts'
import { podReason } from './pod-reasons.ts'

const Workload = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({ selector: z.object({ matchLabels: z.record(z.string(), z.string()) }) }),
  status: z
    .object({
      conditions: z
        .array(z.object({ type: z.string(), status: z.string(), message: z.string().default('') }))
        .default([]),
    })
    .prefault({}),
})
type Workload = z.infer<typeof Workload>

const Claim = z.object({ status: z.object({ phase: z.string().default('') }).prefault({}) })

/** Pods that can't even be made: quotas, PodSecurity, admission webhooks say so. */
const refusalOf = ({ metadata, status }: Workload, events: readonly HostEvent[]): string | null => {
  const condition = status.conditions.find(({ type, status: state }) => type === 'ReplicaFailure' && state === 'True')
  const event = newestWarning(events, (object) => object.name.startsWith(metadata.name), ['FailedCreate'])
  const message = condition?.message ?? event?.message
  return message === undefined ? null : `the host refuses its pods: ${message}`
}

/** Said of every claim whose class provisions only when a pod asks. */
const WAITS_FOR_POD = 'WaitForFirstConsumer'

/** What is said of a volume claim that is not bound, be it a warning or, where nobody provisions, only that somebody should. */
const claimReason = async (
  client: KubernetesClient,
  { metadata, spec }: Workload,
  events: readonly HostEvent[],
): Promise<string | null> => {
  const selector = selectorText(spec.selector.matchLabels)
  for (const claim of await listAll(client, volumeClaims(metadata.namespace), selector)) {
    const { phase } = Claim.parse(claim).status
    if (phase === 'Bound') continue
    const { name } = claim.metadata
    const said = newestEvent(events, ({ object, reason }) => object.name === name && reason !== WAITS_FOR_POD)
    if (said !== undefined) return `volume claim ${name} is ${phase}: ${said.message}`
  }
  return null
}

/** The pods of a Deployment or StatefulSet, of any template. */
export const podsOf = async (client: KubernetesClient, object: KubernetesObject): Promise<KubernetesObject[]> => {
  const { metadata, spec } = Workload.parse(object)
  return listAll(client, pods(metadata.namespace), selectorText(spec.selector.matchLabels))
}

/**
 * Why a Deployment or StatefulSet makes no progress, in words: what its pods, their claims and the newest events say; null while nothing is wrong,
 * for example while pods start.
 */
export const reasonOf = async (client: KubernetesClient, object: KubernetesObject): Promise<string | null> => {
  const workload = Workload.parse(object)
  const { namespace } = workload.metadata
  const found = await podsOf(client, object)
  const events = await readEvents(client, namespace)
  const reasons = found.map((pod) => podReason(pod, events)).filter((reason) => reason !== null)
  if (object.kind === 'StatefulSet') {
    const claim = await claimReason(client, workload, events)
    if (claim !== null) return claim
  }
  return reasons[0] ?? refusalOf(workload, events)
}

const Counted = z.object({
  spec: z.object({ replicas: z.number().default(1) }),
  status: z.object({ availableReplicas: z.number().default(0) }).prefault({}),
})

const faultOf = async (
  client: KubernetesClient,
  name: string,
  object: KubernetesObject | undefined,
): Promise<FederationObservation['fault']> => {
  if (object === undefined) return { reason: 'ComponentMissing', message: `${name} is not in the host any more.` }
  const {
    spec: { replicas },
    status: { availableReplicas },
  } = Counted.parse(object)
  if (availableReplicas >= replicas) return null
  const why = await reasonOf(client, object)
  const message = `${availableReplicas} of ${replicas} pods of ${name} are available${why === null ? '' : `: ${why}`}.`
  return { reason: 'ComponentUnavailable', message }
}

/** Deployments and StatefulSets of this federation, by name. */
export const workloadsByName = async (
  client: KubernetesClient,
  namespace: string,
  federationId: string,
): Promise<Map<string, KubernetesObject>> => {
  const found = await Promise.all(
    [deployments(namespace), statefulSets(namespace)].map((resource) =>
      listAll(client, resource, federationSelector(federationId)),
    ),
  )
  return new Map(found.flat().map((object) => [object.metadata.name, object]))
}

/** What is wrong with the pods of the control plane in the host; null when all are there and available. */
export const componentFault = async (context: FederationContext): Promise<FederationObservation['fault']> => {
  const client = await context.host.client()
  const byName = await workloadsByName(client, namespaceOf(context.federation), context.federation.id)
  for (const name of [ETCD, API_SERVER, ...COMPONENTS]) {
    const fault = await faultOf(client, name, byName.get(name))
    if (fault !== null) return fault
  }
  return null
}
