import * as z from 'zod'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { clusterRoleBindings, clusterRoles, serviceAccounts } from '../../../../../kubernetes/resources.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import {
  FEDERATION_LABEL,
  isOwned,
  isTerminating,
  listAll,
  MANAGED_BY,
  MANAGED_BY_LABEL,
  type Site,
} from '../../../../support/owned.ts'
import { settleAll } from '../../../../support/step.ts'
import { MEMBERS_NAMESPACE } from '../model/names.ts'
import { executionSpace, IMPERSONATOR } from './names.ts'

/** On the control plane's account in a member: what the member is called there. Karmada's marks on all that it brings hold that name. */
export const CLUSTER_NAME_LABEL = 'fedplane.io/karmada-cluster'

/** Who wrote an object into a member: Karmada names the namespace of its Works. */
export const WORK_NAMESPACE = 'work.karmada.io/namespace'

const allAccounts: Resource = { group: '', version: 'v1', plural: 'serviceaccounts' }

/** What tells in a member which control planes have it. */
export type Claims = {
  /** Accounts of federations of any fedplane. */
  accounts: readonly KubernetesObject[]
  /** Account of a Karmada that was not set up by fedplane, in `karmada-cluster`. */
  upstream: KubernetesObject | undefined
  /** ClusterRoleBinding `karmada-impersonator`: its name is the same for every Karmada. */
  binding: KubernetesObject | undefined
}

export const readClaims = async (client: KubernetesClient): Promise<Claims> => {
  const [accounts, upstream, binding] = await settleAll([
    () => listAll(client, allAccounts, `${MANAGED_BY_LABEL}=${MANAGED_BY}`),
    () => client.get(serviceAccounts(MEMBERS_NAMESPACE), IMPERSONATOR),
    () => client.get(clusterRoleBindings, IMPERSONATOR),
  ])
  return { accounts: accounts.filter((account) => !isTerminating(account)), upstream, binding }
}

/** Order in which they were made: times are whole seconds, so within one the API server's own count decides. */
const isBefore = (one: KubernetesObject, other: KubernetesObject): boolean => {
  const [made, madeOther] = [one, other].map(({ metadata }) => metadata.creationTimestamp ?? '') as [string, string]
  if (made !== madeOther) return made < madeOther
  const [count, countOther] = [one, other].map(({ metadata }) => Number(metadata.resourceVersion ?? 0))
  return (count ?? 0) < (countOther ?? 0)
}

/** The first account of another federation for which `is` holds, unless one of ours for which it holds was there before. */
const earlierClaim = (
  { accounts }: Claims,
  site: Pick<Site, 'federationId'>,
  is: (account: KubernetesObject) => boolean,
): KubernetesObject | undefined => {
  const claims = accounts.filter(is)
  const own = claims.find((account) => isOwned(site, account))
  return claims.find((account) => !isOwned(site, account) && (own === undefined || isBefore(account, own)))
}

/**
 * Which other control plane has the member by that name, in words; undefined: none. Two with one name would take each other's workloads for their
 * own, since Karmada knows what it brought by the name of the Cluster alone.
 */
export const holderOfName = async (site: Site, claims: Claims, memberName: string): Promise<string | undefined> => {
  const isSame = ({ metadata }: KubernetesObject) => metadata.labels?.[CLUSTER_NAME_LABEL] === memberName
  const claim = earlierClaim(claims, site, isSame)
  if (claim !== undefined)
    return `federation ${claim.metadata.labels?.[FEDERATION_LABEL]} (namespace ${claim.metadata.namespace} in it)`
  if (claims.upstream === undefined) return undefined
  // Ours, once this federation is there.
  const isIn = claims.accounts.some((account) => isOwned(site, account) && isSame(account))
  const role = isIn ? undefined : await site.client.get(clusterRoles, IMPERSONATOR)
  if (role?.metadata.annotations?.[WORK_NAMESPACE] === executionSpace({ memberName })) {
    return `the Karmada that made ClusterRole ${IMPERSONATOR} in it`
  }
  const account = `karmada-${memberName}`
  const found = await site.client.get(serviceAccounts(MEMBERS_NAMESPACE), account)
  return found && `the Karmada whose account in it is ServiceAccount ${MEMBERS_NAMESPACE}/${account}`
}

const Binding = z.object({ subjects: z.array(z.object({ namespace: z.string().default('') })).default([]) })

/** Namespaces of the accounts that ClusterRoleBinding `karmada-impersonator` names. */
const boundNamespaces = (binding: Claims['binding']): string[] =>
  (Binding.safeParse(binding).data?.subjects ?? []).map(({ namespace }) => namespace)

/** `foreign`: another Karmada has `clusters/proxy` of the member. `free`: this federation has it, or may take it. */
export type ImpersonatorOwner = 'free' | 'foreign'

/** True when the binding is for an account of neither fedplane nor this federation that is still there: nobody else knows whose it is. */
const isBoundToOther = async (
  client: KubernetesClient,
  { accounts, binding }: Claims,
  own: string,
): Promise<boolean> => {
  const known = new Set([own, ...accounts.map(({ metadata }) => metadata.namespace)])
  for (const namespace of boundNamespaces(binding).filter((name) => !known.has(name))) {
    if ((await client.get(serviceAccounts(namespace), IMPERSONATOR)) !== undefined) return true
  }
  return false
}

/**
 * Whose `clusters/proxy` of a member is: two Karmadas overwrite each other's ClusterRoleBinding `karmada-impersonator` without end (design section
 * 5). One that fedplane did not set up does not give way, so it always has it, from its account in `karmada-cluster` on; among federations it is the
 * one whose account was there first. What the binding says tells little while both write it.
 */
export const impersonatorOwner = async (
  { client, federationId }: Pick<Site, 'client' | 'federationId'>,
  claims: Claims,
): Promise<ImpersonatorOwner> => {
  if (claims.upstream !== undefined) return 'foreign'
  const earlier = earlierClaim(claims, { federationId }, ({ metadata }) => metadata.name === IMPERSONATOR)
  if (earlier !== undefined) return 'foreign'
  return (await isBoundToOther(client, claims, memberObjectName(federationId))) ? 'foreign' : 'free'
}

/** True when the binding is for this federation's account. */
export const isBoundToOurs = async ({ client, federationId }: Site): Promise<boolean> =>
  boundNamespaces(await client.get(clusterRoleBindings, IMPERSONATOR)).includes(memberObjectName(federationId))

/** Why a name can't be had, and what to do. */
export const nameTaken = (memberName: string, holder: string): string =>
  `The cluster is called ${memberName} by ${holder} too. Karmada knows by that name what it brought into a member, so both would overwrite and delete ` +
  "each other's workloads. Take it out there, or delete what is left of that one in it; or add it again, which gives it another name where another " +
  'federation of this project has it; or register it by another name.'
