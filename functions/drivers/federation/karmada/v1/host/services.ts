import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import {
  AGGREGATED_API_SERVER,
  AGGREGATED_API_SERVER_PORT,
  API_SERVER,
  API_SERVER_PORT,
  ETCD,
  WEBHOOK,
} from '../names.ts'
import { ETCD_CLIENT_PORT, ETCD_PEER_PORT } from './etcd-members.ts'
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
