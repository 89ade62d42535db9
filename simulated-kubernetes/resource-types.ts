import { aggregatedTypes } from './aggregation.ts'
import { BUILTIN_RESOURCES, METADATA_SCHEMA } from './builtin-resources.ts'
import type { Cluster } from './cluster.ts'
import type { ApiObject, ResourceType, Schema } from './types.ts'

/** The parts of a CustomResourceDefinition that are read here. */
export type CrdSpec = {
  group: string
  scope: 'Namespaced' | 'Cluster'
  names: {
    plural: string
    singular?: string
    kind: string
    listKind?: string
    shortNames?: string[]
    categories?: string[]
  }
  versions: {
    name: string
    served: boolean
    storage: boolean
    schema?: { openAPIV3Schema?: Schema }
    subresources?: { status?: object }
  }[]
}

type Condition = { type: string; status: string }

export const CRDS = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' } as const

export const isEstablished = (crd: ApiObject): boolean => {
  const { conditions = [] } = (crd.status ?? {}) as { conditions?: Condition[] }
  return conditions.some((condition) => condition.type === 'Established' && condition.status === 'True')
}

/** The schema with `metadata` replaced by ours: a definition can't say more about it than its name. */
const withMetadata = (schema: Schema): Schema => ({
  ...schema,
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    ...schema.properties,
    metadata: { ...METADATA_SCHEMA, 'x-kubernetes-preserve-unknown-fields': true },
  },
})

const typesOf = (crd: ApiObject): ResourceType[] => {
  const spec = crd.spec as CrdSpec
  return spec.versions
    .filter((version) => version.served)
    .map((version) => ({
      group: spec.group,
      version: version.name,
      plural: spec.names.plural,
      singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
      kind: spec.names.kind,
      namespaced: spec.scope === 'Namespaced',
      shortNames: spec.names.shortNames ?? [],
      categories: spec.names.categories ?? [],
      statusSubresource: version.subresources?.status !== undefined,
      nameRule: 'subdomain',
      schema: withMetadata(version.schema?.openAPIV3Schema ?? { type: 'object' }),
      custom: true,
      strict: true,
      counted: true,
    }))
}

/** Types of the definitions, as long as none of these changes. */
const defined = new WeakMap<Cluster, { revision: number; types: ResourceType[]; byKey: Map<string, ResourceType> }>()

type TypeKey = { group: string; version: string; plural: string }

const keyOf = ({ group, version, plural }: TypeKey): string => `${group}/${version}/${plural}`

const byKey = (types: readonly ResourceType[]): Map<string, ResourceType> =>
  new Map(types.map((type) => [keyOf(type), type]))

const definedTypes = (cluster: Cluster): { types: ResourceType[]; byKey: Map<string, ResourceType> } => {
  const revision = cluster.store.revisionOf(CRDS)
  const known = defined.get(cluster)
  if (known?.revision === revision) return known
  const types = cluster.store.list(CRDS).filter(isEstablished).flatMap(typesOf)
  const made = { revision, types, byKey: byKey(types) }
  defined.set(cluster, made)
  return made
}

const BUILTIN_BY_KEY = byKey(BUILTIN_RESOURCES)

/** Everything that is served now: built-in resources, those of established definitions, and those of other API servers behind this one. */
export const servedTypes = (cluster: Cluster): ResourceType[] => [
  ...BUILTIN_RESOURCES,
  ...definedTypes(cluster).types,
  ...aggregatedTypes(cluster),
]

export const findType = (cluster: Cluster, wanted: TypeKey): ResourceType | undefined => {
  const key = keyOf(wanted)
  return (
    BUILTIN_BY_KEY.get(key) ??
    definedTypes(cluster).byKey.get(key) ??
    aggregatedTypes(cluster).find((type) => keyOf(type) === key)
  )
}
