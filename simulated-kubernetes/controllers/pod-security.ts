import type { Cluster } from '../cluster.ts'
import type { ApiObject } from '../types.ts'

const NAMESPACES = { group: '', plural: 'namespaces' }
const ENFORCE = 'pod-security.kubernetes.io/enforce'

type SecurityContext = {
  allowPrivilegeEscalation?: boolean
  privileged?: boolean
  runAsNonRoot?: boolean
  runAsUser?: number
  capabilities?: { add?: string[]; drop?: string[] }
  seccompProfile?: { type?: string }
}
type Container = { name: string; securityContext?: SecurityContext; ports?: { hostPort?: number }[] }
type PodSpec = {
  containers: Container[]
  initContainers?: Container[]
  securityContext?: SecurityContext
  volumes?: Record<string, unknown>[]
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
}

const PROFILES = ['RuntimeDefault', 'Localhost']
const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]

const rightsFaults = ({ privileged, allowPrivilegeEscalation, capabilities = {} }: SecurityContext): string[] => {
  const { add = [], drop = [] } = capabilities
  const isBare = drop.includes('ALL') && add.every((it) => it === 'NET_BIND_SERVICE')
  return [
    ...(privileged === true ? ['privileged'] : []),
    ...(allowPrivilegeEscalation === false ? [] : ['allowPrivilegeEscalation != false']),
    ...(isBare ? [] : ['unrestricted capabilities']),
  ]
}

/** A container's own setting wins over the pod's. */
const userFaults = ({ runAsNonRoot, runAsUser, seccompProfile }: SecurityContext): string[] => [
  ...(runAsNonRoot === true ? [] : ['runAsNonRoot != true']),
  ...(runAsUser === 0 ? ['runAsUser=0'] : []),
  ...(PROFILES.includes(seccompProfile?.type ?? '') ? [] : ['seccompProfile']),
]

const containerFaults = ({ name, securityContext = {} }: Container, pod: SecurityContext): string[] =>
  [...rightsFaults(securityContext), ...userFaults({ ...pod, ...securityContext })].map(
    (fault) => `${fault} (container "${name}")`,
  )

const podFaults = (spec: PodSpec): string[] => [
  ...(spec.hostNetwork || spec.hostPID || spec.hostIPC ? ['host namespaces'] : []),
  ...(spec.volumes ?? []).flatMap((volume) => {
    const type = Object.keys(volume).find((key) => key !== 'name') ?? 'emptyDir'
    return VOLUMES.includes(type) ? [] : [`restricted volume types (volume "${String(volume.name)}" uses ${type})`]
  }),
  ...[...spec.containers, ...(spec.initContainers ?? [])].flatMap((container) =>
    containerFaults(container, spec.securityContext ?? {}),
  ),
]

/** Why a workload's pods are not admitted in a namespace that enforces PodSecurity `restricted`; undefined when they are. */
export const podSecurityFault = (cluster: Cluster, workload: ApiObject): string | undefined => {
  const namespace = cluster.store.get(NAMESPACES, workload.metadata.namespace ?? '')?.object
  if (namespace?.metadata.labels?.[ENFORCE] !== 'restricted') return undefined
  const faults = podFaults((workload.spec as { template: { spec: PodSpec } }).template.spec)
  return faults.length === 0
    ? undefined
    : `pods "${workload.metadata.name}" is forbidden: violates PodSecurity "restricted:latest": ${faults.join(', ')}`
}
