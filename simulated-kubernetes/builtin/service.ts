import type { Cluster } from '../cluster.ts'
import { isFields } from '../objects.ts'
import { type FieldFault, invalid } from '../status.ts'
import type { ApiObject, ResourceType } from '../types.ts'

export const SERVICES = { group: '', plural: 'services' } as const

export type ServicePort = {
  name?: string
  port: number
  protocol?: string
  targetPort?: number | string
  nodePort?: number
}
export type ServiceSpec = {
  type?: string
  clusterIP?: string
  clusterIPs?: string[]
  ports?: ServicePort[]
  selector?: Record<string, string>
  allocateLoadBalancerNodePorts?: boolean
  [field: string]: unknown
}

export const serviceSpec = (service: ApiObject): ServiceSpec => (service.spec ?? {}) as ServiceSpec

/** Default of kube-apiserver's `--service-node-port-range`. */
const NODE_PORT_MIN = 30_000
const NODE_PORT_MAX = 32_767

const usedNodePorts = (cluster: Cluster, uid: string | undefined): Set<number> =>
  new Set(
    cluster.store
      .list(SERVICES)
      .filter((service) => service.metadata.uid !== uid)
      .flatMap((service) => serviceSpec(service).ports ?? [])
      .flatMap(({ nodePort }) => nodePort ?? []),
  )

const allocated = (used: Set<number>): number => {
  for (;;) {
    const port = NODE_PORT_MIN + Math.floor(Math.random() * (NODE_PORT_MAX - NODE_PORT_MIN + 1))
    if (used.has(port)) continue
    used.add(port)
    return port
  }
}

const nodePortFault = (index: number, port: number, text: string): FieldFault => ({
  field: `spec.ports[${index}].nodePort`,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${port}: ${text}`,
})

/** A dry run does not check the range (asked of Kubernetes 1.36.3). */
const nodePortFaults = (ports: readonly ServicePort[], used: ReadonlySet<number>, isDryRun: boolean): FieldFault[] =>
  ports.flatMap(({ nodePort }, index) => {
    if (nodePort === undefined) return []
    if (used.has(nodePort)) return [nodePortFault(index, nodePort, 'provided port is already allocated')]
    const isInRange = isDryRun || (nodePort >= NODE_PORT_MIN && nodePort <= NODE_PORT_MAX)
    const text = `provided port is not in the valid range. The range of valid ports is ${NODE_PORT_MIN}-${NODE_PORT_MAX}`
    return isInRange ? [] : [nodePortFault(index, nodePort, text)]
  })

const wantsNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)

const withNodePorts = (spec: ServiceSpec, used: Set<number>): ServicePort[] => {
  const wants = wantsNodePorts(spec)
  return (spec.ports ?? []).map((entry) => {
    const port = { targetPort: entry.port, protocol: 'TCP', ...entry }
    return wants ? { ...port, nodePort: entry.nodePort ?? allocated(used) } : port
  })
}

const newAddress = (): string => `10.96.${Math.floor(Math.random() * 256)}.${1 + Math.floor(Math.random() * 254)}`

const addressOf = (spec: ServiceSpec): Pick<ServiceSpec, 'clusterIP' | 'clusterIPs'> => {
  if (spec.type === 'ExternalName') return {}
  const clusterIP = spec.clusterIP || newAddress()
  return { clusterIP, clusterIPs: [clusterIP] }
}

/** A Service as the API server stores it: with type, address and node ports. @throws StatusError 422 for a node port that is taken */
export const admitService = (cluster: Cluster, type: ResourceType, object: ApiObject, isDryRun: boolean): ApiObject => {
  const given = isFields(object.spec) ? serviceSpec(object) : {}
  const spec = { sessionAffinity: 'None', ...given, type: given.type ?? 'ClusterIP' }
  const used = usedNodePorts(cluster, object.metadata.uid)
  const faults = nodePortFaults(spec.ports ?? [], used, isDryRun)
  if (faults.length > 0) throw invalid(type, object.metadata.name, faults)
  for (const { nodePort } of spec.ports ?? []) if (nodePort !== undefined) used.add(nodePort)
  const ports = spec.ports === undefined ? {} : { ports: withNodePorts(spec, used) }
  return { ...object, spec: { ...spec, ...addressOf(spec), ...ports }, status: object.status ?? { loadBalancer: {} } }
}
