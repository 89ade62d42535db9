import { CredentialMissing } from '../../../../contract/errors.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import type { MemberContent, ProfileCondition, Way } from '../host/content.ts'
import { CLUSTER_LABEL, CONTROL_PLANE_HEALTHY } from '../names.ts'
import type { MemberFacts } from './facts.ts'

/** metav1.Time has whole seconds. */
const seconds = (time: string): string => time.replace(/\.\d+Z$/, 'Z')

/** The member's API server as consumers in the host reach it. @throws CredentialMissing when no endpoint is known */
const wayTo = ({ member: { cluster } }: MemberContext): Way => {
  const { endpoint } = cluster
  if (endpoint === null) {
    throw new CredentialMissing(`The endpoint of cluster ${cluster.name} is not known. Register the cluster first.`)
  }
  return {
    server: endpoint.serverForPeers ?? endpoint.server,
    ...(endpoint.caPem === null
      ? {}
      : { 'certificate-authority-data': Buffer.from(endpoint.caPem).toString('base64') }),
    ...(endpoint.tlsServerName === null ? {} : { 'tls-server-name': endpoint.tlsServerName }),
    ...(endpoint.tlsVerify ? {} : { 'insecure-skip-tls-verify': true }),
  }
}

/** Sorted, one for each name, ours last so that a ClusterProperty can't pose as it. */
const sorted = (properties: readonly { name: string; value: string }[]): { name: string; value: string }[] =>
  [...new Map(properties.map((property) => [property.name, property])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )

/** What the profile of this member says. @throws CredentialMissing when its endpoint is not known */
export const contentOfMember = (context: MemberContext, facts: MemberFacts): MemberContent => {
  const { cluster } = context.member
  const { status, reason, message } = facts.health
  const lastTransitionTime = seconds(context.now())
  const conditions: ProfileCondition[] = [
    { type: CONTROL_PLANE_HEALTHY, status, reason, message, lastTransitionTime },
    {
      type: 'Joined',
      status: 'True',
      reason: 'ClusterRegistered',
      message: 'The cluster is a member of the federation.',
      lastTransitionTime,
    },
  ]
  return {
    clusterId: cluster.id,
    memberUid: cluster.identity?.uid ?? cluster.id,
    displayName: cluster.name,
    conditions,
    version: facts.version,
    properties: sorted([...facts.properties, { name: CLUSTER_LABEL, value: cluster.id }]),
    way: wayTo(context),
  }
}
