import type { Resource } from '../../../../../kubernetes/client.ts'

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
