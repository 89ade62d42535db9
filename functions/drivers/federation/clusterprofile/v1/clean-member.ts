import { clusterRoleBindings, namespaces, secrets, serviceAccounts } from '../../../../kubernetes/resources.ts'
import type { CleanResult, MemberContext } from '../../../contract/federation-driver.ts'
import { memberObjectName } from '../../../support/member/names.ts'
import { tokenSecrets } from '../../../support/member/token-secret.ts'
import { removeNamespace } from '../../../support/namespace.ts'
import { isOwned, removeAllOwned, removeOwned, type Site } from '../../../support/owned.ts'
import { memberSite } from '../../../support/sites.ts'
import { step } from '../../../support/step.ts'
import type { ClusterProfileOptions } from './options.ts'

/** Rights first, then the token and its account, so that a stop half-way leaves nothing that still works. */
const removeObjects = async (site: Site): Promise<void> => {
  const name = memberObjectName(site.federationId)
  await removeOwned(site, clusterRoleBindings, name)
  const namespace = await site.client.get(namespaces, name)
  if (namespace === undefined || !isOwned(site, namespace)) return
  const tokens = await tokenSecrets(site)
  await removeAllOwned(
    site,
    tokens.map((object) => ({ resource: secrets(name), object })),
  )
  await removeOwned(site, serviceAccounts(name), name)
}

/**
 * Removes what `prepareMember` made, as far as it carries this federation's label. A member that can't be reached is an error; the
 * flow decides whether to wait, to give up, or with `force` to go on and list what stays.
 */
export const cleanMember = (
  context: MemberContext,
  { namespacePatienceSeconds }: ClusterProfileOptions,
): Promise<CleanResult> =>
  step(async () => {
    const site = await memberSite(context)
    await removeObjects(site)
    const leftovers = await removeNamespace(site, {
      name: memberObjectName(site.federationId),
      now: context.now(),
      patienceSeconds: namespacePatienceSeconds,
    })
    return { leftovers }
  })
