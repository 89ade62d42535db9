import { isIPv6 } from 'node:net'
import * as z from 'zod'
import { hostOf } from '../../../../../kubernetes/address-guard.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import { Pending } from '../../../../support/step.ts'
import {
  AGGREGATED_API_SERVER,
  AGGREGATED_API_SERVER_PORT,
  API_SERVER,
  API_SERVER_PORT,
  ETCD,
  WEBHOOK,
} from '../model/names.ts'
import { AddressUnavailable } from '../model/options.ts'
import { ETCD_CLIENT_PORT, ETCD_PEER_PORT } from './etcd.ts'
import { readNodes } from './findings.ts'
import { newestWarning, readEvents } from './host-events.ts'
import type { HostWork } from './host-work.ts'
import { componentLabels, type HostPlan, metadataOf } from './plan.ts'

const WEBHOOK_PORT = 8443
const HTTPS = 443

/** Keys of the annotations that we gave the Service, so that it differs from what it is to be when one is taken away. */
const ANNOTATIONS_ANNOTATION = 'fedplane.io/service-annotations'

const tcp = (port: PartOf['servicePort']): PartOf['servicePort'] => ({ ...port, protocol: 'TCP' })

const service = (plan: HostPlan, name: string, spec: PartOf['serviceSpec']): Manifest<'Service'> => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(plan, name),
  spec: { selector: componentLabels(plan.federationId, name), ...spec },
})

/** Members must find each other before they are ready, so their addresses are published at once. */
const etcdService = (plan: HostPlan): Manifest<'Service'> =>
  service(plan, ETCD, {
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    ports: [
      tcp({ name: 'client', port: ETCD_CLIENT_PORT, targetPort: ETCD_CLIENT_PORT }),
      tcp({ name: 'peer', port: ETCD_PEER_PORT, targetPort: ETCD_PEER_PORT }),
    ],
  })

/** The only one that is reachable from outside. */
export const apiServiceManifest = (plan: HostPlan): Manifest<'Service'> => {
  const { apiServiceType, apiServiceAnnotations, apiLoadBalancerClass, apiPort, apiNodePort } = plan.properties
  const object = service(plan, API_SERVER, {
    type: apiServiceType,
    ...(apiLoadBalancerClass === null ? {} : { loadBalancerClass: apiLoadBalancerClass }),
    ports: [
      tcp({
        name: 'https',
        port: apiPort,
        targetPort: API_SERVER_PORT,
        ...(apiNodePort === null ? {} : { nodePort: apiNodePort }),
      }),
    ],
  })
  const annotations = {
    ...apiServiceAnnotations,
    [ANNOTATIONS_ANNOTATION]: Object.keys(apiServiceAnnotations).join(','),
  }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

const internal = (plan: HostPlan, name: string, targetPort: number): Manifest<'Service'> =>
  service(plan, name, { ports: [tcp({ name: 'https', port: HTTPS, targetPort })] })

/** All Services; none depends on certificates, and the API server's address comes before them. */
export const serviceManifests = (plan: HostPlan): Manifest<'Service'>[] => [
  apiServiceManifest(plan),
  etcdService(plan),
  internal(plan, AGGREGATED_API_SERVER, AGGREGATED_API_SERVER_PORT),
  internal(plan, WEBHOOK, WEBHOOK_PORT),
]

const Service = z.object({
  spec: z.object({
    clusterIP: z.string().default(''),
    ports: z.array(z.object({ port: z.number(), nodePort: z.number().optional() })).default([]),
  }),
  status: z
    .object({
      loadBalancer: z
        .object({
          ingress: z.array(z.object({ ip: z.string().optional(), hostname: z.string().optional() })).default([]),
        })
        .prefault({}),
    })
    .prefault({}),
})
type Service = z.infer<typeof Service>

/** `https://host:port`; IPv6 addresses in brackets. */
const urlOf = (host: string, port: number): string => `https://${isIPv6(host) ? `[${host}]` : host}:${port}`

/** True when the host gives its Services IPv6 addresses. */
export const isIpv6Service = (service: KubernetesObject): boolean => isIPv6(Service.parse(service).spec.clusterIP)

/** Why nothing gave the Service an address: what was said of it, or that nobody said anything. */
const balancerReason = async ({ site, namespace }: HostWork): Promise<string> => {
  const found = await readEvents(site.client, namespace)
  const isAbout = ({ kind, name }: { kind: string; name: string }): boolean => kind === 'Service' && name === API_SERVER
  const warning = newestWarning(found, isAbout)
  if (warning !== undefined) return `the host says: ${warning.message}`
  return found.some(({ object }) => isAbout(object))
    ? 'a load balancer controller works on it'
    : 'no controller of load balancers has said anything about it; where the host has none, choose api-service-type NodePort, or ClusterIP with api-endpoint'
}

const hostsOf = ({ status }: Service): string[] =>
  status.loadBalancer.ingress.flatMap(({ ip, hostname }) => ip || hostname || [])

/** Addresses and names that a load balancer gave the Service; none of other Services. */
export const balancerHosts = (service: KubernetesObject): string[] => hostsOf(Service.parse(service))

const balancerUrl = async (work: HostWork, service: Service): Promise<string> => {
  const [host] = hostsOf(service)
  if (host !== undefined) return urlOf(host, work.plan.properties.apiPort)
  throw new Pending(
    `the load balancer's address of Service ${work.namespace}/${API_SERVER}: ${await balancerReason(work)}`,
  )
}

/**
 * The first Ready node's address, those for outside first, of the family of the Service: its node port is open in no other. The one that was chosen
 * before, as long as a node has it.
 */
const nodeUrl = async ({ site }: HostWork, { spec }: Service, known: string | undefined): Promise<string> => {
  const nodePort = spec.ports[0]?.nodePort
  if (nodePort === undefined) throw new Pending(`a node port for Service ${API_SERVER}`)
  const all = await readNodes(site.client)
  const fits = (address: string): boolean => isIPv6(address) === isIPv6(spec.clusterIP)
  const found = all.filter(({ isReady }) => isReady).flatMap((node) => node.addresses)
  const kept = all.flatMap((node) => node.addresses).find((address) => urlOf(address, nodePort) === known)
  const address = kept ?? found.find(fits) ?? found[0]
  if (address !== undefined) return urlOf(address, nodePort)
  throw new Pending('a Ready node of the host with an IP address')
}

/**
 * The address under which the API server is advertised: `https://host:port`.
 *
 * @param known the one that is in use already
 * @throws Pending while the host has given none, with what its controllers say
 */
export const advertisedUrl = async (
  work: HostWork,
  service: KubernetesObject,
  known: string | undefined,
): Promise<string> => {
  const { apiEndpoint, apiServiceType } = work.plan.properties
  if (apiEndpoint !== null) {
    const url = new URL(apiEndpoint)
    return urlOf(hostOf(url), url.port === '' ? 443 : Number(url.port))
  }
  const parsed = Service.parse(service)
  if (apiServiceType === 'LoadBalancer') return balancerUrl(work, parsed)
  if (apiServiceType === 'NodePort') return nodeUrl(work, parsed, known)
  throw new AddressUnavailable(
    'A Service of type ClusterIP has no address that is reachable from outside. Give property api-endpoint, or choose another api-service-type.',
  )
}
