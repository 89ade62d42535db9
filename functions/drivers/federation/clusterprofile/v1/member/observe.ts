import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { clusterRoleBindings, secrets } from '../../../../../kubernetes/resources.ts'
import type { MemberContext, MemberObservation } from '../../../../contract/federation-driver.ts'
import { accountUser, bindingManifest } from '../../../../support/member/account.ts'
import { missingOf, tokenFaults } from '../../../../support/member/made.ts'
import { agrees, hostSite, isOwned, isTerminating, memberSite, nameOf, type Site } from '../../../../support/owned.ts'
import { settleAll } from '../../../../support/step.ts'
import { contentOf } from '../host/content.ts'
import { findServedVersion } from '../host/inventory.ts'
import { MEMBER_ID_LABEL, type Placement, type ProfileVersion, placementsOf, profiles, TOKEN_KEY } from '../names.ts'
import { parseProperties } from '../schema.ts'
import { wayTo } from './facts.ts'
import { encodeToken } from './member.ts'

/** Something is wrong with one of the places where the member should be published; undefined when nothing is. */
type Fault = { reason: string; message: string } | undefined

const profileFault = (context: MemberContext, site: Site, profile: KubernetesObject): Fault => {
  const name = nameOf(site, profile)
  if (!isOwned(site, profile)) return { reason: 'ForeignObject', message: `${name} is not this federation's.` }
  if (isTerminating(profile)) return { reason: 'ProfileTerminating', message: `${name} is being deleted.` }
  const uid = context.member.cluster.identity?.uid
  if (uid !== undefined && profile.metadata.labels?.[MEMBER_ID_LABEL] !== uid) {
    return { reason: 'MemberIdDiffers', message: `${name} is about another cluster: label ${MEMBER_ID_LABEL}.` }
  }
  const content = contentOf(profile)
  if (content !== undefined && !agrees(content.way, wayTo(context))) {
    return { reason: 'AddressDiffers', message: `${name} does not say how the member is reached.` }
  }
  const joined = content?.conditions.find((condition) => condition.type === 'Joined')
  if (joined?.status !== 'True') return { reason: 'NotJoined', message: `${name} has no condition Joined=True.` }
  return undefined
}

const TokenSecret = z.object({ data: z.object({ [TOKEN_KEY]: z.string() }) })

const secretFault = async (context: MemberContext, site: Site, { namespace, name }: Placement): Promise<Fault> => {
  const secret = await site.client.get(secrets(namespace), name)
  const [published, stored] = [TokenSecret.safeParse(secret).data?.data[TOKEN_KEY], await context.memberToken()]
  if (published !== undefined && stored !== undefined && published === encodeToken(stored)) return undefined
  return { reason: 'TokenDiffers', message: `Secret ${namespace}/${name} in the host does not hold the stored token.` }
}

const placementFault = async (
  context: MemberContext,
  site: Site,
  { placement, version }: { placement: Placement; version: ProfileVersion },
): Promise<Fault | 'absent'> => {
  const profile = await site.client.get(profiles(version, placement.namespace), placement.name)
  if (profile === undefined) return 'absent'
  return profileFault(context, site, profile) ?? secretFault(context, site, placement)
}

/** What is missing or changed: the binding and the account in the member, the profiles and their Secrets in the host. */
export const observeMade = async (context: MemberContext): Promise<readonly string[]> => {
  const { federation } = context
  const { memberRole } = parseProperties(federation.properties)
  const [inMember, token, inHost] = await settleAll([
    async () =>
      missingOf(await memberSite(context), [
        { resource: clusterRoleBindings, desired: bindingManifest(federation.id, memberRole) },
      ]),
    async () => tokenFaults(context, await context.memberToken(), accountUser(federation.id)),
    () => observeMember(context),
  ])
  const gone = `ClusterProfile ${context.membership.memberName} is missing in the inventory of the host.`
  const published = inHost.state === 'absent' ? [gone] : inHost.state === 'ready' ? [] : [inHost.message]
  return [...inMember, ...token, ...published]
}

/**
 * Ready when the inventory and every consumer namespace hold a profile about this very cluster, joined, with the stored token beside
 * it. Looks only at the host: the member's own health is the sweep's business.
 */
export const observeMember = async (context: MemberContext): Promise<MemberObservation> => {
  const site = await hostSite(context)
  const version = await findServedVersion(site.client)
  if (version === undefined) return { state: 'absent' }
  const { consumerNamespaces } = parseProperties(context.federation.properties)
  const placements = placementsOf(context.federation, context.membership.memberName, consumerNamespaces)
  const faults = await Promise.all(placements.map((placement) => placementFault(context, site, { placement, version })))
  if (faults[0] === 'absent') return { state: 'absent' }
  const index = faults.findIndex((fault) => fault !== undefined)
  const [fault, placement] = [faults[index], placements[index]]
  if (fault === undefined) return { state: 'ready' }
  if (fault !== 'absent') return { state: 'not-ready', ...fault }
  const message = `ClusterProfile ${placement?.namespace}/${placement?.name} is missing in the host.`
  return { state: 'not-ready', reason: 'NotPublished', message }
}
