import * as z from 'zod'
import { clusterRoleBindings, serviceAccounts } from '../../../../../kubernetes/resources.ts'
import { memberObjectName } from '../../../../support/member/names.ts'
import type { Site } from '../../../../support/owned.ts'
import { together } from '../../../../support/together.ts'
import { MEMBERS_NAMESPACE } from '../names.ts'
import { IMPERSONATOR } from './names.ts'

const Binding = z.object({ subjects: z.array(z.object({ namespace: z.string().default('') })).default([]) })

export type ImpersonatorOwner = 'none' | 'ours' | 'foreign'

/**
 * Whose the ClusterRoleBinding `karmada-impersonator` of a member is, by the namespace of its account. Before a Karmada has made it, its account in
 * `karmada-cluster` tells that one is there: both would overwrite each other's (design section 5).
 */
export const impersonatorOwner = async ({ client, federationId }: Site): Promise<ImpersonatorOwner> => {
  const [binding, account] = await together([
    () => client.get(clusterRoleBindings, IMPERSONATOR),
    () => client.get(serviceAccounts(MEMBERS_NAMESPACE), IMPERSONATOR),
  ])
  if (binding === undefined) return account === undefined ? 'none' : 'foreign'
  const subjects = Binding.safeParse(binding).data?.subjects ?? []
  return subjects.some(({ namespace }) => namespace === memberObjectName(federationId)) ? 'ours' : 'foreign'
}
