import { operationOf } from '../../../../core/membership/membership.ts'
import type { Secret } from '../../../../core/values/secret.ts'
import { CredentialMissing } from '../../../contract/errors.ts'
import type { MemberContext } from '../../../contract/federation-driver.ts'
import type { StepResult } from '../../../contract/phase.ts'
import { memberObjectName } from '../../../support/member/names.ts'
import { removeOlderTokens } from '../../../support/member/token-secret.ts'
import { hostSite } from '../../../support/sites.ts'
import { step } from '../../../support/step.ts'
import { statusOf } from './host/content.ts'
import { findProfile, publish, requireNamespace } from './host/publish.ts'
import { servedVersion } from './host/served-version.ts'
import { contentOfMember } from './member/content-of-member.ts'
import { type MemberFacts, memberFacts, type Published } from './member/facts.ts'
import { CONTROL_PLANE_HEALTHY, placementsOf } from './names.ts'
import { parseProperties } from './schema.ts'

const storedToken = async (context: MemberContext): Promise<Secret> => {
  const token = await context.memberToken()
  if (token !== undefined) return token
  throw new CredentialMissing(
    `No credential for member ${context.membership.memberName} is stored. Remove it from the federation and add it again.`,
  )
}

/** base64 for a Secret's `data`: exactly the token, since the secretreader plugin does not trim it. */
export const encodeToken = (token: Secret): string => Buffer.from(token.reveal()).toString('base64')

/** A look at the member, but for its health when that is published already: two looks of the sweep outweigh this one. */
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
    const [inventory, ...consumers] = placementsOf(federation, membership.memberName, consumerNamespaces)
    const published = async () => statusOf(await findProfile(site, version, inventory))
    const content = contentOfMember(context, await firstFacts(context, published))
    await publish(site, trace, { content, token, version, placement: inventory })
    for (const placement of consumers) {
      await requireNamespace(site, placement.namespace)
      await publish(site, trace, { content, token, version, placement })
    }
    if (operationOf(membership)?.kind === 'rotate') await removeOlderTokens(context, [memberObjectName(federation.id)])
    return {}
  })
