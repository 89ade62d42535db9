import * as z from 'zod'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { clusterRoleBindings, serviceAccounts } from '../../../../../kubernetes/resources.ts'
import { memberObjectName } from '../../../../support/member/names.ts'
import type { Site } from '../../../../support/owned.ts'
import { type Claims, earlierClaim } from './claims.ts'
import { IMPERSONATOR } from './names.ts'

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
