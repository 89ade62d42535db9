import type { KubernetesClient, KubernetesObject, Resource } from '../../../../functions/kubernetes/client.ts'

/** Joins and unjoins by hand, with the calls that karmadactl makes (federation-control-planes.md 2.1, 2.4), and checks what comes of them. */

const core = (plural: string, namespace?: string): Resource => ({
  group: '',
  version: 'v1',
  plural,
  ...(namespace === undefined ? {} : { namespace }),
})
const rbac = (plural: string): Resource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', plural })

export const CLUSTERS: Resource = { group: 'cluster.karmada.io', version: 'v1alpha1', plural: 'clusters' }
export const NAMESPACE = 'karmada-cluster'
export const worksOf = (name: string): Resource => ({
  group: 'work.karmada.io',
  version: 'v1alpha1',
  plural: 'works',
  namespace: `karmada-es-${name}`,
})
export const namespaces = core('namespaces')
export const secrets = core('secrets', NAMESPACE)
export const clusterRoles = rbac('clusterroles')
export const configMaps = core('configmaps', 'default')
export const policies: Resource = {
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  plural: 'propagationpolicies',
  namespace: 'default',
}

/** A control plane and a member, each with its administrator; the member as the control plane is to reach it. */
export type Pair = { plane: KubernetesClient; member: KubernetesClient; endpoint: string }

const ensure = async (client: KubernetesClient, resource: Resource, object: KubernetesObject): Promise<void> => {
  await client.apply(resource, object, { fieldManager: 'karmadactl' })
}

/** An idle machine needs up to twenty seconds for the slowest of these, a busy one many times that. */
const TIMEOUT_MS = 240_000

/** Looks until it finds something. @throws Error after four minutes */
export const eventually = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
  const deadline = Date.now() + TIMEOUT_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`${what} did not come about within four minutes`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

type Credential = { token: string; caBundle: string }

const accountToken = async ({ member }: Pair, account: string): Promise<Credential> => {
  const metadata = { name: account, namespace: NAMESPACE }
  await ensure(member, core('serviceaccounts', NAMESPACE), { apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  await ensure(member, secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  })
  return eventually(`the token of ${account}`, async () => {
    const { token, 'ca.crt': caBundle } = ((await member.get(secrets, account))?.data ?? {}) as Record<string, string>
    return token === undefined || caBundle === undefined ? undefined : { token, caBundle }
  })
}

const namespaceObject = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})

/** Accounts and rights in the member. */
const prepare = async (pair: Pair, name: string): Promise<{ own: Credential; impersonator: Credential }> => {
  const { member } = pair
  await ensure(member, namespaces, namespaceObject(NAMESPACE))
  const impersonator = await accountToken(pair, 'karmada-impersonator')
  const account = `karmada-${name}`
  const role = `karmada-controller-manager:${account}`
  await ensure(member, clusterRoles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: role },
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['get'] },
    ],
  })
  await ensure(member, rbac('clusterrolebindings'), {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
  })
  return { own: await accountToken(pair, account), impersonator }
}

export const secretOf = (name: string, data: Record<string, string>, owner?: KubernetesObject): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: NAMESPACE,
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            {
              apiVersion: owner.apiVersion,
              kind: owner.kind,
              name: owner.metadata.name,
              uid: owner.metadata.uid,
              controller: true,
            },
          ],
        }),
  },
  data,
})

export const clusterOf = (name: string, spec: object): KubernetesObject => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name },
  spec: { syncMode: 'Push', ...spec },
})

/** Secrets, the Cluster, and the Secrets' owner. */
export const register = async (pair: Pair, name: string): Promise<void> => {
  const { plane, endpoint } = pair
  const { own, impersonator } = await prepare(pair, name)
  await ensure(plane, namespaces, namespaceObject(NAMESPACE))
  const both = (owner?: KubernetesObject) => [
    secretOf(name, own, owner),
    secretOf(`${name}-impersonator`, { token: impersonator.token }, owner),
  ]
  for (const secret of both()) await ensure(plane, secrets, secret)
  const made = await plane.create(
    CLUSTERS,
    clusterOf(name, {
      apiEndpoint: endpoint,
      id: (await pair.member.get(namespaces, 'kube-system'))?.metadata.uid,
      secretRef: { namespace: NAMESPACE, name },
      impersonatorSecretRef: { namespace: NAMESPACE, name: `${name}-impersonator` },
    }),
  )
  for (const secret of both(made)) await ensure(plane, secrets, secret)
}

type Condition = { type: string; status: string; reason: string }

/** `True ClusterReady`; undefined while there is no such condition. */
const readiness = async ({ plane }: Pair, name: string): Promise<string | undefined> => {
  const cluster = await plane.get(CLUSTERS, name)
  const { conditions = [] } = (cluster?.status ?? {}) as { conditions?: Condition[] }
  const ready = conditions.find(({ type }) => type === 'Ready')
  return ready && `${ready.status} ${ready.reason}`
}

export const becomes = (pair: Pair, name: string, wanted: string): Promise<string> =>
  eventually(`Cluster ${name}: ${wanted}`, async () => ((await readiness(pair, name)) === wanted ? wanted : undefined))
