import { Secret } from '../../../functions/core/values/secret.ts'
import { issueCertificate } from '../../../functions/x509/issue-certificate.ts'
import { defaultBehaviour } from '../../../simulated-kubernetes/behaviour.ts'
import { bootstrap } from '../../../simulated-kubernetes/bootstrap.ts'
import { Cluster as Store } from '../../../simulated-kubernetes/cluster.ts'
import { type Controllers, startControllers } from '../../../simulated-kubernetes/controllers.ts'
import { serve } from '../../../simulated-kubernetes/server.ts'

/** The API of a simulated workload cluster. */
export type Workload = {
  store: Store
  port: number
  /** Ends its API server; it does not come back. */
  stop(): Promise<void>
}

/** Starts an API server as kubeadm would: its certificate, and those of its clients, are of the cluster's authority. */
export const startWorkload = async (authority: { certificatePem: string; keyPem: string }): Promise<Workload> => {
  const { certificatePem: caPem, keyPem } = authority
  const leaf = await issueCertificate(
    { commonName: 'kube-apiserver', names: ['127.0.0.1', 'kubernetes'], usages: ['server'], lifetimeSeconds: 86_400 },
    { certificatePem: caPem, privateKey: new Secret(keyPem) },
    new Date(),
  )
  const store = new Store(caPem, () => new Date(), defaultBehaviour())
  bootstrap(store, { nodes: 0, storageClass: false })
  const controllers: Controllers = startControllers(store)
  const listener = await serve(store, {
    port: 0,
    certificatePem: leaf.certificatePem,
    keyPem: leaf.privateKey.reveal(),
    clientCaPem: caPem,
  })
  let stopping: Promise<void> | undefined
  return {
    store,
    port: listener.port,
    stop: () => {
      controllers.stop()
      stopping ??= listener.close()
      return stopping
    },
  }
}
