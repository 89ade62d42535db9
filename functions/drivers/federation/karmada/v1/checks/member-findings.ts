import { isAppError } from '../../../../../core/values/app-error.ts'
import type { Access } from '../../../../../kubernetes/access-review.ts'
import { clusterRoleBindings, clusterRoles, namespaces } from '../../../../../kubernetes/resources.ts'
import type { Finding, MemberContext } from '../../../../contract/federation-driver.ts'
import {
  accessTo,
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
import { memberSite, type Site } from '../../../../support/owned.ts'
import { type Rehearsed, rehearsalFindings } from '../../../../support/rehearse.ts'
import { type Claims, holderOfName, impersonatorOwner, nameTaken, readClaims } from '../member/claims.ts'
import { peerOf } from '../member/manifests.ts'
import { roleManifest } from '../member/prepare.ts'
import { MEMBER_CLUSTER_ROLE } from '../model/properties.ts'

/** First minor version whose token Secrets, server-side apply and `fieldValidation` are as we use them. */
const MEMBER_MINOR_MIN = 25

const WRITE = ['get', 'create', 'patch', 'delete']
const RBAC = 'rbac.authorization.k8s.io'

/**
 * Everything that the driver does in a member. To grant everything one must have everything, or the verbs `escalate` and `bind`: the second can be
 * asked for.
 */
const accessInMember = (namespace: string, role: string | null): Access[] => [
  ...accessTo(WRITE, { group: '', resource: 'namespaces' }),
  ...accessTo(WRITE, { group: '', resource: 'serviceaccounts', namespace }),
  ...accessTo(['list'], { group: '', resource: 'serviceaccounts' }),
  ...accessTo(['create'], { group: '', resource: 'serviceaccounts/token', namespace }),
  ...accessTo(['list', ...WRITE], { group: '', resource: 'secrets', namespace }),
  ...accessTo(WRITE, { group: RBAC, resource: 'clusterrolebindings' }),
  ...(role === null
    ? accessTo([...WRITE, 'escalate', 'bind'], { group: RBAC, resource: 'clusterroles' })
    : accessTo(['bind'], { group: RBAC, resource: 'clusterroles', name: role })),
]

const versionFindings = async ({ client }: Site): Promise<Finding[]> => {
  const { major, minor, gitVersion } = await client.version()
  if (major === null || minor === null || major > 1 || minor >= MEMBER_MINOR_MIN) return []
  return [
    errorFinding('MemberTooOld', `The member runs Kubernetes ${gitVersion}; 1.${MEMBER_MINOR_MIN} or later is needed.`),
  ]
}

const impersonatorFindings = async (site: Site, claims: Claims): Promise<Finding[]> => {
  if ((await impersonatorOwner(site, claims)) !== 'foreign') return []
  return [
    warningFinding(
      'ProxyDisabled',
      'Another Karmada has this cluster as a member. It can be a member of both, but clusters/proxy of this federation will not lead into it. ' +
        'Let each of them spread objects of its own: one that both spread would be overwritten, and deleted, by either.',
    ),
  ]
}

/** What other control planes have the member for. */
const othersFindings = async (site: Site, memberName: string): Promise<Finding[]> => {
  const claims = await readClaims(site.client)
  const holder = await holderOfName(site, claims, memberName)
  const taken = holder === undefined ? [] : [errorFinding('MemberNameTaken', nameTaken(memberName, holder))]
  return [...taken, ...(await impersonatorFindings(site, claims))]
}

const roleFindings = (site: Site, role: string | null): Promise<Finding[]> =>
  role === null
    ? foreignFindings(site, clusterRoles, memberObjectName(site.federationId))
    : memberRoleFindings(site, { name: role, property: MEMBER_CLUSTER_ROLE })

/** What can be asked for before its namespace is there. */
const madeInMember = (federationId: string, role: string | null): Rehearsed[] => {
  const name = memberObjectName(federationId)
  return [
    { resource: namespaces, object: namespaceManifest(federationId, name) },
    ...(role === null ? [{ resource: clusterRoles, object: roleManifest(federationId) }] : []),
    { resource: clusterRoleBindings, object: bindingManifest(federationId, role ?? name) },
  ]
}

/** Faults of the member itself, and of its address as the control plane is to use it. */
export const memberFindings = async (context: MemberContext, role: string | null): Promise<Finding[]> => {
  const site = await memberSite(context)
  const name = memberObjectName(site.federationId)
  const where = `member ${context.member.cluster.name}`
  const parts = await Promise.all([
    attempt(() => permissionFindings(site.client, where, accessInMember(name, role))),
    attempt(() => versionFindings(site)),
    attempt(() => namespaceFindings(site, name, context.now())),
    attempt(() => foreignFindings(site, clusterRoleBindings, name)),
    attempt(() => rehearsalFindings(site, madeInMember(site.federationId, role))),
    attempt(() => roleFindings(site, role)),
    attempt(() => othersFindings(site, context.membership.memberName)),
  ])
  return parts.flat()
}

/** Karmada takes a URL, authorities and a token; what else a kubeconfig may say of a server it can't be told. */
export const peerFindings = ({ member }: MemberContext): Finding[] => {
  try {
    const { tlsServerName, server, caBundle } = peerOf(member.cluster)
    if (tlsServerName !== null) {
      return [
        errorFinding(
          'TlsServerNameUnsupported',
          `The certificate of the member is for ${tlsServerName}, and Karmada checks it for the host of ${server}. ` +
            "Register the cluster with server_for_peers, a URL with a name that is in the API server's certificate.",
        ),
      ]
    }
    if (caBundle !== null) return []
    const message = `The control plane will not check the certificate of ${server} either, since the cluster was registered so.`
    return [warningFinding('TlsNotVerified', message)]
  } catch (error) {
    if (!isAppError(error)) throw error
    return [errorFinding(error.name, error.message)]
  }
}
