import type { Membership } from '../../../../domain/membership.ts'
import type { KubernetesObject, Resource } from '../../../../kubernetes/client.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  secrets,
  serviceAccounts,
} from '../../../../kubernetes/resources.ts'
import type { CleanResult, MemberContext } from '../../../contract/federation-driver.ts'
import { memberObjectName } from '../../../support/member/names.ts'
import { tokenSecrets } from '../../../support/member/token-secret.ts'
import { removeNamespace } from '../../../support/namespace.ts'
import { isOwned, removeAllOwned, removeOwned, type Site } from '../../../support/owned.ts'
import { patiently } from '../../../support/patiently.ts'
import { memberSite } from '../../../support/sites.ts'
import { step } from '../../../support/step.ts'
import { together } from '../../../support/together.ts'
import { impersonatorOwner } from './member/impersonator.ts'
import { executionSpace, IMPERSONATOR } from './member/names.ts'
import type { KarmadaOptions } from './options.ts'

/** Tokens first, so that a stop half-way leaves nothing that still opens the member; then rights and accounts. */
const removeObjects = async (site: Site): Promise<void> => {
  const name = memberObjectName(site.federationId)
  const namespace = await site.client.get(namespaces, name)
  const isOurs = namespace !== undefined && isOwned(site, namespace)
  if (isOurs) {
    const tokens = await tokenSecrets(site)
    await removeAllOwned(
      site,
      tokens.map((object) => ({ resource: secrets(name), object })),
    )
  }
  await together([
    () => removeOwned(site, clusterRoleBindings, name),
    () => removeOwned(site, clusterRoles, name),
    ...(isOurs ? [name, IMPERSONATOR] : []).map((account) => () => removeOwned(site, serviceAccounts(name), account)),
  ])
}

/** Who wrote an object into a member: Karmada names the namespace of its Works. */
const WORK_NAMESPACE = 'work.karmada.io/namespace'

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
  if ((await impersonatorOwner(site)) !== 'ours') return
  const space = executionSpace(membership)
  await together([
    () => removeIf(site, clusterRoleBindings, () => true),
    () => removeIf(site, clusterRoles, ({ metadata }) => metadata.annotations?.[WORK_NAMESPACE] === space),
  ])
}

/**
 * Removes what `prepareMember` made, as far as it carries this federation's label. A member that can't be reached is an error; the flow decides
 * whether to wait, to give up, or with `force` to go on and list what stays, with tokens that are still good.
 */
export const cleanMember = (
  context: MemberContext,
  { namespacePatienceSeconds }: KarmadaOptions,
): Promise<CleanResult> =>
  step(async () => {
    const site = await memberSite(context)
    await removeImpersonator(site, context.membership)
    await removeObjects(site)
    const leftovers = await patiently(() =>
      removeNamespace(site, {
        name: memberObjectName(site.federationId),
        now: context.now(),
        patienceSeconds: namespacePatienceSeconds,
      }),
    )
    return { leftovers }
  })
