import type { Federation } from '../../core/federation/federation.ts'
import type { KubeconfigRole, RightsLevel } from '../../core/values/identity.ts'
import type { DriverId } from '../../core/values/ids.ts'

/** One option of a driver, for documentation, `GET /v1/drivers/{id}` and validation messages. */
export type PropertyDescription = {
  key: string
  description: string
  /** Null when there is none. */
  default: string | null
}

/** Version of this contract. A driver names the one it was written for; `docs/drivers/federation-contract.md` is its table. */
export const FEDERATION_CONTRACT = 1

export type Properties = Readonly<Record<string, string>>

/** What a federation driver can do, as data: core code asks these, never the driver's name. */
type FederationCapabilities = {
  /** The host cluster may be one of its members. */
  hostAsMember: boolean
  /** It talks to host and members; false for drivers that only play. */
  usesKubernetesApi: boolean
  /** `GET …/kubeconfig` answers. */
  kubeconfig: boolean
  /** It brings workloads into members: an unjoin keeps them, or removes them with `?workloads=delete`. */
  workloads: boolean
  /** A member can be kept from new workloads: `on_unhealthy` may be `cordon`. */
  cordon?: true
  /** Credentials of a member can be made worthless on request, and be replaced. */
  revoke?: true
}

/** Rights that a federation takes in its clusters: whoever runs the federation can use them. */
export type FederationRights = { host: RightsLevel; member: RightsLevel }

/** Of a kubeconfig: the whole control plane, or one namespace of it. */
export type KubeconfigScope = 'all' | 'namespace'

/** Kubeconfigs that a driver gives. */
export type KubeconfigOffer = {
  /** How far each role may reach; a role that is missing is not given. */
  roles: Readonly<Partial<Record<KubeconfigRole, readonly KubeconfigScope[]>>>
  /** Why a namespace can't be named: a whole sentence that says so and what to do. Default: nothing is against it. Pure. */
  namespaceFault?(namespace: string): string | undefined
}

/**
 * What a federation driver says: data and pure checks, all that routes without key rights need of it. What it does is in `FederationDriver`,
 * whose code they do not carry.
 */
export type FederationDriverDescription = {
  id: DriverId
  contract: typeof FEDERATION_CONTRACT
  /** One sentence for `GET /v1/drivers`. */
  description: string
  capabilities: FederationCapabilities
  /** One sentence: how to find in a member what the federation brought, once nobody knows it any more. With `workloads` only. */
  findWorkloads?: string
  /**
   * True when a cluster must not have the same name in two federations of such drivers, because what they mark in it would be each other's. Default:
   * names of one federation know nothing of those of another.
   */
  distinctMemberNames?: true
  /** Options in `properties`; other keys are kept and ignored. */
  properties: readonly PropertyDescription[]
  /** Checks the driver's own properties; one sentence per fault, none when they are good. */
  validateProperties(properties: Properties): string[]
  /** What keeps a federation with the properties `before` from having `after`; one sentence for each of its own that can't change. */
  validateChange(before: Properties, after: Properties): string[]
  /** Rights that a federation with these properties takes. Default: more than `edit` in host and members. */
  rights?(properties: Properties): FederationRights
  /** Kubeconfigs with roles. Absent, with the capability `kubeconfig`: for administrators of all only. */
  kubeconfigs?: KubeconfigOffer
  /** Namespaces in the host that this federation needs for itself; reserved across projects before a flow starts. */
  hostNamespaces(federation: Pick<Federation, 'id' | 'properties'>): string[]
  /**
   * Namespaces of the host that are others' too, and in which it keeps credentials: nobody is given a kubeconfig that can edit them. Default: none but
   * `hostNamespaces`. In members it keeps them in namespaces with a reserved name (`isReservedNamespace`).
   */
  credentialNamespaces?(federation: Pick<Federation, 'id' | 'properties'>): string[]
}

/** The rights that a federation of a driver takes: one that does not say may take everything. */
export const rightsTaken = (
  { rights }: Pick<FederationDriverDescription, 'rights'>,
  properties: Properties,
): FederationRights => rights?.(properties) ?? { host: 'more', member: 'more' }

/** The kubeconfigs that a driver gives; no role for one that gives none. */
export const kubeconfigOffer = ({
  capabilities,
  kubeconfigs,
}: Pick<FederationDriverDescription, 'capabilities' | 'kubeconfigs'>): KubeconfigOffer =>
  capabilities.kubeconfig ? (kubeconfigs ?? { roles: { admin: ['all'] } }) : { roles: {} }
