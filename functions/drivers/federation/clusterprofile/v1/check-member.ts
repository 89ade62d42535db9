import { clusterRoleBindings, namespaces, secrets } from '../../../../kubernetes/resources.ts'
import type { Finding, MemberContext, Preflight } from '../../../contract/federation-driver.ts'
import { addressFindings } from '../../../support/address-findings.ts'
import { attempt, foreignFindings, namespaceFindings, permissionFindings } from '../../../support/findings.ts'
import { memberObjectName } from '../../../support/member/names.ts'
import { memberRoleFindings } from '../../../support/member/role-findings.ts'
import type { Site } from '../../../support/owned.ts'
import { hostSite, memberSite } from '../../../support/sites.ts'
import { missingFinding } from './host/consumer-namespaces.ts'
import { memberWishes } from './host/desired.ts'
import { duplicateFindings } from './host/duplicate-findings.ts'
import { findServedVersion } from './host/served-version.ts'
import { type Placement, placementsOf, profiles } from './names.ts'
import { MEMBER_ROLE, parseProperties } from './schema.ts'

const inMember = async (context: MemberContext, role: string): Promise<Finding[]> => {
  const site = await memberSite(context)
  const name = memberObjectName(context.federation.id)
  const where = `member ${context.member.cluster.name}`
  const parts = await Promise.all([
    attempt(() => permissionFindings(site.client, where, memberWishes(name, role))),
    attempt(() => namespaceFindings(site, name, context.now())),
    attempt(() => foreignFindings(site, clusterRoleBindings, name)),
    attempt(() => memberRoleFindings(site, { name: role, property: MEMBER_ROLE })),
  ])
  return parts.flat()
}

const placementFindings = async (site: Site, { namespace, name }: Placement): Promise<Finding[]> => {
  if ((await site.client.get(namespaces, namespace)) === undefined) {
    return [missingFinding(namespace)]
  }
  const version = await findServedVersion(site.client)
  const found = await Promise.all([
    foreignFindings(site, secrets(namespace), name),
    version === undefined ? [] : foreignFindings(site, profiles(version, namespace), name),
  ])
  return found.flat()
}

const inHost = async (context: MemberContext, [inventory, ...consumers]: Placement[]): Promise<Finding[]> => {
  const site = await hostSite(context)
  const foreignInInventory = async (): Promise<Finding[]> => {
    // At federation create, members are checked before the inventory is made.
    const exists = inventory !== undefined && (await site.client.get(namespaces, inventory.namespace)) !== undefined
    return exists ? placementFindings(site, inventory) : []
  }
  const parts = await Promise.all([
    attempt(foreignInInventory),
    ...consumers.map((placement) => attempt(() => placementFindings(site, placement))),
    attempt(() => duplicateFindings(context, site, consumers)),
  ])
  return parts.flat()
}

/** Preflight of one member, in the member and in the host. */
export const checkMember = async (context: MemberContext): Promise<Preflight> => {
  const { federation, membership } = context
  const { memberRole, consumerNamespaces } = parseProperties(federation.properties)
  const name = memberObjectName(federation.id)
  const placements = placementsOf(federation, membership.memberName, consumerNamespaces)
  const findings = await Promise.all([
    attempt(() => inMember(context, memberRole)),
    attempt(() => inHost(context, placements)),
  ])
  return {
    findings: [...findings.flat(), ...addressFindings(context)],
    wouldMake: [
      `Namespace ${name} in the member`,
      `ServiceAccount ${name}/${name} in the member, with a token`,
      `ClusterRoleBinding ${name} to ClusterRole ${memberRole} in the member`,
      ...placements.flatMap((placement) => [
        `Secret ${placement.namespace}/${placement.name} in the host`,
        `ClusterProfile ${placement.namespace}/${placement.name} in the host`,
      ]),
    ],
  }
}
