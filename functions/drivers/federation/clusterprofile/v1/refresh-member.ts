import type { MemberContext } from '../../../contract/federation-driver.ts'
import type { StepResult } from '../../../contract/phase.ts'
import { hostSite } from '../../../support/sites.ts'
import { Pending, step } from '../../../support/step.ts'
import { statusOf } from './host/content.ts'
import { findProfile, publishStatus } from './host/publish.ts'
import { findServedVersion } from './host/served-version.ts'
import { contentOfMember } from './member/content-of-member.ts'
import { type MemberFacts, memberFacts } from './member/facts.ts'
import { placementsOf } from './names.ts'
import { parseProperties } from './schema.ts'

/**
 * One look of ours must not overrule what the sweep saw twice: published, it would stay until the observation changes again. A fault
 * that does not pass by itself (another cluster at the address, for example) is one that the sweep may not see, and is told.
 */
const requireAgreement = ({ member }: MemberContext, { health, fault }: MemberFacts): void => {
  const { observation } = member.cluster
  if (observation === null || (fault !== null && !fault.retryable)) return
  if ((observation.healthReason.api === 'ok') === (health.status === 'True')) return
  throw new Pending('a look at the member that agrees with what was observed of its API')
}

/**
 * Brings the status of the member's profiles up to date, wherever they are. Touches no Secret and makes nothing, so that it does no harm
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
      if (profile !== undefined) await publishStatus(site, profile, { content, placement, version })
    }
    return {}
  })
