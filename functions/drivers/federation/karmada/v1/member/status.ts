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
import type { MemberObservation } from '../../../../contract/federation-driver.ts'
import { isOwned, isTerminating, type Site } from '../../../../support/owned.ts'
import { whoAmI } from '../../../../support/who-am-i.ts'
import { conditionOf } from '../control-plane/apply-all.ts'
import { CLUSTER_LABEL } from './names.ts'

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
