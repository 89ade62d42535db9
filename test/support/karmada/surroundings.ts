import type { AggregatedApi, WebhookAnswer, WebhookCall } from '../../../simulated-kubernetes/behaviour.ts'
import { serviceSpec } from '../../../simulated-kubernetes/builtin/service.ts'
import type { Cluster } from '../../../simulated-kubernetes/cluster.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import { requireServes } from './certificates.ts'
import { CLUSTERS } from './cluster-type.ts'
import { type ProgramName, readyPods, workloadOf } from './components.ts'
import type { Surroundings } from './control-plane.ts'
import { type Program, ProgramFault, programOf } from './mounted-files.ts'
import { decoded } from './remembered.ts'

const SERVICES = { group: '', plural: 'services' }

type Host = { cluster: Cluster; namespace: string }

/** A name of the host's DNS leads to a Service of the namespace. @throws ProgramFault */
const requireName = ({ cluster, namespace }: Host, name: string): void => {
  const [service = '', place] = name.split('.')
  if (place !== namespace || cluster.store.get(SERVICES, service, namespace) === undefined) {
    throw new ProgramFault(`dial tcp: lookup ${name}: no such host`)
  }
}

/** A program whose pods are Ready. @throws ProgramFault */
const running = ({ cluster, namespace }: Host, name: ProgramName): Program => {
  const workload = workloadOf(cluster, namespace, name)
  if (workload === undefined || readyPods(cluster, namespace, name).length === 0) {
    throw new ProgramFault('connect: connection refused')
  }
  return programOf(cluster, workload)
}

type Registration = { service: { name: string; namespace: string }; caBundle?: string }

/** What the aggregation layer finds behind a registration: by the Service's name in the host, and with its authority. */
const aggregated = (host: Host, inside: Cluster | undefined, { spec }: ApiObject): AggregatedApi => {
  const { service, caBundle = '' } = spec as Registration
  const there = inside?.store.get(SERVICES, service.name, service.namespace)?.object
  if (there === undefined) {
    return { reason: 'ServiceNotFound', message: `service/${service.name} in "${service.namespace}" is not present` }
  }
  try {
    const program = running(host, 'karmada-aggregated-apiserver')
    requireServes(program.fileOf('tls-cert-file'), decoded(caBundle), `${service.name}.${service.namespace}.svc`)
    requireName(host, String(serviceSpec(there).externalName ?? ''))
    return { types: [CLUSTERS] }
  } catch (error) {
    if (error instanceof ProgramFault) return { reason: 'FailedDiscoveryCheck', message: error.message }
    throw error
  }
}

const callWebhook = (host: Host, { url, caBundle }: WebhookCall): WebhookAnswer => {
  const { hostname } = new URL(url)
  try {
    const program = running(host, 'karmada-webhook')
    requireName(host, hostname)
    requireServes(program.file(`${program.flag('cert-dir')}/tls.crt`), decoded(caBundle), hostname)
    return { answer: 'allowed' }
  } catch (error) {
    if (error instanceof ProgramFault) return { answer: 'unreachable' }
    throw error
  }
}

/** What a control plane's API server finds of its other programs, in their namespace of the host. @param inside its own content */
export const surroundingsIn = (
  cluster: Cluster,
  namespace: string,
  inside: () => Cluster | undefined,
): Surroundings => {
  const host = { cluster, namespace }
  return {
    aggregated: (apiService) => aggregated(host, inside(), apiService),
    callWebhook: (call) => callWebhook(host, call),
  }
}
