import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import {
  clusterRoleBindings,
  customResourceDefinitions,
  namespaces,
  roles,
  secrets,
} from '../../../../../kubernetes/resources.ts'
import type {
  FederationContext,
  FederationDriver,
  Finding,
  MemberContext,
  Preflight,
} from '../../../../contract/federation-driver.ts'
import {
  addressFindings,
  attempt,
  errorFinding,
  foreignFindings,
  memberRoleFindings,
  namespaceFindings,
  permissionFindings,
  warningFinding,
} from '../../../../support/findings.ts'
import { bindingManifest } from '../../../../support/member/account.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import { namespaceManifest } from '../../../../support/namespace.ts'
import { hostSite, memberSite, type Site } from '../../../../support/owned.ts'
import { type Rehearsed, rehearsalFindings } from '../../../../support/rehearse.ts'
import { findServedVersion } from '../host/inventory.ts'
import { type Placement, PROFILE_CRD, placementsOf, profiles, READER_ROLE } from '../names.ts'
import { crdFault, isOurCrd, isOutdated } from '../phases/crd.ts'
import { CONSUMER_NAMESPACES, inventoryNamespace, MEMBER_ROLE, parseProperties } from '../schema.ts'
import {
  accessInHost,
  accessInMember,
  duplicateFindings,
  editedFindings,
  missingFinding,
  missingNamespaces,
} from './findings.ts'

const crdFindings = (crd: KubernetesObject | undefined): Finding[] => {
  const fault = crd === undefined || isOurCrd(crd) ? undefined : crdFault(crd)
  return fault === undefined ? [] : [errorFinding('ForeignObject', fault)]
}

/** What would become of the CRD, by the observation of the host. */
const crdFate = (crd: KubernetesObject | undefined): string => {
  if (crd === undefined) return ''
  return isOutdated(crd) ? ': exists already and is brought up to date' : ': exists already and is kept'
}

/** Missing consumer namespaces: only reported, since they may well be made before the first member joins. */
const consumerFindings = async (site: Site, names: readonly string[]): Promise<Finding[]> =>
  (await missingNamespaces(site, names)).map((name) =>
    warningFinding(
      'ConsumerNamespaceMissing',
      `Namespace ${name} of property ${CONSUMER_NAMESPACES} does not exist in the host; no member can join before it does.`,
    ),
  )

/** Preflight of the host. */
export const checkHost = async (context: FederationContext): Promise<Preflight> => {
  const namespace = inventoryNamespace(context.federation.id)
  const { consumerNamespaces } = parseProperties(context.federation.properties)
  let fate = ', where there is none'
  const checkCrd = async ({ client }: Site): Promise<Finding[]> => {
    const crd = await client.get(customResourceDefinitions, PROFILE_CRD)
    fate = crdFate(crd)
    return crdFindings(crd)
  }
  const findings = await attempt(async () => {
    const site = await hostSite(context)
    const parts = await Promise.all([
      attempt(() => permissionFindings(site.client, 'the host', accessInHost(namespace, consumerNamespaces))),
      attempt(() => namespaceFindings(site, namespace, context.now())),
      attempt(() =>
        rehearsalFindings(site, [
          { resource: namespaces, object: namespaceManifest(context.federation.id, namespace) },
        ]),
      ),
      attempt(() => foreignFindings(site, roles(namespace), READER_ROLE)),
      attempt(() => checkCrd(site)),
      attempt(() => consumerFindings(site, consumerNamespaces)),
      attempt(() => editedFindings(site, consumerNamespaces)),
    ])
    return parts.flat()
  })
  return {
    findings,
    wouldMake: [
      `Namespace ${namespace} in the host`,
      `CustomResourceDefinition ${PROFILE_CRD} in the host${fate}`,
      `Role ${namespace}/${READER_ROLE} in the host, bound to nobody`,
    ],
  }
}

/** What can be asked for before its namespace is there. */
const madeInMember = (federationId: string, role: string): Rehearsed[] => [
  { resource: namespaces, object: namespaceManifest(federationId, memberObjectName(federationId)) },
  { resource: clusterRoleBindings, object: bindingManifest(federationId, role) },
]

const inMember = async (context: MemberContext, role: string): Promise<Finding[]> => {
  const site = await memberSite(context)
  const name = memberObjectName(context.federation.id)
  const where = `member ${context.member.cluster.name}`
  const parts = await Promise.all([
    attempt(() => permissionFindings(site.client, where, accessInMember(name, role))),
    attempt(() => namespaceFindings(site, name, context.now())),
    attempt(() => foreignFindings(site, clusterRoleBindings, name)),
    attempt(() => rehearsalFindings(site, madeInMember(context.federation.id, role))),
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

const memberInHost = async (context: MemberContext, [inventory, ...consumers]: Placement[]): Promise<Finding[]> => {
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
    attempt(() => memberInHost(context, placements)),
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

/** Consumer namespaces that are not there, or that people edit in. @throws what the host's API server answers instead */
export const hostFindings = async (context: FederationContext): Promise<Finding[]> => {
  const { consumerNamespaces } = parseProperties(context.federation.properties)
  const site = await hostSite(context)
  const missing = await missingNamespaces(site, consumerNamespaces)
  return [...missing.map(missingFinding), ...(await editedFindings(site, consumerNamespaces))]
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
