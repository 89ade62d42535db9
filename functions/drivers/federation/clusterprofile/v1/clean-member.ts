import { clusterRoleBindings } from '../../../../kubernetes/resources.ts'
import type { CleanResult, MemberContext } from '../../../contract/federation-driver.ts'
import { removeAccounts } from '../../../support/member/account.ts'
import { memberObjectName } from '../../../support/member/names.ts'
import { removeNamespace } from '../../../support/namespace.ts'
import { removeOwned, type Site } from '../../../support/owned.ts'
import { settleAll } from '../../../support/settle-all.ts'
import { memberSite } from '../../../support/sites.ts'
import { step } from '../../../support/step.ts'
import type { ClusterProfileOptions } from './options.ts'

/** Rights, token and account side by side, also when a part fails: each alone ends what the token opens. */
const removeObjects = async (site: Site): Promise<void> => {
  const name = memberObjectName(site.federationId)
  await settleAll([() => removeOwned(site, clusterRoleBindings, name), () => removeAccounts(site, [name])])
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
