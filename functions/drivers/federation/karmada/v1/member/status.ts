import { setTimeout } from 'node:timers/promises'
import * as z from 'zod'
import { isAppError } from '../../../../../core/values/app-error.ts'
import { withoutFullStop } from '../../../../../core/values/wording.ts'
import type { Connect, Connection, KubernetesObject } from '../../../../../kubernetes/client.ts'
import {
  AddressForbidden,
  ConnectFailed,
  ConnectTimedOut,
  CredentialRejected,
  DnsLookupFailed,
  PermissionDenied,
  RequestTimedOut,
  TlsVerificationFailed,
} from '../../../../../kubernetes/errors.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { MemberObservation } from '../../../../contract/federation-driver.ts'
import { memberObjectName } from '../../../../support/member/tokens.ts'
import { deleteOwned, isOwned, isTerminating, listAll, type Site } from '../../../../support/owned.ts'
import { whoAmI } from '../../../../support/who-am-i.ts'
import { conditionOf } from '../control-plane/apply-all.ts'
import { type ImpersonatorOwner, impersonatorOwner, readClaims } from './claims.ts'
import { unlessGone } from './leaving.ts'
import { CLUSTER_LABEL, clusters, executionSpace, impersonatorSecretName, works } from './names.ts'
import { isImpersonators } from './works.ts'

const Cluster = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({
    id: z.string().optional(),
    apiEndpoint: z.string().default(''),
    insecureSkipTLSVerification: z.boolean().default(false),
    impersonatorSecretRef: z.object({ name: z.string() }).optional(),
  }),
})

/** What is used of a Cluster. */
export const clusterFacts = (cluster: KubernetesObject) => {
  const { metadata, spec } = Cluster.parse(cluster)
  return { ...spec, clusterId: metadata.labels[CLUSTER_LABEL] }
}

/** `unknown` needs an observation of the member itself: `said` is what Karmada says of it. */
export type ClusterStatus = MemberObservation | { state: 'unknown'; said: string }

const notReady = (reason: string, message: string): ClusterStatus => ({ state: 'not-ready', reason, message })

/** What the control plane says of a member by its Cluster. `uid` is the identity that the member must have. */
export const clusterStatus = (
  site: Site,
  cluster: KubernetesObject | undefined,
  uid: string | undefined,
): ClusterStatus => {
  if (cluster === undefined) return { state: 'absent' }
  const name = `Cluster ${cluster.metadata.name} of the control plane`
  if (!isOwned(site, cluster)) return notReady('ForeignObject', `${name} is not this federation's.`)
  if (isTerminating(cluster)) return notReady('ClusterTerminating', `${name} is being deleted.`)
  const { id } = clusterFacts(cluster)
  if (uid !== undefined && id !== uid) return notReady('MemberIdDiffers', `${name} is about another cluster: spec.id.`)
  const ready = conditionOf(cluster, 'Ready')
  if (ready === undefined) return notReady('MemberNotObserved', `Karmada has not checked the member yet.`)
  if (ready.status !== 'True') return { state: 'unknown', said: `${ready.reason}: ${ready.message}` }
  return { state: 'ready' }
}

/** Why a member does not work: what Karmada alone calls ClusterNotReachable. Reasons are those of the driver's README. */
type Diagnosis = { reason: string; message: string }

const REASONS = [
  ['MemberCredentialRejected', CredentialRejected],
  ['MemberCredentialRejected', PermissionDenied],
  ['MemberTlsFailed', TlsVerificationFailed],
  ['MemberUnreachable', ConnectFailed],
  ['MemberUnreachable', ConnectTimedOut],
  ['MemberUnreachable', DnsLookupFailed],
  ['MemberUnreachable', RequestTimedOut],
  ['MemberUnreachable', AddressForbidden],
] as const

/** The kind of fault: credential, TLS, network, or the API itself. */
export const reasonFor = (error: unknown): string =>
  REASONS.find(([, type]) => error instanceof type)?.[0] ?? 'MemberApiFailing'

const probe = async (connect: Connect, connection: Connection): Promise<Diagnosis | null> => {
  const client = connect(connection)
  try {
    await whoAmI(client)
    const { status } = await client.raw('/readyz')
    return status === 200
      ? null
      : { reason: 'MemberApiFailing', message: `GET /readyz of the member answers ${status}.` }
  } finally {
    client.close()
  }
}

/**
 * Checks a member with the credential that the control plane has. `said` is what Karmada says of it, for the case that nothing is wrong from here.
 */
export const diagnose = async (connect: Connect, connection: Connection, said: string): Promise<Diagnosis> => {
  try {
    const found = await probe(connect, connection)
    if (found !== null) return found
    const message =
      `Karmada says ${withoutFullStop(said)}, but the member answers from here with the same credential. If that lasts for ` +
      'more than a minute, see whether the pods of the host can reach its address.'
    return { reason: 'MemberUnreachableFromHost', message }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { reason: reasonFor(error), message: error.message }
  }
}

/** Milliseconds for an observation of whose `clusters/proxy` is: a member that does not answer is no reason to know nothing of the others. */
const OBSERVE_TIMEOUT_MS = 4000

const disabled = (message: string): MemberObservation => ({ state: 'ready', reason: 'ProxyDisabled', message })

const HELD = disabled(
  'Another Karmada has this member too, so clusters/proxy of this federation does not lead into it. Let each of them spread objects of its own: ' +
    'one that both spread would be overwritten, and deleted, by either.',
)

const HEALS = disabled(
  'Another Karmada had this member too, and has let go of it: clusters/proxy of this federation leads into it again after the next renewal of its ' +
    'credential, which comes once a month, or when it is removed from the federation and added again.',
)

/** The owner by what is in the member; undefined when that can't be learnt now. */
const ownerSeen = async (
  connect: Connect,
  connection: Connection,
  federationId: string,
): Promise<ImpersonatorOwner | undefined> => {
  const client = connect(connection)
  const ended = new AbortController()
  try {
    const late = setTimeout(OBSERVE_TIMEOUT_MS, undefined, { ref: false, signal: ended.signal })
    const seen = readClaims(client).then((claims) => impersonatorOwner({ client, federationId }, claims))
    return await Promise.race([seen, late])
  } catch (error) {
    if (isAppError(error)) return undefined
    throw error
  } finally {
    ended.abort()
    client.close()
  }
}

/**
 * Leaves `clusters/proxy` of a member to another Karmada: without the reference Karmada makes nothing for it any more, and what it made it no longer
 * puts back once the Works are gone. The other one makes its own again.
 */
export const yieldProxy = async (site: Site, memberName: string): Promise<void> => {
  const { client, federationId } = site
  await unlessGone(() => client.patch(clusters, memberName, { spec: { impersonatorSecretRef: null } }))
  const space = works(executionSpace({ memberName }))
  for (const { metadata } of (await listAll(client, space)).filter(isImpersonators)) {
    await unlessGone(() => client.delete(space, metadata.name, metadata.uid === undefined ? {} : { uid: metadata.uid }))
  }
  const resource = secrets(memberObjectName(federationId))
  const secret = await client.get(resource, impersonatorSecretName({ memberName }))
  if (secret !== undefined) await deleteOwned(site, resource, secret)
}

/**
 * What a ready member's `clusters/proxy` is like, by an observation of the member. One that another Karmada has by now is left to it: else both would
 * write the same objects without end.
 */
export const proxyStatus = async (
  site: Site,
  cluster: KubernetesObject,
  { connect, connection }: { connect: Connect; connection: Connection | undefined },
): Promise<MemberObservation> => {
  const isOn = clusterFacts(cluster).impersonatorSecretRef !== undefined
  const owner = connection && (await ownerSeen(connect, connection, site.federationId))
  if (owner === undefined) return isOn ? { state: 'ready' } : HELD
  if (owner === 'free') return isOn ? { state: 'ready' } : HEALS
  if (isOn) await yieldProxy(site, cluster.metadata.name)
  return HELD
}
