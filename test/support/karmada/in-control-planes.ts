import type { ObjectRef } from '../../../functions/core/values/object-ref.ts'
import type { FederationContext, MemberContext } from '../../../functions/drivers/contract/federation-driver.ts'
import { withControlPlane } from '../../../functions/drivers/federation/karmada/v1/control-plane/open.ts'
import { whoAmI } from '../../../functions/drivers/support/who-am-i.ts'
import { type Access, deniedAccess } from '../../../functions/kubernetes/access-review.ts'
import type { KubernetesObject, Resource } from '../../../functions/kubernetes/client.ts'
import { parseKubeconfig } from '../../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { connectionTo } from '../../../functions/kubernetes/stored-connection.ts'
import type { FederationLab, Occupied } from '../drivers/federation-lab.ts'
import { connect } from '../drivers/test-cluster.ts'

const CLUSTERS: Resource = { group: 'cluster.karmada.io', version: 'v1alpha1', plural: 'clusters' }
const secrets = (namespace: string): Resource => ({ group: '', version: 'v1', plural: 'secrets', namespace })
const configMaps = (namespace: string): Resource => ({ group: '', version: 'v1', plural: 'configmaps', namespace })
const policies = (namespace: string): Resource => ({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  plural: 'propagationpolicies',
  namespace,
})

type Place = { resource: Resource; object: KubernetesObject }

/** Somebody else's object in the place of one that the driver makes inside of a control plane; undefined for those of host and member. */
const placeOf = (ref: ObjectRef, namespaceOfHost: string): Place | undefined => {
  const labels = { 'made-by': 'somebody-else' }
  if (ref.kind === 'Cluster') {
    const { apiVersion, kind, name } = ref
    return { resource: CLUSTERS, object: { apiVersion, kind, metadata: { name, labels }, spec: { syncMode: 'Pull' } } }
  }
  if (ref.where !== 'host' || ref.kind !== 'Secret' || ref.namespace === namespaceOfHost) return undefined
  const { apiVersion, kind, name, namespace } = ref
  return { resource: secrets(namespace), object: { apiVersion, kind, metadata: { name, namespace, labels } } }
}

const occupy = async (context: FederationContext, { resource, object }: Place): Promise<Occupied> => {
  const { name } = object.metadata
  const { metadata } = await withControlPlane(context, (client) => client.create(resource, object))
  return {
    isIntact: async () => {
      const found = await withControlPlane(context, (client) => client.get(resource, name))
      return found?.metadata.uid === metadata.uid
    },
    remove: async () => void (await withControlPlane(context, (client) => client.delete(resource, name))),
  }
}

let deployed = 0

/** A ConfigMap with a policy, as a user would make them at the federation's endpoint. */
const deploy = async (context: MemberContext): Promise<{ isThere(): Promise<boolean>; remove(): Promise<void> }> => {
  deployed += 1
  const [namespace, name] = ['default', `content-${deployed}`]
  const resourceSelectors = [{ apiVersion: 'v1', kind: 'ConfigMap', name }]
  const placement = { clusterAffinity: { clusterNames: [context.membership.memberName] } }
  await withControlPlane(context, async (client) => {
    await client.create(configMaps(namespace), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } })
    await client.create(policies(namespace), {
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'PropagationPolicy',
      metadata: { name, namespace },
      spec: { resourceSelectors, placement },
    })
  })
  const member = await context.member.client()
  return {
    isThere: async () => (await member.get(configMaps(namespace), name)) !== undefined,
    remove: async () => void (await member.delete(configMaps(namespace), name)),
  }
}

/** Who the bearer of a kubeconfig is at the API that it leads to. */
const holderOf = async (kubeconfig: string): Promise<string> => {
  const { endpoint, credential } = parseKubeconfig(kubeconfig, { now: new Date() })
  const client = connect(connectionTo(endpoint, credential))
  try {
    return (await whoAmI(client)) ?? ''
  } finally {
    client.close()
  }
}

const MAY_ASKED: Readonly<Record<string, Access>> = {
  read: { verb: 'list', group: '', resource: 'configmaps', namespace: 'default' },
  'read-elsewhere': { verb: 'list', group: '', resource: 'configmaps' },
  write: { verb: 'create', group: '', resource: 'configmaps', namespace: 'default' },
  'write-elsewhere': { verb: 'create', group: '', resource: 'configmaps', namespace: 'karmada-system' },
  secrets: { verb: 'get', group: '', resource: 'secrets', namespace: 'default' },
  rights: {
    verb: 'create',
    group: 'rbac.authorization.k8s.io',
    resource: 'rolebindings',
    namespace: 'default',
  },
}

/** What the bearer of a kubeconfig may do at the API that it leads to. */
const may = async (kubeconfig: string): Promise<string> => {
  const { endpoint, credential } = parseKubeconfig(kubeconfig, { now: new Date() })
  const client = connect(connectionTo(endpoint, credential))
  try {
    const denied = await deniedAccess(client, Object.values(MAY_ASKED))
    return Object.keys(MAY_ASKED)
      .filter((name) => !denied.includes(MAY_ASKED[name] as Access))
      .join(' ')
  } finally {
    client.close()
  }
}

/** A lab whose tests also look into control planes. */
export const inControlPlanes = (lab: FederationLab): FederationLab => ({
  ...lab,
  deploy,
  whoAmI: holderOf,
  may,
  occupy: async (ref, context) => {
    const place = placeOf(ref, context.federation.properties.namespace ?? '')
    if (place !== undefined) return occupy(context, place)
    if (lab.occupy === undefined) throw new Error('the lab has no clusters')
    return lab.occupy(ref, context)
  },
})
