import type { Federation } from '../../../../core/federation/federation.ts'
import type { Membership } from '../../../../core/membership/membership.ts'
import { shortId } from '../../../../core/values/ids.ts'
import type { Resource } from '../../../../kubernetes/client.ts'
import { federationSelector, ownerLabels } from '../../../support/owned.ts'
import { inventoryNamespace } from './schema.ts'

/** API group of the SIG-Multicluster Cluster Inventory API (KEP-4322). */
export const PROFILE_GROUP = 'multicluster.x-k8s.io'
export const PROFILE_KIND = 'ClusterProfile'
export const PROFILE_CRD = `clusterprofiles.${PROFILE_GROUP}`

/** Versions that we can write, the preferred one first (reference/clusterprofile.md section 2). */
export const PROFILE_VERSIONS = ['v1alpha2', 'v1alpha1'] as const
export type ProfileVersion = (typeof PROFILE_VERSIONS)[number]

/**
 * `spec.clusterManager.name` of all our profiles, and with it label `x-k8s.io/cluster-manager`. The API wants one name for each
 * manager installation; what belongs to which federation is reported by our own label, never by this one.
 */
export const CLUSTER_MANAGER = 'fedplane'
export const CLUSTER_MANAGER_LABEL = 'x-k8s.io/cluster-manager'
/** The member's identity, the same in every inventory: uid of its `kube-system` namespace. */
export const MEMBER_ID_LABEL = `${PROFILE_GROUP}/inventory-member-id`
/** Our id of the cluster that a profile or Secret is about. */
export const CLUSTER_LABEL = 'fedplane.io/cluster'

/** Condition of a profile: the member's API server is ready. */
export const CONTROL_PLANE_HEALTHY = 'ControlPlaneHealthy'

/** Access provider of the upstream `secretreader` plugin: bearer token in key `token` of a Secret. */
export const ACCESS_PROVIDER = 'secretreader'
export const TOKEN_KEY = 'token'
/** Extension whose object the plugin gets as its configuration. */
export const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

export const profiles = (version: ProfileVersion, namespace?: string): Resource => ({
  group: PROFILE_GROUP,
  version,
  plural: 'clusterprofiles',
  ...(namespace === undefined ? {} : { namespace }),
})

/** Role in the inventory namespace for its readers. */
export const READER_ROLE = 'inventory-reader'

/** Where in the host a profile and its token Secret are; both have this name. */
export type Placement = { namespace: string; name: string }

/** All places where a member is published: the inventory, then the consumer namespaces, under a name that is unique there (≤ 59). */
export const placementsOf = (
  federation: Pick<Federation, 'id'>,
  memberName: string,
  consumerNamespaces: readonly string[],
): [Placement, ...Placement[]] => [
  { namespace: inventoryNamespace(federation.id), name: memberName },
  ...consumerNamespaces.map((namespace) => ({ namespace, name: `${memberName}-${shortId(federation.id)}` })),
]

/** Labels of everything in the host that is about one member. */
export const memberLabels = (membership: Pick<Membership, 'federationId' | 'clusterId'>): Record<string, string> => ({
  ...ownerLabels(membership.federationId),
  [CLUSTER_LABEL]: membership.clusterId,
})

export const memberSelector = (membership: Pick<Membership, 'federationId' | 'clusterId'>): string =>
  `${federationSelector(membership.federationId)},${CLUSTER_LABEL}=${membership.clusterId}`
