import { MEMBER_NAME_MAX } from '../../../../../core/membership/membership.ts'
import { isDnsLabel } from '../../../../../core/values/kubernetes.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { Finding, MemberContext, Preflight } from '../../../../contract/federation-driver.ts'
import { addressFindings, attempt, errorFinding, foreignFindings } from '../../../../support/findings.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import { isOwned, listAll } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { hasControlPlane, withControlPlane } from '../control-plane/open.ts'
import { clusters, controlPlaneSite, executionSpace, IMPERSONATOR, impersonatorSecretName } from '../member/names.ts'
import { clusterFacts } from '../member/status.ts'
import { MEMBERS_NAMESPACE } from '../model/names.ts'
import { parseProperties } from '../model/properties.ts'
import { memberFindings, peerFindings } from './member-findings.ts'

const nameFindings = (name: string): Finding[] =>
  name.length <= MEMBER_NAME_MAX && isDnsLabel(name)
    ? []
    : [
        errorFinding(
          'MemberNameInvalid',
          `Member name '${name}' is no RFC 1123 label of at most ${MEMBER_NAME_MAX} characters.`,
        ),
      ]

/** The name, or this very cluster under another name, is in the control plane, put there by somebody else. */
const takenFindings = async (context: MemberContext, client: KubernetesClient): Promise<Finding[]> => {
  const site = controlPlaneSite(context, client)
  const { memberName, clusterId } = context.membership
  const uid = context.member.cluster.identity?.uid
  const findings: Finding[] = []
  for (const cluster of await listAll(client, clusters)) {
    const { id, clusterId: known } = clusterFacts(cluster)
    if (cluster.metadata.name === memberName && (!isOwned(site, cluster) || known !== clusterId)) {
      const message = `Cluster ${memberName} of the control plane is somebody else's. Unjoin it with the tool that joined it, or choose another name.`
      findings.push(errorFinding('ForeignObject', message))
    } else if (cluster.metadata.name !== memberName && uid !== undefined && id === uid) {
      const message = `The cluster is a member already, by the name ${cluster.metadata.name}. Unjoin it first.`
      findings.push(errorFinding('MemberAlreadyJoined', message))
    }
  }
  return findings
}

const inControlPlane = (context: MemberContext): Promise<Finding[]> =>
  withControlPlane(context, async (client) => {
    const site = controlPlaneSite(context, client)
    const { membership } = context
    const parts = await Promise.all([
      attempt(() => takenFindings(context, client)),
      attempt(() => foreignFindings(site, secrets(MEMBERS_NAMESPACE), membership.memberName)),
      attempt(() =>
        foreignFindings(site, secrets(memberObjectName(site.federationId)), impersonatorSecretName(membership)),
      ),
    ])
    return parts.flat()
  })

/** At federation create, members are checked before there is a control plane. */
const controlPlaneFindings = async (context: MemberContext): Promise<Finding[]> => {
  if (!(await hasControlPlane(context))) return []
  try {
    return await inControlPlane(context)
  } catch (error) {
    if (!(error instanceof Pending)) throw error
    return [
      errorFinding('ControlPlaneUnreachable', `The control plane can't be asked before there is ${error.message}.`),
    ]
  }
}

const rightsInWords = (name: string, role: string | null): string =>
  role === null
    ? `ClusterRole and ClusterRoleBinding ${name} in the member: everything, on objects of every kind, for the control plane`
    : `ClusterRoleBinding ${name} to ClusterRole ${role} in the member: what the control plane may do there`

/** Preflight of one member, in the member and in the control plane. */
export const checkMember = async (context: MemberContext): Promise<Preflight> => {
  const { federation, membership } = context
  const { memberClusterRole } = parseProperties(federation.properties)
  const { memberName } = membership
  const name = memberObjectName(federation.id)
  const named = nameFindings(memberName)
  const findings = await Promise.all([
    attempt(() => memberFindings(context, memberClusterRole)),
    // Nothing can be asked for by a bad name.
    attempt(async () => (named.length > 0 ? [] : controlPlaneFindings(context))),
  ])
  return {
    findings: [...findings.flat(), ...named, ...peerFindings(context), ...addressFindings(context)],
    wouldMake: [
      `Namespace ${name} in the member`,
      `ServiceAccounts ${name}/${name} and ${name}/${IMPERSONATOR} in the member, each with a token`,
      rightsInWords(name, memberClusterRole),
      `ClusterRole and ClusterRoleBinding ${IMPERSONATOR} in the member, made by Karmada: to act for users of clusters/proxy`,
      `Secrets ${MEMBERS_NAMESPACE}/${memberName} and ${name}/${impersonatorSecretName(membership)} in the control plane`,
      `Cluster ${memberName} and namespace ${executionSpace(membership)} in the control plane`,
    ],
  }
}
