import type { Cluster } from '../../../../core/cluster/cluster.ts'
import type { Secret } from '../../../../core/values/secret.ts'
import type { Connection } from '../../../../kubernetes/client.ts'
import { decodeConnection } from '../../../../kubernetes/stored-connection.ts'
import type { ClusterDriver } from '../../../contract/cluster-driver.ts'
import { CredentialMissing } from '../../../contract/errors.ts'
import { observeRegistered, type Way } from '../../../support/registered/observe.ts'
import { createPhases, credentialPhases } from '../../../support/registered/phases.ts'
import { externalV1Description } from './description.ts'

/** What is stored of the kubeconfig. @throws CredentialMissing, StoredConnectionInvalid */
const connectionOf = async (cluster: Pick<Cluster, 'name'>, credential: Secret | undefined): Promise<Connection> => {
  if (credential !== undefined) return decodeConnection(credential)
  throw new CredentialMissing(
    `No kubeconfig of cluster ${cluster.name} is stored. Send one with PATCH replace /kubeconfig.`,
  )
}

const way: Way = {
  connection: connectionOf,
  grantAdvice: 'Grant them, or send a kubeconfig of another account.',
  isOurFault: () => false,
}

/** Clusters that somebody else made: registered with a kubeconfig, watched, forgotten. Nothing in them is changed. */
export const externalV1: ClusterDriver = {
  ...externalV1Description,
  phases: { create: createPhases(way), update: { credential: credentialPhases(way) }, delete: [] },
  connection: connectionOf,
  observe: (context) => observeRegistered(way, context),
}
