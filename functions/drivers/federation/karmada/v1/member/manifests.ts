import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Manifest, OwnerReference } from '../../../../../kubernetes/manifest.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import { memberObjectName } from '../../../../support/member/names.ts'
import { ownerLabels } from '../../../../support/owned.ts'
import { CLUSTER_VERSION } from '../control-plane/aggregation.ts'
import { CLUSTER_GROUP, MEMBERS_NAMESPACE } from '../names.ts'
import type { KarmadaCredential } from './credential.ts'
import { CLUSTER_LABEL, impersonatorSecretName } from './names.ts'
import { peerOf } from './peer.ts'

/** On a Secret: when its token took the place of another one that the control plane's watches may still use. ISO-8601 UTC. */
export const PUBLISHED_ANNOTATION = 'fedplane.io/token-published-at'

const API_VERSION = `${CLUSTER_GROUP}/${CLUSTER_VERSION}`

const encode = (text: string): string => Buffer.from(text).toString('base64')

const labelsOf = ({ federation, membership }: MemberContext): Record<string, string> => ({
  ...ownerLabels(federation.id),
  [CLUSTER_LABEL]: membership.clusterId,
})

/** As Karmada's own join, so that its garbage collector removes what we might leave. */
const ownersOf = ({ membership }: MemberContext, uid: string | undefined): OwnerReference[] =>
  uid === undefined
    ? []
    : [{ apiVersion: API_VERSION, kind: 'Cluster', name: membership.memberName, uid, controller: true }]

export type SecretFacts = {
  /** uid of the member's Cluster; undefined before it is there. */
  ownerUid: string | undefined
  /** Value of `PUBLISHED_ANNOTATION`; undefined when no watch may use an older token. */
  publishedAt?: string | undefined
}

/** What Karmada gets into the member with. */
export const tokenSecret = (
  context: MemberContext,
  { token, caBundle }: KarmadaCredential,
  { ownerUid, publishedAt }: SecretFacts,
): Manifest<'Secret'> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: context.membership.memberName,
    namespace: MEMBERS_NAMESPACE,
    labels: labelsOf(context),
    ...(publishedAt === undefined ? {} : { annotations: { [PUBLISHED_ANNOTATION]: publishedAt } }),
    ownerReferences: ownersOf(context, ownerUid),
  },
  type: 'Opaque',
  data: { token: encode(token), ...(caBundle === null ? {} : { caBundle: encode(caBundle) }) },
})

/** What `clusters/proxy` gets into the member with: in the namespace that Karmada takes for the account's in the member. */
export const impersonatorSecret = (
  context: MemberContext,
  token: string,
  ownerUid: string | undefined,
): Manifest<'Secret'> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: impersonatorSecretName(context.membership),
    namespace: memberObjectName(context.federation.id),
    labels: labelsOf(context),
    ownerReferences: ownersOf(context, ownerUid),
  },
  type: 'Opaque',
  data: { token: encode(token) },
})

/** The member, as Karmada knows it. */
export const clusterManifest = (context: MemberContext, { impersonatorToken }: KarmadaCredential): KubernetesObject => {
  const { federation, membership, member } = context
  const { memberName } = membership
  const { server, caBundle } = peerOf(member.cluster)
  const impersonator = { namespace: memberObjectName(federation.id), name: impersonatorSecretName(membership) }
  return {
    apiVersion: API_VERSION,
    kind: 'Cluster',
    metadata: { name: memberName, labels: labelsOf(context) },
    spec: {
      syncMode: 'Push',
      apiEndpoint: server,
      ...(member.cluster.identity === null ? {} : { id: member.cluster.identity.uid }),
      provider: member.cluster.driver.replace(/@.*/, ''),
      secretRef: { namespace: MEMBERS_NAMESPACE, name: memberName },
      ...(impersonatorToken === null ? {} : { impersonatorSecretRef: impersonator }),
      ...(caBundle === null ? { insecureSkipTLSVerification: true } : {}),
    },
  }
}
