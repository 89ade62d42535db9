import type { Federation } from '../../../../../core/federation/federation.ts'
import type { Resource } from '../../../../../kubernetes/client.ts'
import { ownerLabels } from '../../../../support/owned.ts'
import { stateOf } from '../model/names.ts'
import { type KarmadaProperties, parseProperties } from '../model/properties.ts'

/** What the manifests of the host depend on, certificates aside. */
export type HostPlan = {
  federationId: string
  properties: KarmadaProperties
  /** The host gives its Services IPv6 addresses (first). */
  isIpv6: boolean
}

export const planOf = (federation: Pick<Federation, 'id' | 'properties' | 'driverState'>): HostPlan => ({
  federationId: federation.id,
  properties: parseProperties(federation.properties),
  isIpv6: stateOf(federation).isIpv6 ?? false,
})

/** Label of upstream's manifests, which its tools look for. */
const APP_LABEL = 'app'

/** Labels of a component's pods, and what selects them. */
export const componentLabels = (federationId: string, component: string): Record<string, string> => ({
  ...ownerLabels(federationId),
  [APP_LABEL]: component,
})

/** Selects by labels, for lists. */
export const selectorText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** Selects the pods of a component, for lists. */
export const componentSelector = (federationId: string, component: string): string =>
  selectorText(componentLabels(federationId, component))

/** Metadata of an object of the control plane in the host. */
export const metadataOf = ({ federationId, properties }: HostPlan, name: string, component = name) => ({
  name,
  namespace: properties.namespace,
  labels: componentLabels(federationId, component),
})

/**
 * All addresses of a pod, in the family of the host: kube-apiserver takes the address that it advertises from the same, and ends when that is of another
 * than its Services.
 */
export const anyAddress = ({ isIpv6 }: Pick<HostPlan, 'isIpv6'>): string => (isIpv6 ? '::' : '0.0.0.0')

/** The same in a URL. */
export const anyHost = (plan: Pick<HostPlan, 'isIpv6'>): string => (plan.isIpv6 ? '[::]' : '0.0.0.0')

/** `karmada-apiserver.federation-system.svc.cluster.local`. */
export const serviceHost = ({ properties }: Pick<HostPlan, 'properties'>, service: string): string =>
  `${service}.${properties.namespace}.svc.${properties.clusterDomain}`

const KUBERNETES = 'registry.k8s.io'
const KARMADA = 'docker.io/karmada'

type Sources = Pick<KarmadaProperties, 'imageRegistry' | 'kubeImageTag' | 'karmadaImageTag' | 'etcdImageTag'>

export const etcdImage = ({ imageRegistry, etcdImageTag }: Sources): string =>
  `${imageRegistry ?? KUBERNETES}/etcd:${etcdImageTag}`

/** @param name for example `kube-apiserver` */
export const kubeImage = ({ imageRegistry, kubeImageTag }: Sources, name: string): string =>
  `${imageRegistry ?? KUBERNETES}/${name}:${kubeImageTag}`

/** @param name for example `karmada-scheduler` */
export const karmadaImage = ({ imageRegistry, karmadaImageTag }: Sources, name: string): string =>
  `${imageRegistry ?? KARMADA}/${name}:${karmadaImageTag}`

/** REST resources of the host that only this driver uses. */

const core = (plural: string, namespace: string): Resource => ({ group: '', version: 'v1', plural, namespace })
const apps = (plural: string, namespace: string): Resource => ({ group: 'apps', version: 'v1', plural, namespace })

export const services = (namespace: string): Resource => core('services', namespace)
export const pods = (namespace: string): Resource => core('pods', namespace)
export const events = (namespace: string): Resource => core('events', namespace)
export const configMaps = (namespace: string): Resource => core('configmaps', namespace)
export const volumeClaims = (namespace: string): Resource => core('persistentvolumeclaims', namespace)
export const deployments = (namespace: string): Resource => apps('deployments', namespace)
export const statefulSets = (namespace: string): Resource => apps('statefulsets', namespace)
export const replicaSets = (namespace: string): Resource => apps('replicasets', namespace)
export const daemonSets = (namespace: string): Resource => apps('daemonsets', namespace)
export const jobs = (namespace: string): Resource => ({ group: 'batch', version: 'v1', plural: 'jobs', namespace })
export const cronJobs = (namespace: string): Resource => ({
  group: 'batch',
  version: 'v1',
  plural: 'cronjobs',
  namespace,
})
export const disruptionBudgets = (namespace: string): Resource => ({
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  namespace,
})
export const storageClasses: Resource = { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' }
