import { noteCandidateFacts } from '../access/cluster-identity.ts'
import { candidateKey, kubeconfigKey } from '../access/credentials.ts'
import type { Ports } from '../ports.ts'
import type { Secret } from '../values/secret.ts'
import type { Cluster, ClusterEndpoint } from './cluster.ts'
import { requireTaskKnown } from './cluster-rules.ts'
import { requestTask } from './cluster-tasks.ts'
import { createAgain } from './create-again.ts'

/** What is kept of a kubeconfig: where, and the sealed part. */
export type TakenKubeconfig = { endpoint: ClusterEndpoint; credential: Secret }

/** A kubeconfig for a cluster that there is. */
export type NewKubeconfig = {
  taken: TakenKubeconfig
  /** User who vouches that it is for the very cluster, where nothing proves it (`proveSameCluster`); undefined: nobody does. */
  vouchedBy: string | undefined
  /** The caller may go on with a registration that failed, under its owner's name. @throws PolicyForbids */
  requireMayGoOn(cluster: Cluster): void
}

const said = { reason: 'KubeconfigReplaced', message: 'A new kubeconfig is being checked.' }

/** The registration that failed begins again with another kubeconfig. */
const registerAnew = async (ports: Ports, cluster: Cluster, taken: TakenKubeconfig): Promise<void> => {
  const serverForPeers = cluster.endpoint?.serverForPeers ?? null
  await createAgain(ports, cluster, {
    change: { endpoint: { ...taken.endpoint, serverForPeers } },
    writes: [await ports.stores.credentials.seal(kubeconfigKey(cluster), taken.credential)],
    said,
  })
}

/**
 * Begins to replace the credential of a cluster. The old one and the endpoint stay until the new ones are proved, but for a failed
 * registration, which has none: nothing can prove the next one, and it needs somebody who may vouch.
 *
 * @throws InvalidRequest, PolicyForbids, RevisionConflict
 */
export const replaceKubeconfig = async (ports: Ports, cluster: Cluster, given: NewKubeconfig): Promise<void> => {
  const { taken, vouchedBy } = given
  if (cluster.status === 'CREATE_FAILED') {
    if (vouchedBy === undefined) given.requireMayGoOn(cluster)
    await registerAnew(ports, cluster, taken)
    return
  }
  requireTaskKnown(ports.drivers.cluster.resolve(cluster.driver), 'credential', 'take another kubeconfig')
  await requestTask(ports, cluster, {
    task: { kind: 'credential' },
    writes: [
      await ports.stores.credentials.seal(candidateKey(cluster), taken.credential),
      ...(vouchedBy === undefined ? [] : await noteCandidateFacts(ports, cluster, { vouchedBy })),
    ],
    said,
  })
}
