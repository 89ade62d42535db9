import type {
  FederationContext,
  FederationDriver,
  Finding,
  MemberContext,
} from '../../../contract/federation-driver.ts'
import { attempt } from '../../../support/findings.ts'
import { memberRoleFindings } from '../../../support/member/role-findings.ts'
import { hostSite, memberSite } from '../../../support/sites.ts'
import { missingFinding, missingNamespaces } from './host/consumer-namespaces.ts'
import { MEMBER_ROLE, parseProperties } from './schema.ts'

/** Consumer namespaces that are not there. @throws what the host's API server answers instead */
export const hostFindings = async (context: FederationContext): Promise<Finding[]> => {
  const { consumerNamespaces } = parseProperties(context.federation.properties)
  return (await missingNamespaces(await hostSite(context), consumerNamespaces)).map(missingFinding)
}

/** What is wrong with the role in one member. @throws what the member's API server answers instead */
export const memberFindings = async (context: MemberContext): Promise<Finding[]> => {
  const { memberRole } = parseProperties(context.federation.properties)
  return memberRoleFindings(await memberSite(context), { name: memberRole, property: MEMBER_ROLE })
}

/** Preflight of changed properties. */
export const checkUpdate: NonNullable<FederationDriver['checkUpdate']> = {
  host: async (context) => ({ findings: await attempt(() => hostFindings(context)), wouldMake: [] }),
  member: async (context) => ({ findings: await attempt(() => memberFindings(context)), wouldMake: [] }),
}
