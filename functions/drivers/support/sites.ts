import type { FederationContext, MemberContext } from '../contract/federation-driver.ts'
import type { Site } from './owned.ts'

export const hostSite = async (context: FederationContext): Promise<Site> => ({
  client: await context.host.client(),
  where: 'host',
  federationId: context.federation.id,
})

export const memberSite = async (context: MemberContext): Promise<Site> => ({
  client: await context.member.client(),
  where: 'member',
  federationId: context.federation.id,
})
