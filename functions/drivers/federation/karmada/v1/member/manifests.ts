import { rootCertificates } from 'node:tls'
import * as z from 'zod'
import type { Cluster } from '../../../../../core/cluster/cluster.ts'
import { Secret } from '../../../../../core/values/secret.ts'
import { hostOf } from '../../../../../kubernetes/address-guard.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Manifest, OwnerReference } from '../../../../../kubernetes/manifest.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import { ownerLabels } from '../../../../support/owned.ts'
import { CLUSTER_VERSION } from '../control-plane/content.ts'
import { CLUSTER_GROUP, MEMBERS_NAMESPACE } from '../model/names.ts'
import { CLUSTER_LABEL, impersonatorSecretName } from './names.ts'

const Credential = z.object({
  token: z.string().min(1),
  /** PEM; null where the member's certificate is not checked. */
  caBundle: z.string().nullable(),
  /** Null where another Karmada has the impersonator of this member. */
  impersonatorToken: z.string().min(1).nullable(),
})

/** What the control plane needs to get into a member: the text of the stored credential. */
export type KarmadaCredential = z.infer<typeof Credential>

export const sealedCredential = (credential: KarmadaCredential): Secret => new Secret(JSON.stringify(credential))

/** The stored credential; undefined before `prepareMember`. @throws ZodError for a text that is not ours */
export const storedCredential = async (context: MemberContext): Promise<KarmadaCredential | undefined> => {
  const token = await context.memberToken()
  return token === undefined ? undefined : Credential.parse(JSON.parse(token.reveal()))
}

/** The bearer tokens in a stored credential. @throws ZodError for a text that is not ours */
export const tokensIn = (credential: Secret): Secret[] => {
  const { token, impersonatorToken } = Credential.parse(JSON.parse(credential.reveal()))
  return [token, ...(impersonatorToken === null ? [] : [impersonatorToken])].map((text) => new Secret(text))
}

/** @throws CredentialMissing */
export const requireCredential = async (context: MemberContext): Promise<KarmadaCredential> => {
  const credential = await storedCredential(context)
  if (credential !== undefined) return credential
  throw new CredentialMissing(
    `No credential for member ${context.membership.memberName} is stored. Remove it from the federation and add it again.`,
  )
}

/** How the control plane is to reach a member. */
type Peer = {
  /** `https://host:port[/path]`. */
  server: string
  /** PEM; null where the certificate is not checked. */
  caBundle: string | null
  /** Name in the member's certificate that is not the host of `server`: Karmada can't be told one. */
  tlsServerName: string | null
}

/**
 * The member's API server as its peers see it, and the authorities that vouch for it. Karmada knows no authorities of its own, so a certificate of a
 * public one is given all of those.
 *
 * @throws CredentialMissing when no endpoint is known
 */
export const peerOf = ({ endpoint, name }: Pick<Cluster, 'endpoint' | 'name'>): Peer => {
  if (endpoint === null) {
    throw new CredentialMissing(`The endpoint of cluster ${name} is not known. Register the cluster first.`)
  }
  const server = (endpoint.serverForPeers ?? endpoint.server).replace(/\/+$/, '')
  const { tlsVerify, tlsServerName } = endpoint
  return {
    server,
    caBundle: tlsVerify ? (endpoint.caPem ?? rootCertificates.join('\n')) : null,
    tlsServerName: tlsVerify && tlsServerName !== hostOf(new URL(server)) ? tlsServerName : null,
  }
}

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
  { token }: KarmadaCredential,
  { ownerUid, publishedAt }: SecretFacts,
): Manifest<'Secret'> => {
  // As it is by now: the stored one is of the time when the credential was made.
  const { caBundle } = peerOf(context.member.cluster)
  return {
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
  }
}

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

const TokenSecret = z.object({ data: z.object({ token: z.string(), caBundle: z.string().optional() }) })

const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8')

/** Token and CAs in a member's Secret of the control plane; undefined where there is none that can be read. */
export const tokenIn = (secret: KubernetesObject | undefined): { token: string; caPem: string | null } | undefined => {
  const { data } = TokenSecret.safeParse(secret)
  if (data === undefined) return undefined
  const { token, caBundle } = data.data
  return { token: decode(token), caPem: caBundle === undefined ? null : decode(caBundle) }
}
