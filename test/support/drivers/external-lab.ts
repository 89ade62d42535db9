import { parseKubeconfig } from '../../../functions/kubernetes/kubeconfig/parse-kubeconfig.ts'
import { connectionTo, encodeConnection } from '../../../functions/kubernetes/stored-connection.ts'
import type { ClusterLab } from './cluster-life.ts'
import { connect } from './test-cluster.ts'

/** A lab for external@1: a kubeconfig, as text, and a way to make its server unreachable. */
export const externalLab = (kubeconfig: string, stop: () => Promise<void>): ClusterLab => {
  const { endpoint, credential } = parseKubeconfig(kubeconfig, { now: new Date() })
  return {
    credential: async () => encodeConnection(connectionTo(endpoint, credential)),
    connect,
    secrets: [credential.kind === 'token' ? credential.token.reveal() : credential.keyPem.reveal()],
    stop,
  }
}
