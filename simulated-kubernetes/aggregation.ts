import type { AggregatedApi } from './behaviour.ts'
import type { Cluster } from './cluster.ts'
import { StatusError } from './status.ts'
import type { ApiObject, ApiResponse, ResourceType } from './types.ts'

export const API_SERVICES = { group: 'apiregistration.k8s.io', plural: 'apiservices' } as const

type ApiServiceSpec = { group?: string; version?: string; service?: { name: string; namespace: string } }
const specOf = ({ spec }: ApiObject): ApiServiceSpec => (spec ?? {}) as ApiServiceSpec

/** Registrations as long as none of them changes. */
const registered = new WeakMap<Cluster, { revision: number; objects: readonly ApiObject[] }>()

/** Registrations of other API servers: those that name a Service. */
export const remoteApis = (cluster: Cluster): readonly ApiObject[] => {
  const revision = cluster.store.revisionOf(API_SERVICES)
  const known = registered.get(cluster)
  if (known?.revision === revision) return known.objects
  const objects = cluster.store.list(API_SERVICES).filter((object) => specOf(object).service !== undefined)
  registered.set(cluster, { revision, objects })
  return objects
}

type Condition = { type: string; status: string }

/** As its condition says, which the controller follows up: a real aggregator asks this too. */
const isAvailable = ({ status }: ApiObject): boolean =>
  ((status as { conditions?: Condition[] } | undefined)?.conditions ?? []).some(
    (condition) => condition.type === 'Available' && condition.status === 'True',
  )

const served = (answer: AggregatedApi): readonly ResourceType[] => ('types' in answer ? answer.types : [])

/** What other API servers serve behind this one. */
export const aggregatedTypes = (cluster: Cluster): ResourceType[] =>
  remoteApis(cluster)
    .filter(isAvailable)
    .flatMap((object) => served(cluster.behaviour.aggregated(object)))

/** Groups that are registered for other API servers, whether these answer or not. */
export const aggregatedGroups = (cluster: Cluster): { group: string; version: string }[] =>
  remoteApis(cluster).map((object) => {
    const { group = '', version = '' } = specOf(object)
    return { group, version }
  })

/** The answer for a group whose API server can't be used; undefined for all others. A Status, sent as plain text as the real aggregator does. */
export const unavailable = (
  cluster: Cluster,
  { group, version }: { group: string; version: string },
): ApiResponse | undefined => {
  const registration = remoteApis(cluster).find((object) => {
    const spec = specOf(object)
    return spec.group === group && spec.version === version
  })
  if (registration === undefined || isAvailable(registration)) return undefined
  const status = new StatusError(503, '', 'service unavailable').toStatus()
  return { status: 503, body: `${JSON.stringify(status)}\n` }
}
