import type { WebhookAnswer, WebhookCall } from '../../../simulated-kubernetes/behaviour.ts'
import type { Cluster as Store } from '../../../simulated-kubernetes/cluster.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import { CLUSTERS, type ClusterSpec, classOf, isClassKnown, specOf, statusOf } from './objects.ts'

const ADMISSION_URL = 'https://capi.simulated/validate'

/** Registration of the webhooks, as the real manifests have it. */
export const webhookConfiguration = (): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'capi-validating-webhook-configuration' },
  webhooks: [
    {
      name: 'validation.cluster.cluster.x-k8s.io',
      clientConfig: { url: ADMISSION_URL },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      rules: [
        {
          apiGroups: ['cluster.x-k8s.io'],
          apiVersions: ['v1beta2'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['clusters', 'clusterclasses'],
        },
        {
          apiGroups: ['bootstrap.cluster.x-k8s.io', 'controlplane.cluster.x-k8s.io'],
          apiVersions: ['v1beta2'],
          operations: ['CREATE'],
          resources: ['kubeadmconfigtemplates', 'kubeadmcontrolplanetemplates'],
        },
      ],
    },
  ],
})

/** KubeSemver of Cluster API: no number begins with 0. */
const VERSION = /^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+].+)?$/

const minorOf = (version: string): number => Number(VERSION.exec(version)?.[2])
const patchOf = (version: string): number => Number(VERSION.exec(version)?.[3])

const isSame = (a: ApiObject, b: ApiObject): boolean =>
  specOf<ClusterSpec>(a).topology.version === specOf<ClusterSpec>(b).topology.version

const versionFault = (before: ApiObject, after: ApiObject): string | undefined => {
  if (isSame(before, after)) return undefined
  const [from, to] = [before, after].map((object) => specOf<ClusterSpec>(object).topology.version)
  if (from === undefined || to === undefined) return undefined
  const isOlder = minorOf(to) < minorOf(from) || (minorOf(to) === minorOf(from) && patchOf(to) < patchOf(from))
  if (isOlder) return `spec.topology.version: version cannot be decreased from "${from}" to "${to}"`
  if (minorOf(to) > minorOf(from) + 1)
    return `spec.topology.version: version cannot be increased from "${from}" to "${to}"`
  const { conditions = [] } = statusOf<{ conditions: { type: string; status: string }[] }>(before)
  const isEverywhere = conditions.some(({ type, status }) => type === 'TopologyReconciled' && status === 'True')
  return isEverywhere ? undefined : 'spec.topology.version: upgrade is not allowed, the last one is not everywhere yet'
}

export type SimulatedAdmission = {
  /** Feature gate ClusterTopology. */
  gate: boolean
  /** Feature gate KubeadmBootstrapFormatIgnition. */
  ignition: boolean
  /** What is wrong with a cluster by its class; asked only when that is known. */
  classRule(cluster: ApiObject): string | undefined
}

/** What is said of a cluster by its class: nothing of a new one whose class is not there, or not known yet. */
const classFault = (store: Store, play: SimulatedAdmission, object: ApiObject, before: unknown): string | undefined => {
  const found = classOf(store, object)
  if (found === undefined) return before === undefined ? undefined : 'spec.topology.class: ClusterClass not found'
  return isClassKnown(found) ? play.classRule(object) : undefined
}

const isIgnition = ({ spec }: ApiObject): boolean => JSON.stringify(spec ?? {}).includes('"format":"ignition"')

const faultOf = (store: Store, play: SimulatedAdmission, object: ApiObject): string | undefined => {
  if (object.kind.startsWith('Kubeadm') && !play.ignition && isIgnition(object)) {
    return 'format: can be set only if the KubeadmBootstrapFormatIgnition feature gate is enabled'
  }
  if (object.kind !== 'Cluster') return undefined
  const { topology } = specOf<Partial<ClusterSpec>>(object)
  if (topology === undefined) return undefined
  if (!VERSION.test(topology.version)) return 'spec.topology.version: version must be a valid semantic version'
  if (topology.controlPlane?.replicas === 0) return 'spec.topology.controlPlane.replicas: cannot be 0'
  const before = store.store.get(CLUSTERS, object.metadata.name, object.metadata.namespace)?.object
  return (before && versionFault(before, object)) ?? classFault(store, play, object, before)
}

/** What the admission webhooks of Cluster API say. */
export const admit = (store: Store, { object }: WebhookCall, play: SimulatedAdmission): WebhookAnswer => {
  if (object === undefined) return { answer: 'allowed' }
  const needsGate = object.kind === 'ClusterClass' || specOf<Partial<ClusterSpec>>(object).topology !== undefined
  const fault =
    needsGate && !play.gate
      ? 'can be set only if the ClusterTopology feature flag is enabled'
      : faultOf(store, play, object)
  return fault === undefined ? { answer: 'allowed' } : { answer: 'denied', message: fault }
}
