import { type Membership, operationOf } from '../../../../../core/membership/membership.ts'
import { listInWords } from '../../../../../core/values/wording.ts'
import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { clusterRoleBindings, clusterRoles, namespaces } from '../../../../../kubernetes/resources.ts'
import type { CleanResult, MemberContext } from '../../../../contract/federation-driver.ts'
import type { StepResult } from '../../../../contract/phase.ts'
import { removeAccounts } from '../../../../support/member/account.ts'
import { memberObjectName, tokensMade } from '../../../../support/member/tokens.ts'
import { blockersOf, removeNamespace, terminatingSeconds } from '../../../../support/namespace.ts'
import { isTerminating, listAll, memberSite, removeOwned, type Site } from '../../../../support/owned.ts'
import { Pending, retryWhilePending, settleAll, step } from '../../../../support/step.ts'
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

/** What Karmada brought into a member. */
const MANAGED_SELECTOR = 'karmada.io/managed=true'

/** Namespaces of workloads that Karmada has begun to delete in the member: they carry the name of the member's place for Works. */
const leavingNamespaces = async (site: Site, membership: Membership): Promise<KubernetesObject[]> => {
  const space = executionSpace(membership)
  const all = await listAll(site.client, namespaces, MANAGED_SELECTOR)
  return all.filter(
    (namespace) => isTerminating(namespace) && namespace.metadata.annotations?.[WORK_NAMESPACE] === space,
  )
}

const heldBy = (namespace: KubernetesObject): string => {
  const blockers = blockersOf(namespace)
  return `${namespace.metadata.name}${blockers === '' ? '' : ` (${blockers})`}`
}

/**
 * Where workloads were to go: waits for their namespaces, and says which do not and what holds them once that takes too long. Nothing of them is forced.
 *
 * @throws Pending
 */
const awaitNamespaces = async (site: Site, context: MemberContext, timeoutSeconds: number): Promise<string[]> => {
  if (operationOf(context.membership)?.workloads !== 'delete') return []
  const leaving = await leavingNamespaces(site, context.membership)
  const now = context.now()
  const ages = await Promise.all(leaving.map((namespace) => terminatingSeconds(site, namespace, now)))
  const named = listInWords(leaving.map(heldBy), 10)
  if (ages.some((age) => age < timeoutSeconds)) throw new Pending(`the namespaces of workloads to be gone: ${named}`)
  if (leaving.length === 0) return []
  return [`Workloads were removed, but these namespaces of theirs are still Terminating in the member: ${named}.`]
}

/** The accounts go, and with them every token of theirs. What they are bound to waits for the next of these names. */
export const revokeMember = (context: MemberContext): Promise<StepResult> =>
  step(async () => {
    const site = await memberSite(context)
    await removeAccounts(site, [memberObjectName(site.federationId), IMPERSONATOR])
    return { gone: tokensMade(context) }
  })

/**
 * Removes what `prepareMember` made, as far as it carries this federation's label. A member that can't be reached is an error; the flow decides
 * whether to wait, to give up, or with `force` to go on and list what stays, with tokens that are still good.
 */
export const cleanMember = async (context: MemberContext, options: KarmadaOptions): Promise<CleanResult> => {
  const warnings: string[] = []
  const result = await step(async () => {
    const site = await memberSite(context)
    await settleAll([() => removeImpersonator(site, context.membership), () => removeObjects(site)])
    const leftovers = await retryWhilePending(() =>
      removeNamespace(site, {
        name: memberObjectName(site.federationId),
        now: context.now(),
        timeoutSeconds: options.namespaceTimeoutSeconds,
      }),
    )
    warnings.push(...(await awaitNamespaces(site, context, options.namespaceTimeoutSeconds)))
    return { leftovers }
  })
  return warnings.length === 0 ? result : { ...result, warnings }
}
