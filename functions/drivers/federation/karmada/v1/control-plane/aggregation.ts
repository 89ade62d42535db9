import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { AGGREGATED_API_SERVER, CLUSTER_GROUP, SYSTEM_NAMESPACE } from '../names.ts'

/** Version of `Cluster` that Karmada serves. */
export const CLUSTER_VERSION = 'v1alpha1'
export const API_SERVICE = `${CLUSTER_VERSION}.${CLUSTER_GROUP}`

/** Where the aggregated API server is, and the authority of its certificate. */
export type AggregationSite = { namespace: string; clusterDomain: string; caPem: string }

const LABELS = { app: AGGREGATED_API_SERVER, apiserver: 'true' }

/**
 * `Cluster` is served by Karmada's aggregated API server, in the host: the Service in here is only its DNS name there, which pods of the host
 * resolve. The certificate is checked for this Service's name, `<service>.<SYSTEM_NAMESPACE>.svc`.
 */
export const aggregation = ({
  namespace,
  clusterDomain,
  caPem,
}: AggregationSite): Manifest<'Service' | 'APIService'>[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: AGGREGATED_API_SERVER, namespace: SYSTEM_NAMESPACE, labels: LABELS },
    spec: { type: 'ExternalName', externalName: `${AGGREGATED_API_SERVER}.${namespace}.svc.${clusterDomain}` },
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: API_SERVICE, labels: LABELS },
    spec: {
      group: CLUSTER_GROUP,
      version: CLUSTER_VERSION,
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      caBundle: Buffer.from(caPem).toString('base64'),
      service: { name: AGGREGATED_API_SERVER, namespace: SYSTEM_NAMESPACE },
    },
  },
]
