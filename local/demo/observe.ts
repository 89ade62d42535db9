import * as z from 'zod'
import { Secret } from '../../functions/core/values/secret.ts'
import { FEDERATION_LABEL, listAll } from '../../functions/drivers/support/owned.ts'
import { localPolicy } from '../../functions/kubernetes/address-guard.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../functions/kubernetes/client.ts'
import { connectWith } from '../../functions/kubernetes/connect.ts'
import { ObjectNotFound } from '../../functions/kubernetes/errors.ts'

/** What anybody can see in a cluster with kubectl: the demo and the end-to-end tests look with their own eyes, not through fedplane. */

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' }
const CORE = { group: '', version: 'v1' }
const PROFILES: Resource = { group: 'multicluster.x-k8s.io', version: 'v1alpha1', plural: 'clusterprofiles' }

/** Every kind that a federation driver makes, in the order in which they can be taken away. */
export const KINDS: readonly [kind: string, resource: Resource][] = [
  ['ClusterProfile', PROFILES],
  ['Deployment', { group: 'apps', version: 'v1', plural: 'deployments' }],
  ['StatefulSet', { group: 'apps', version: 'v1', plural: 'statefulsets' }],
  ['PodDisruptionBudget', { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' }],
  ['Service', { ...CORE, plural: 'services' }],
  ['PersistentVolumeClaim', { ...CORE, plural: 'persistentvolumeclaims' }],
  ['ClusterRoleBinding', { ...RBAC, plural: 'clusterrolebindings' }],
  ['ClusterRole', { ...RBAC, plural: 'clusterroles' }],
  ['RoleBinding', { ...RBAC, plural: 'rolebindings' }],
  ['Role', { ...RBAC, plural: 'roles' }],
  ['Secret', { ...CORE, plural: 'secrets' }],
  ['ServiceAccount', { ...CORE, plural: 'serviceaccounts' }],
  ['Namespace', { ...CORE, plural: 'namespaces' }],
]

/** An object of a federation in a cluster. */
export type Remain = {
  kind: string
  resource: Resource
  object: KubernetesObject
  /** `Secret inventory/berlin`. */
  text: string
  /** An emptied namespace that waits for a namespace controller. */
  terminating: boolean
}

const listOrNone = async (
  client: KubernetesClient,
  resource: Resource,
  selector: string,
): Promise<KubernetesObject[]> => {
  try {
    return await listAll(client, resource, selector)
  } catch (error) {
    if (error instanceof ObjectNotFound) return []
    throw error
  }
}

const toRemain = (kind: string, resource: Resource, object: KubernetesObject): Remain => {
  const { namespace, name, deletionTimestamp } = object.metadata
  return {
    kind,
    resource: namespace === undefined ? resource : { ...resource, namespace },
    object,
    text: `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`,
    terminating: kind === 'Namespace' && deletionTimestamp !== undefined,
  }
}

/** Everything in a cluster that carries a federation's label. */
export const remainsOf = async (client: KubernetesClient, federationId: string): Promise<Remain[]> => {
  const found: Remain[] = []
  for (const [kind, resource] of KINDS) {
    const objects = await listOrNone(client, resource, `${FEDERATION_LABEL}=${federationId}`)
    found.push(...objects.map((object) => toRemain(kind, resource, object)))
  }
  return found
}

/** Takes away what a federation left: by label and uid, so nothing of others. */
export const removeRemains = async (client: KubernetesClient, federationId: string): Promise<void> => {
  for (const { resource, object, terminating } of await remainsOf(client, federationId)) {
    const { name, uid } = object.metadata
    if (!terminating) await client.delete(resource, name, uid === undefined ? {} : { uid })
  }
}

const Provider = z.object({
  name: z.string(),
  cluster: z.object({
    server: z.string(),
    'certificate-authority-data': z.string().optional(),
    extensions: z.array(z.object({ extension: z.object({ clusterName: z.string() }) })).default([]),
  }),
})
const Profile = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  status: z.object({
    version: z.object({ kubernetes: z.string() }).optional(),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    accessProviders: z.array(Provider).default([]),
  }),
})
export type Profile = z.infer<typeof Profile>

/** The ClusterProfiles of a federation in its host, in its inventory namespace first. */
export const profilesOf = async (host: KubernetesClient, federationId: string): Promise<Profile[]> => {
  const objects = await listOrNone(host, PROFILES, `${FEDERATION_LABEL}=${federationId}`)
  return objects.map((object) => Profile.parse(object))
}

/**
 * Goes the way of a consumer of the inventory: address and CA from the profile, bearer token from the Secret that it names. The caller
 * closes the client.
 */
export const consumerClient = async (host: KubernetesClient, profile: Profile): Promise<KubernetesClient> => {
  const [provider] = profile.status.accessProviders
  if (provider === undefined) throw new Error(`ClusterProfile ${profile.metadata.name} has no access provider.`)
  const { server, extensions, 'certificate-authority-data': ca } = provider.cluster
  const name = extensions[0]?.extension.clusterName ?? profile.metadata.name
  const secret = await host.get({ ...CORE, plural: 'secrets', namespace: profile.metadata.namespace }, name)
  const { token } = z.object({ data: z.object({ token: z.string() }) }).parse(secret).data
  return connectWith({ policy: localPolicy })({
    server,
    caPem: ca === undefined ? null : Buffer.from(ca, 'base64').toString(),
    tlsServerName: null,
    tlsVerify: true,
    credential: { kind: 'token', token: new Secret(Buffer.from(token, 'base64').toString()) },
  })
}

const DEFINITIONS: Resource = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' }
const DEFINITION = 'clusterprofiles.multicluster.x-k8s.io'

/** True when the host has the ClusterProfile API. */
export const hasProfileApi = async (host: KubernetesClient): Promise<boolean> =>
  (await host.get(DEFINITIONS, DEFINITION)) !== undefined

/** Removes the ClusterProfile API that fedplane installed, unless somebody has profiles in it. True when it is gone. */
export const removeProfileApi = async (host: KubernetesClient): Promise<boolean> => {
  const found = await host.get(DEFINITIONS, DEFINITION)
  if (found === undefined) return true
  if ((await listOrNone(host, PROFILES, '')).length > 0) return false
  const { uid } = found.metadata
  await host.delete(DEFINITIONS, DEFINITION, uid === undefined ? {} : { uid })
  return true
}

/** Names of the namespaces that a client can see. */
export const namespacesSeenBy = async (client: KubernetesClient): Promise<string[]> =>
  (await listAll(client, { ...CORE, plural: 'namespaces' }, '')).map(({ metadata }) => metadata.name)

const Role = z.object({ rules: z.array(z.unknown()).nullish() })

/**
 * The ClusterRole that lets somebody read what is not secret. `view` is put together by a controller; where none runs it is empty, and
 * the role that it would be put together from holds the rules.
 */
export const usableViewRole = async (members: readonly KubernetesClient[]): Promise<string> => {
  const roles = await Promise.all(members.map((client) => client.get({ ...RBAC, plural: 'clusterroles' }, 'view')))
  const filled = roles.every((role) => (Role.safeParse(role).data?.rules ?? []).length > 0)
  return filled ? 'view' : 'system:aggregate-to-view'
}
