import { operationOf } from '../../../../../core/membership/membership.ts'
import type { Secret } from '../../../../../core/values/secret.ts'
import { clusterRoleBindings } from '../../../../../kubernetes/resources.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import type { CleanResult, MemberContext, PrepareResult } from '../../../../contract/federation-driver.ts'
import type { StepResult } from '../../../../contract/phase.ts'
import {
  accountUser,
  ensureBinding,
  ensureMemberNamespace,
  ensureServiceAccount,
  removeAccounts,
} from '../../../../support/member/account.ts'
import { obtainToken } from '../../../../support/member/obtain-token.ts'
import { memberObjectName, removeOlderTokens, tokenSecrets, tokensMade } from '../../../../support/member/tokens.ts'
import { removeNamespace } from '../../../../support/namespace.ts'
import { hostSite, memberSite, removeOwned, type Site } from '../../../../support/owned.ts'
import { Pending, settleAll, step } from '../../../../support/step.ts'
import { statusOf } from '../host/content.ts'
import { ensureInventory, findServedVersion, removePublished, servedVersion } from '../host/inventory.ts'
import { findProfile, publish, publishSpec, publishStatus, requireNamespace } from '../host/publish.ts'
import { CONTROL_PLANE_HEALTHY, memberSelector, placementsOf } from '../names.ts'
import { parseProperties } from '../schema.ts'
import { contentOfMember, type MemberFacts, memberFacts, type Published } from './facts.ts'

/** How long the driver waits for controllers that may not run. Tests shorten it. */
export type ClusterProfileOptions = {
  /** Seconds for the token controller to fill a Secret before a token is requested instead. Default 5. */
  tokenTimeoutSeconds: number
  /** Seconds for the namespace controller to begin. Default 12: it waits 5 s on purpose, the rest is for a slow one. */
  namespaceTimeoutSeconds: number
  /** Seconds during which a fresh token may still be refused (clocks differ, caches). Default 5. */
  proofTimeoutSeconds: number
}

export const DEFAULT_OPTIONS: ClusterProfileOptions = {
  tokenTimeoutSeconds: 5,
  namespaceTimeoutSeconds: 12,
  proofTimeoutSeconds: 5,
}

/**
 * Account, rights and a proved credential in the member. With a rotation under way it makes a new credential beside the old one, which
 * works until `registerMember` has published the new one.
 */
export const prepareMember = (context: MemberContext, options: ClusterProfileOptions): Promise<PrepareResult> =>
  step(async (trace) => {
    const site = await memberSite(context)
    await ensureMemberNamespace(site, trace)
    await ensureServiceAccount(site, trace)
    await ensureBinding(site, trace, parseProperties(context.federation.properties).memberRole)
    const credential = await obtainToken(context, site, trace, {
      account: memberObjectName(context.federation.id),
      existing: await tokenSecrets(site),
      timeoutSeconds: options.tokenTimeoutSeconds,
      stored: () => context.memberToken(),
      user: accountUser(context.federation.id),
      proofTimeoutSeconds: options.proofTimeoutSeconds,
    })
    return { credential }
  })

const storedToken = async (context: MemberContext): Promise<Secret> => {
  const token = await context.memberToken()
  if (token !== undefined) return token
  throw new CredentialMissing(
    `No credential for member ${context.membership.memberName} is stored. Remove it from the federation and add it again.`,
  )
}

/** base64 for a Secret's `data`: exactly the token, since the secretreader plugin does not trim it. */
export const encodeToken = (token: Secret): string => Buffer.from(token.reveal()).toString('base64')

/** An observation of the member, but for its health when that is published already: two observations of the sweep outweigh this one. */
const firstFacts = async (context: MemberContext, published: Published): Promise<MemberFacts> => {
  const facts = await memberFacts(context, published)
  const { conditions } = await published()
  return { ...facts, health: conditions.find(({ type }) => type === CONTROL_PLANE_HEALTHY) ?? facts.health }
}

/**
 * Publishes the member in the inventory and in each consumer namespace. After a rotation, and only when the new token is published
 * everywhere, the older token Secrets in the member go, and their tokens with them.
 */
export const registerMember = (context: MemberContext): Promise<StepResult> =>
  step(async (trace) => {
    const { federation, membership } = context
    const { consumerNamespaces } = parseProperties(federation.properties)
    const token = encodeToken(await storedToken(context))
    const site = await hostSite(context)
    const version = await servedVersion(site.client)
    await ensureInventory(site, trace)
    const [inventory, ...consumers] = placementsOf(federation, membership.memberName, consumerNamespaces)
    const published = async () => statusOf(await findProfile(site, version, inventory))
    const content = contentOfMember(context, await firstFacts(context, published))
    await publish(site, trace, { content, token, version, placement: inventory })
    for (const placement of consumers) {
      await requireNamespace(site, placement.namespace)
      await publish(site, trace, { content, token, version, placement })
    }
    if (operationOf(membership)?.kind !== 'rotate') return {}
    return { gone: await removeOlderTokens(context, [memberObjectName(federation.id)]) }
  })

/**
 * One observation of ours must not overrule what the sweep saw twice: published, it would stay until the observation changes again. A fault
 * that does not pass by itself (another cluster at the address, for example) is one that the sweep may not see, and is reported.
 */
const requireAgreement = ({ member }: MemberContext, { health, fault }: MemberFacts): void => {
  const { observation } = member.cluster
  if (observation === null || (fault !== null && !fault.retryable)) return
  if ((observation.healthReason.api === 'ok') === (health.status === 'True')) return
  throw new Pending('an observation of the member that agrees with what was observed of its API')
}

/**
 * Brings the member's profiles up to date, wherever they are: its name, its health, and the way to its API server. Touches no Secret and makes nothing, so that it does no harm
 * beside an unjoin or a rotation that has just begun.
 */
export const refreshMember = (context: MemberContext): Promise<StepResult> =>
  step(async () => {
    const { federation, membership } = context
    const site = await hostSite(context)
    const version = await findServedVersion(site.client)
    if (version === undefined) return {}
    const { consumerNamespaces } = parseProperties(federation.properties)
    const placements = placementsOf(federation, membership.memberName, consumerNamespaces)
    const found = await Promise.all(
      placements.map(async (placement) => ({ placement, profile: await findProfile(site, version, placement) })),
    )
    const first = found.find(({ profile }) => profile !== undefined)?.profile
    if (first === undefined) return {}
    const facts = await memberFacts(context, async () => statusOf(first))
    requireAgreement(context, facts)
    const content = contentOfMember(context, facts)
    for (const { placement, profile } of found) {
      if (profile === undefined) continue
      await publishSpec(site, profile, { content, placement, version })
      await publishStatus(site, profile, { content, placement, version })
    }
    return {}
  })

/**
 * Removes the member's profiles and tokens wherever in the host they are, found by label and name, and waits until they are gone: a consumer's
 * finalizer (older Argo CD integration) may hold a profile for a while. Never talks to the member.
 */
export const deregisterMember = (context: MemberContext): Promise<StepResult> =>
  step(async () => {
    const { federation, membership } = context
    const { memberName } = membership
    const made = [...federation.made, ...membership.made]
    const selector = memberSelector(membership)
    await removePublished(await hostSite(context), { selector, federation, memberName, made })
    return {}
  })

/** Rights, token and account side by side, also when a part fails: each alone ends what the token opens. */
const removeObjects = async (site: Site): Promise<void> => {
  const name = memberObjectName(site.federationId)
  await settleAll([() => removeOwned(site, clusterRoleBindings, name), () => removeAccounts(site, [name])])
}

/** The account goes, and with it every token of it. Its binding waits for the next of that name. */
export const revokeMember = (context: MemberContext): Promise<StepResult> =>
  step(async () => {
    const site = await memberSite(context)
    await removeAccounts(site, [memberObjectName(site.federationId)])
    return { gone: tokensMade(context) }
  })

/**
 * Removes what `prepareMember` made, as far as it carries this federation's label. A member that can't be reached is an error; the
 * flow decides whether to wait, to give up, or with `force` to go on and list what stays.
 */
export const cleanMember = (
  context: MemberContext,
  { namespaceTimeoutSeconds }: ClusterProfileOptions,
): Promise<CleanResult> =>
  step(async () => {
    const site = await memberSite(context)
    await removeObjects(site)
    const leftovers = await removeNamespace(site, {
      name: memberObjectName(site.federationId),
      now: context.now(),
      timeoutSeconds: namespaceTimeoutSeconds,
    })
    return { leftovers }
  })
