import type { Membership } from '../../../../../core/membership/membership.ts'
import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { clusterRoleBindings, clusterRoles } from '../../../../../kubernetes/resources.ts'
import type { CleanResult, MemberContext } from '../../../../contract/federation-driver.ts'
import type { StepResult } from '../../../../contract/phase.ts'
import { removeAccounts } from '../../../../support/member/account.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import { removeNamespace } from '../../../../support/namespace.ts'
import { memberSite, removeOwned, type Site } from '../../../../support/owned.ts'
import { retryWhilePending, settleAll, step } from '../../../../support/step.ts'
import type { KarmadaOptions } from '../model/options.ts'
import { isBoundToOurs, WORK_NAMESPACE } from './claims.ts'
import { executionSpace, IMPERSONATOR } from './names.ts'

/** All of it side by side, also when a part fails: each alone ends what the tokens open, and a member may refuse one kind of objects only. */
const removeObjects = async (site: Site): Promise<void> => {
  const name = memberObjectName(site.federationId)
  await settleAll([
    () => removeOwned(site, clusterRoleBindings, name),
    () => removeOwned(site, clusterRoles, name),
    () => removeAccounts(site, [name, IMPERSONATOR]),
  ])
}

const removeIf = async (
  { client }: Site,
  resource: Resource,
  isOurs: (object: KubernetesObject) => boolean,
): Promise<void> => {
  const object = await client.get(resource, IMPERSONATOR)
  if (object === undefined || !isOurs(object)) return
  const { uid } = object.metadata
  await client.delete(resource, IMPERSONATOR, uid === undefined ? {} : { uid })
}

/**
 * What Karmada made for `clusters/proxy`, when it could not take it back because the member did not answer then. It carries no label of ours; whose
 * it is tells the account that is bound, in this federation's namespace.
 */
const removeImpersonator = async (site: Site, membership: Membership): Promise<void> => {
  if (!(await isBoundToOurs(site))) return
  const space = executionSpace(membership)
  await settleAll([
    () => removeIf(site, clusterRoleBindings, () => true),
    () => removeIf(site, clusterRoles, ({ metadata }) => metadata.annotations?.[WORK_NAMESPACE] === space),
  ])
}

/** The accounts go, and with them every token of theirs. What they are bound to waits for the next of these names. */
export const revokeMember = (context: MemberContext): Promise<StepResult> =>
  step(async () => {
    const site = await memberSite(context)
    await removeAccounts(site, [memberObjectName(site.federationId), IMPERSONATOR])
    return {}
  })

/**
 * Removes what `prepareMember` made, as far as it carries this federation's label. A member that can't be reached is an error; the flow decides
 * whether to wait, to give up, or with `force` to go on and list what stays, with tokens that are still good.
 */
export const cleanMember = (
  context: MemberContext,
  { namespaceTimeoutSeconds }: KarmadaOptions,
): Promise<CleanResult> =>
  step(async () => {
    const site = await memberSite(context)
    await settleAll([() => removeImpersonator(site, context.membership), () => removeObjects(site)])
    const leftovers = await retryWhilePending(() =>
      removeNamespace(site, {
        name: memberObjectName(site.federationId),
        now: context.now(),
        timeoutSeconds: namespaceTimeoutSeconds,
      }),
    )
    return { leftovers }
  })
