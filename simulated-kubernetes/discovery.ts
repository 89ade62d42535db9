import { aggregatedGroups } from './aggregation.ts'
import type { Cluster } from './cluster.ts'
import { servedTypes } from './resource-types.ts'
import { REVIEWS } from './reviews.ts'
import { apiVersionOf, type ResourceType } from './types.ts'

/** What GET /version says; every part of it that a person reads names the simulation. */
export const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.0+simulated',
  gitCommit: 'simulated',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none (fedplane simulated Kubernetes API)',
  compiler: 'none',
  platform: 'simulated',
}

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update']

type ApiResource = { name: string; singularName: string; namespaced: boolean; kind: string; verbs: string[] }

const resourcesOf = (type: ResourceType): (ApiResource & Record<string, unknown>)[] => {
  const base = { singularName: type.singular, namespaced: type.namespaced, kind: type.kind }
  return [
    {
      name: type.plural,
      ...base,
      verbs: VERBS,
      ...(type.shortNames.length > 0 ? { shortNames: [...type.shortNames] } : {}),
      ...(type.categories.length > 0 ? { categories: [...type.categories] } : {}),
    },
    ...(type.statusSubresource
      ? [{ name: `${type.plural}/status`, ...base, singularName: '', verbs: ['get', 'patch', 'update'] }]
      : []),
    ...(type.plural === 'serviceaccounts'
      ? [{ name: 'serviceaccounts/token', ...base, singularName: '', kind: 'TokenRequest', verbs: ['create'] }]
      : []),
  ]
}

const reviewResources = (group: string): ApiResource[] =>
  Object.entries(REVIEWS)
    .filter(([, review]) => review.group === group)
    .map(([name, { kind }]) => ({ name, singularName: kind.toLowerCase(), namespaced: false, kind, verbs: ['create'] }))

/** `v2` before `v1` before `v1beta1` before `v1alpha1`, as Kubernetes orders versions. */
const versionRank = (version: string): [number, number, number] => {
  const [, major = '0', stage, step = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? []
  const maturity = stage === undefined ? 2 : Number(stage === 'beta')
  return [maturity, Number(major), Number(step)]
}

const byVersion = (a: string, b: string): number => {
  const left = versionRank(a)
  const right = versionRank(b)
  const index = left.findIndex((value, at) => value !== right[at])
  return index === -1 ? 0 : (right[index] ?? 0) - (left[index] ?? 0)
}

const groupVersions = (cluster: Cluster): Map<string, string[]> => {
  const groups = new Map<string, Set<string>>()
  const add = (group: string, version: string): void => {
    groups.set(group, (groups.get(group) ?? new Set()).add(version))
  }
  for (const { group } of Object.values(REVIEWS)) add(group, 'v1')
  for (const { group, version } of servedTypes(cluster)) if (group !== '') add(group, version)
  for (const { group, version } of aggregatedGroups(cluster)) add(group, version)
  return new Map([...groups].map(([group, versions]) => [group, [...versions].sort(byVersion)]))
}

const groupOf = (name: string, versions: readonly string[]) => {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: entries, preferredVersion: entries[0] }
}

const resourceList = (cluster: Cluster, group: string, version: string): object | undefined => {
  const served = servedTypes(cluster).filter((type) => type.group === group && type.version === version)
  const resources = [...served.flatMap(resourcesOf), ...(version === 'v1' ? reviewResources(group) : [])]
  if (resources.length === 0) return undefined
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group, version }), resources }
}

const rootOf = (path: string, cluster: Cluster): object | undefined => {
  if (path === '/version') return VERSION
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] }
  if (path === '/api/v1') return resourceList(cluster, '', 'v1')
  if (path !== '/apis') return undefined
  const groups = [...groupVersions(cluster)].map(([name, versions]) => groupOf(name, versions))
  return { kind: 'APIGroupList', apiVersion: 'v1', groups }
}

/** Answer of a discovery path; undefined when the path is none, or names no group or version that is served. */
export const discover = (path: string, cluster: Cluster): object | undefined => {
  const root = rootOf(path, cluster)
  if (root !== undefined) return root
  const [, group, version] = /^\/apis\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? []
  if (group === undefined) return undefined
  if (version !== undefined) return resourceList(cluster, group, version)
  const versions = groupVersions(cluster).get(group)
  return versions === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, versions) }
}
