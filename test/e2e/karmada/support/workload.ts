import type { KubernetesClient, KubernetesObject, Resource } from '../../../../functions/kubernetes/client.ts'

const NAMESPACE = 'default'

export const CONFIG_MAPS: Resource = { group: '', version: 'v1', plural: 'configmaps', namespace: NAMESPACE }
export const SERVICES: Resource = { group: '', version: 'v1', plural: 'services', namespace: NAMESPACE }
export const DEPLOYMENTS: Resource = { group: 'apps', version: 'v1', plural: 'deployments', namespace: NAMESPACE }
const POLICIES: Resource = {
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  plural: 'propagationpolicies',
  namespace: NAMESPACE,
}

const metadataOf = (name: string) => ({ name, namespace: NAMESPACE })

const policy = (name: string, kinds: readonly [string, string][], clusters?: readonly string[]): KubernetesObject => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: metadataOf(name),
  spec: {
    resourceSelectors: kinds.map(([apiVersion, kind]) => ({ apiVersion, kind, name })),
    placement: { clusterAffinity: clusters === undefined ? {} : { clusterNames: clusters } },
  },
})

/** A ConfigMap for all members. */
export const spreadConfig = async (consumer: KubernetesClient, name: string): Promise<void> => {
  await consumer.apply(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(name),
    data: { said: 'by the federation' },
  })
  await consumer.apply(POLICIES, policy(name, [['v1', 'ConfigMap']]))
}

/** Two replicas of a web server in each of the members, behind a load balancer. */
export const spreadWeb = async (
  consumer: KubernetesClient,
  name: string,
  clusters?: readonly string[],
): Promise<void> => {
  const labels = { app: name }
  await consumer.apply(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(name),
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'fedlab/httpd:1',
              readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  })
  await consumer.apply(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(name),
    spec: { type: 'LoadBalancer', selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  })
  await consumer.apply(
    POLICIES,
    policy(
      name,
      [
        ['apps/v1', 'Deployment'],
        ['v1', 'Service'],
      ],
      clusters,
    ),
  )
}

export const readyReplicas = ({ status }: KubernetesObject): number =>
  (status as { readyReplicas?: number } | undefined)?.readyReplicas ?? 0

export const addressesOf = ({ status }: KubernetesObject): string[] =>
  ((status as { loadBalancer?: { ingress?: { ip?: string }[] } } | undefined)?.loadBalancer?.ingress ?? []).flatMap(
    ({ ip }) => (ip === undefined ? [] : [ip]),
  )
