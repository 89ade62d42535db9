import { isEqual } from '../../../../simulated-kubernetes/objects.ts'
import type { ApiObject } from '../../../../simulated-kubernetes/types.ts'
import { type InProcessClient, isRefusal } from '../in-process-client.ts'
import {
  CLUSTERS_PATH,
  executionSpace,
  isDeleting,
  isReady,
  type KarmadaCluster,
  WORK_FINALIZER,
  WORKS_GROUP,
  type Work,
  worksPath,
} from './karmada-cluster.ts'
import { plurals } from './plurals.ts'

const BINDINGS = '/apis/work.karmada.io/v1alpha2'
const BINDING_LABEL = 'stand-in.test/binding'

type Selector = { apiVersion: string; kind: string; name?: string }
type Policy = ApiObject & {
  spec: { resourceSelectors: Selector[]; placement?: { clusterAffinity?: { clusterNames?: string[] } } }
}
type Binding = ApiObject & {
  spec: { resource: Selector & { namespace: string; name: string }; clusters: { name: string }[] }
}

const pathOf = ({ apiVersion, kind }: Selector, namespace: string): string =>
  `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}/namespaces/${namespace}/${plurals(kind)}`

/** Scheduling: Ready clusters that stay, within the policy's affinity. */
const targetsOf = ({ spec }: Policy, clusters: readonly KarmadaCluster[]): { name: string }[] => {
  const names = spec.placement?.clusterAffinity?.clusterNames
  return clusters
    .filter((cluster) => isReady(cluster) && !isDeleting(cluster))
    .map(({ metadata }) => ({ name: metadata.name }))
    .filter(({ name }) => names === undefined || names.includes(name))
}

const ensureBinding = (
  api: InProcessClient,
  resource: Binding['spec']['resource'],
  clusters: { name: string }[],
): void => {
  const { kind, namespace, name } = resource
  const path = `${BINDINGS}/namespaces/${namespace}/resourcebindings`
  const metadata = { name: `${name}-${kind.toLowerCase()}`, namespace }
  const spec = { resource, clusters }
  const found = api.get(`${path}/${metadata.name}`)
  if (found === undefined)
    api.create(path, { apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', metadata, spec })
  else if (!isEqual(found.spec, spec)) api.patch(`${path}/${metadata.name}`, { spec })
}

const bind = (api: InProcessClient, policy: Policy, clusters: readonly KarmadaCluster[]): void => {
  const { namespace = '' } = policy.metadata
  for (const selector of policy.spec.resourceSelectors) {
    const { apiVersion, kind } = selector
    const names = api.list(pathOf(selector, namespace)).map(({ metadata }) => metadata.name)
    for (const name of names.filter((it) => selector.name === undefined || selector.name === it)) {
      ensureBinding(api, { apiVersion, kind, namespace, name }, targetsOf(policy, clusters))
    }
  }
}

const manifestOf = (api: InProcessClient, { resource }: Binding['spec']): object | undefined => {
  const found = api.get(`${pathOf(resource, resource.namespace)}/${resource.name}`)
  if (found === undefined) return undefined
  const { apiVersion, kind, metadata, status: _, ...content } = found
  const { name, namespace, labels, annotations } = metadata
  return {
    apiVersion: apiVersion ?? resource.apiVersion,
    kind: kind ?? resource.kind,
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    ...content,
  }
}

/** The binding controller writes whole Works, and so takes `preserveResourcesOnDeletion` away again unless that is refused. */
const ensureWork = (api: InProcessClient, binding: Binding, cluster: string): void => {
  const manifest = manifestOf(api, binding.spec)
  if (manifest === undefined) return
  const path = worksPath(cluster)
  const name = `${binding.metadata.name}-work`
  const found = api.get(`${path}/${name}`) as Work | undefined
  const labels = { [BINDING_LABEL]: binding.metadata.uid ?? '' }
  const spec = { workload: { manifests: [manifest] } }
  const metadata = { name, finalizers: [WORK_FINALIZER], labels }
  if (found === undefined) api.create(path, { apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata, spec })
  else if (!isDeleting(found) && !isEqual(found.spec, spec))
    api.patch(`${path}/${name}`, { spec: { ...spec, preserveResourcesOnDeletion: null } })
}

const removeWorks = (api: InProcessClient, binding: Binding, kept: ReadonlySet<string>): void => {
  for (const work of api.list(`${WORKS_GROUP}/works`)) {
    const { namespace = '', name, labels } = work.metadata
    if (labels?.[BINDING_LABEL] !== binding.metadata.uid || kept.has(namespace) || isDeleting(work)) continue
    api.delete(`${WORKS_GROUP}/namespaces/${namespace}/works/${name}`)
  }
}

/** What a controller is refused it tries again later. */
const attempt = (act: () => void): void => {
  try {
    act()
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
}

/** Policies → bindings → Works, with the least of scheduling. */
export const propagate = (api: InProcessClient, schedules: boolean): void => {
  const clusters = api.list(CLUSTERS_PATH) as KarmadaCluster[]
  if (schedules) {
    for (const policy of api.list('/apis/policy.karmada.io/v1alpha1/propagationpolicies') as Policy[]) {
      attempt(() => bind(api, policy, clusters))
    }
  }
  for (const binding of api.list(`${BINDINGS}/resourcebindings`) as Binding[]) {
    const names = binding.spec.clusters.map(({ name }) => name)
    for (const name of names) attempt(() => ensureWork(api, binding, name))
    attempt(() => removeWorks(api, binding, new Set(names.map(executionSpace))))
  }
}

const SKIPPED = /^(?:kube-|karmada-|default$)/
const SKIP_LABEL = 'namespace.karmada.io/skip-auto-propagation'

/** One Work for each namespace that users made, in every member. */
export const syncNamespaces = (api: InProcessClient, cluster: KarmadaCluster): void => {
  if (isDeleting(cluster)) return
  const path = worksPath(cluster.metadata.name)
  for (const namespace of api.list('/api/v1/namespaces')) {
    const { name, labels } = namespace.metadata
    if (SKIPPED.test(name) || labels?.[SKIP_LABEL] === 'true' || isDeleting(namespace)) continue
    const work = `namespace-${name}`
    if (api.get(`${path}/${work}`) !== undefined) continue
    attempt(
      () =>
        void api.create(path, {
          apiVersion: 'work.karmada.io/v1alpha1',
          kind: 'Work',
          metadata: { name: work, finalizers: [WORK_FINALIZER] },
          spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }] } },
        }),
    )
  }
}
