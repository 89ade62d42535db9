import { isDeepStrictEqual } from 'node:util'
import { operationOf } from '../../../../../core/membership/membership.ts'
import type { ObjectRef } from '../../../../../core/values/object-ref.ts'
import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { namespaces, secrets } from '../../../../../kubernetes/resources.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import type { StepResult } from '../../../../contract/phase.ts'
import { memberObjectName, removeOlderTokens } from '../../../../support/member/tokens.ts'
import {
  ensureSeen,
  isOwned,
  isTerminating,
  nameOf,
  refOf,
  requireOwned,
  type Site,
} from '../../../../support/owned.ts'
import { Pending, settleAll, step, type Trace } from '../../../../support/step.ts'
import { hasControlPlane, workInControlPlane } from '../control-plane/open.ts'
import { MEMBERS_NAMESPACE } from '../model/names.ts'
import type { KarmadaOptions } from '../model/options.ts'
import {
  clusterManifest,
  impersonatorSecret,
  type KarmadaCredential,
  PUBLISHED_ANNOTATION,
  peerOf,
  requireCredential,
  type SecretFacts,
  tokenIn,
  tokenSecret,
} from './manifests.ts'
import { clusters, controlPlaneSite, executionSpace, IMPERSONATOR, impersonatorSecretName } from './names.ts'
import { requireRestartAfter } from './restart.ts'
import { clusterFacts, yieldProxy } from './status.ts'

type Published = { cluster: KubernetesObject; secret: KubernetesObject }

type Seen = {
  cluster: KubernetesObject | undefined
  secret: KubernetesObject | undefined
  impersonator: KubernetesObject | undefined
}

/**
 * The Cluster and tokens of that name as they are. @throws ForeignObject for somebody else's; Pending while an earlier membership of that name is
 * still being removed: a Cluster that is made meanwhile would get its namespace's end.
 */
const observeExisting = async (site: Site, name: string): Promise<Seen> => {
  const space = executionSpace({ memberName: name })
  const [cluster, secret, impersonator, namespace] = await settleAll([
    () => site.client.get(clusters, name),
    () => site.client.get(secrets(MEMBERS_NAMESPACE), name),
    () => site.client.get(secrets(memberObjectName(site.federationId)), impersonatorSecretName({ memberName: name })),
    () => site.client.get(namespaces, space),
  ])
  for (const object of [cluster, secret]) {
    if (object === undefined) continue
    requireOwned(site, object)
    if (isTerminating(object)) throw new Pending(`${nameOf(site, object)} to be gone before it is made again`)
  }
  if (namespace !== undefined && isTerminating(namespace)) {
    throw new Pending(`namespace ${space} of an earlier membership to be gone from the control plane`)
  }
  return { cluster, secret, impersonator }
}

/** True when Karmada's watches of the member, which keep what they began with, are with what is wanted: token, authorities and address. */
const isInUse = ({ member }: MemberContext, { cluster, secret }: Published, wanted: KubernetesObject): boolean => {
  const { server, caBundle } = peerOf(member.cluster)
  const { apiEndpoint, insecureSkipTLSVerification } = clusterFacts(cluster)
  return (
    isDeepStrictEqual(tokenIn(secret), tokenIn(wanted)) &&
    apiEndpoint === server &&
    insecureSkipTLSVerification === (caBundle === null)
  )
}

/** When what Karmada gets into the member with took the place of what its watches may use; undefined when it did not. */
const publishedAt = (
  context: MemberContext,
  { cluster, secret }: Pick<Seen, 'cluster' | 'secret'>,
  wanted: KubernetesObject,
): string | undefined => {
  if (cluster === undefined || secret === undefined) return undefined
  return isInUse(context, { cluster, secret }, wanted)
    ? secret.metadata.annotations?.[PUBLISHED_ANNOTATION]
    : context.now()
}

type Publishing = { context: MemberContext; site: Site; trace: Trace; credential: KarmadaCredential }

/** That of the member's token, then that of the impersonator's, if it has one. */
const secretsOf = ({ context, credential }: Publishing, facts: SecretFacts): KubernetesObject[] => {
  const { impersonatorToken } = credential
  const impersonator =
    impersonatorToken === null ? [] : [impersonatorSecret(context, impersonatorToken, facts.ownerUid)]
  return [tokenSecret(context, credential, facts), ...impersonator]
}

const resourceOf = ({ metadata }: KubernetesObject): Resource => secrets(metadata.namespace ?? '')

const ensureSecrets = async (
  publishing: Publishing,
  { secret, impersonator }: Seen,
  facts: SecretFacts,
): Promise<void> => {
  const { site, trace } = publishing
  const existing = [secret, impersonator]
  const made = await settleAll(
    secretsOf(publishing, facts).map((wanted, at) => () => ensureSeen(site, resourceOf(wanted), wanted, existing[at])),
  )
  for (const one of made) trace.made(refOf(site, one))
}

/** The Secrets that were just made: no observation needed. */
const ownSecrets = async (publishing: Publishing, facts: SecretFacts): Promise<void> => {
  const { client } = publishing.site
  await settleAll(secretsOf(publishing, facts).map((secret) => () => client.apply(resourceOf(secret), secret)))
}

/** What Karmada makes in the member for `clusters/proxy`: ours to take away, and to tell, where it can't. */
const impersonatorRefs = (): ObjectRef[] =>
  ['ClusterRole', 'ClusterRoleBinding'].map((kind) => ({
    where: 'member',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    namespace: '',
    name: IMPERSONATOR,
    uid: '',
  }))

/** Secrets first, since Karmada checks a Cluster at once; then the Cluster; then it becomes the Secrets' owner. */
const publish = async (publishing: Publishing): Promise<string | undefined> => {
  const { context, site, trace, credential } = publishing
  const seen = await observeExisting(site, context.membership.memberName)
  const ownerUid = seen.cluster?.metadata.uid
  const published = publishedAt(context, seen, tokenSecret(context, credential, { ownerUid }))
  await ensureSecrets(publishing, seen, { ownerUid, publishedAt: published })
  const cluster = await ensureSeen(site, clusters, clusterManifest(context, credential), seen.cluster)
  trace.made(refOf(site, cluster))
  if (credential.impersonatorToken !== null) for (const ref of impersonatorRefs()) trace.made(ref)
  else if (clusterFacts(cluster).impersonatorSecretRef !== undefined) await yieldProxy(site, cluster.metadata.name)
  if (ownerUid === undefined) await ownSecrets(publishing, { ownerUid: cluster.metadata.uid, publishedAt: published })
  return published
}

/** Cluster and token Secret of a member that is registered; undefined where one is missing, goes, or is not ours. */
const findPublished = async (site: Site, name: string): Promise<Published | undefined> => {
  const [cluster, secret] = await settleAll([
    () => site.client.get(clusters, name),
    () => site.client.get(secrets(MEMBERS_NAMESPACE), name),
  ])
  const isThere = (object: KubernetesObject | undefined): object is KubernetesObject =>
    object !== undefined && isOwned(site, object) && !isTerminating(object)
  return isThere(cluster) && isThere(secret) ? { cluster, secret } : undefined
}

/** Address and authorities, written into what is there: a patch makes nothing that is gone meanwhile. */
const republish = async (site: Site, context: MemberContext, seen: Published): Promise<string | undefined> => {
  const credential = await requireCredential(context)
  const ownerUid = seen.cluster.metadata.uid
  const wanted = tokenSecret(context, credential, { ownerUid })
  // Another token is for a repair.
  if (tokenIn(seen.secret)?.token !== credential.token) return undefined
  const published = publishedAt(context, seen, wanted)
  const name = context.membership.memberName
  const { server, caBundle } = peerOf(context.member.cluster)
  if (!isInUse(context, seen, wanted)) {
    await site.client.patch(secrets(MEMBERS_NAMESPACE), name, {
      metadata: { annotations: { [PUBLISHED_ANNOTATION]: published } },
      data: { caBundle: null, ...wanted.data },
    })
    const insecureSkipTLSVerification = caBundle === null ? true : null
    await site.client.patch(clusters, name, { spec: { apiEndpoint: server, insecureSkipTLSVerification } })
  }
  return published
}

/**
 * Has the control plane reach a registered member where it is by now, under the authorities that vouch for it now. Karmada checks health and version
 * itself. Makes nothing, and never talks to the member.
 */
export const refreshMember = (context: MemberContext, options: KarmadaOptions): Promise<StepResult> =>
  step(async () => {
    if (!(await hasControlPlane(context))) return {}
    const published = await workInControlPlane(context, async (client) => {
      const site = controlPlaneSite(context, client)
      const seen = await findPublished(site, context.membership.memberName)
      return seen && republish(site, context, seen)
    })
    if (published !== undefined) await requireRestartAfter(context, published, options)
    return {}
  })

/**
 * Makes the member known to the control plane. A token that took the place of another is in force once karmada-controller-manager has started
 * again; in a rotation the older ones go then, and no earlier.
 */
export const registerMember = (context: MemberContext, options: KarmadaOptions): Promise<StepResult> =>
  step(async (trace) => {
    const credential = await requireCredential(context)
    const published = await workInControlPlane(context, (client) =>
      publish({ context, site: controlPlaneSite(context, client), trace, credential }),
    )
    if (published !== undefined) await requireRestartAfter(context, published, options)
    if (operationOf(context.membership)?.kind !== 'rotate') return {}
    return { gone: await removeOlderTokens(context, [memberObjectName(context.federation.id), IMPERSONATOR]) }
  })
