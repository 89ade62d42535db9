import { randomBytes } from 'node:crypto'
import type { KubernetesClient } from '../../kubernetes/client.ts'
import { ConnectFailed, ConnectTimedOut, DnsLookupFailed } from '../../kubernetes/errors.ts'
import { namespaces } from '../../kubernetes/resources.ts'
import { authorityProof } from '../../kubernetes/same-authority.ts'
import type { Cluster, ClusterEndpoint } from '../cluster/cluster.ts'
import { ClusterIdentityNotProved, OperationSuperseded } from '../errors.ts'
import { isReliedOn } from '../grant/loans.ts'
import type { Ports } from '../ports.ts'
import { isAppError } from '../values/app-error.ts'
import type { Secret } from '../values/secret.ts'
import { withoutFullStop } from '../values/wording.ts'
import { type IdentityMark, isSameByMark } from './identity-mark.ts'
import { type AccessPorts, openBy } from './open-cluster.ts'

/**
 * How it was found that an endpoint leads to the registered cluster. A `kube-system` uid can be read by many and answered by anybody, so besides the
 * same uid, which every one of them needs:
 *
 * - `ca`: the API server proves itself by the known CA, or by one that this CA signed, under the name of before; under another one only where nobody answers at
 *   the known address any more, and the cluster has no role
 * - `mark`: a random mark, written through the known connection, is read back through the new one
 * - `vouched`: whoever may says that it is
 *
 * Where a driver asks somebody else than the cluster for the endpoint (`locate`), that one vouches, as at registration.
 */
export type IdentityProof = 'ca' | 'mark' | 'vouched'

/** What is to be compared with a registered cluster, and by what. */
export type SameClusterQuestion = {
  cluster: Cluster
  endpoint: ClusterEndpoint
  /** Of the new endpoint. The known one is never sent there. */
  credential: Secret | undefined
  /** Who vouched for it; null when nobody did. */
  vouchedBy: string | null
  /** Gives the mark to write, the same one at every try. */
  mark(): Promise<IdentityMark>
}

/** A mark that nobody can guess, and a namespace that nobody can have made before. */
export const newIdentityMark = (): IdentityMark => ({
  namespace: `fedplane-identity-${randomBytes(10).toString('hex')}`,
  value: randomBytes(32).toString('base64url'),
})

const REMEDY =
  'Its owner may send the kubeconfig (PATCH replace /kubeconfig) and so vouches for it, unless the cluster has a role; an administrator vouches with "?accept_identity=true".'

const notProved = ({ name, id }: Cluster, why: string, options?: ErrorOptions): ClusterIdentityNotProved =>
  new ClusterIdentityNotProved(
    `Nothing proves that the kubeconfig leads to cluster ${name} (${id}): its certificate authority is another one or one that may issue to other clusters, and ${why}. ${REMEDY}`,
    options,
  )

/** Opens both ways, asks, and closes them. The known credential goes to the known endpoint only. */
const askByMark = async (
  ports: AccessPorts & Pick<Ports, 'log'>,
  { cluster, endpoint, credential, mark }: SameClusterQuestion,
  openKnown: () => Promise<KubernetesClient>,
): Promise<boolean> => {
  const before = await openKnown()
  try {
    const after = await openBy(ports, { ...cluster, endpoint }, credential)
    try {
      return await isSameByMark(ports, { before, after }, await mark())
    } finally {
      after.close()
    }
  } finally {
    before.close()
  }
}

const byMark = async (
  ports: AccessPorts & Pick<Ports, 'log'>,
  question: SameClusterQuestion,
  openKnown: () => Promise<KubernetesClient>,
): Promise<IdentityProof> => {
  const { cluster, endpoint } = question
  if (!endpoint.tlsVerify || cluster.endpoint?.tlsVerify === false) {
    throw notProved(cluster, 'without verified TLS no mark would prove anything either')
  }
  try {
    if (await askByMark(ports, question, openKnown)) return 'mark'
  } catch (error) {
    if (!isAppError(error) || error instanceof OperationSuperseded) throw error
    const why = `a mark could not be written by the known kubeconfig and read back by the new one (${error.name}: ${withoutFullStop(error.message)})`
    throw notProved(cluster, why, { cause: error })
  }
  throw notProved(cluster, 'a mark that was written by the known kubeconfig is not there')
}

/** True when nobody answers at the known address: whoever moved a cluster can't have a mark written there. */
const isGone = async (openKnown: () => Promise<KubernetesClient>): Promise<boolean> => {
  let known: KubernetesClient | undefined
  try {
    // Opening may talk to it already.
    known = await openKnown()
    await known.get(namespaces, 'kube-system')
    return false
  } catch (error) {
    if (!isAppError(error) || error instanceof OperationSuperseded) throw error
    return error instanceof ConnectFailed || error instanceof ConnectTimedOut || error instanceof DnsLookupFailed
  } finally {
    known?.close()
  }
}

/**
 * The one definition of *the same cluster*, for an endpoint whose `kube-system` uid is the registered one.
 *
 * @param openKnown opens the cluster as it is stored
 * @throws ClusterIdentityNotProved that says what would prove it; OperationSuperseded
 */
export const proveSameCluster = async (
  ports: AccessPorts & Pick<Ports, 'log'>,
  question: SameClusterQuestion,
  openKnown: () => Promise<KubernetesClient>,
): Promise<IdentityProof> => {
  const { cluster, endpoint, vouchedBy } = question
  const proof = cluster.endpoint === null ? 'none' : authorityProof(cluster.endpoint, endpoint)
  if (proof === 'same') return 'ca'
  if (vouchedBy !== null) return 'vouched'
  if (proof === 'elsewhere' && !(await isReliedOn(ports, cluster)) && (await isGone(openKnown))) return 'ca'
  return byMark(ports, question, openKnown)
}
