import { startSimulatedKubernetes } from '../../../local/simulated-kubernetes/start.ts'
import { clusterProfileDriver } from '../../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { kubernetesLab } from '../../support/drivers/federation-lab.ts'
import { testCluster } from '../../support/drivers/test-cluster.ts'
import { describeFederationDriver } from './federation-suite.ts'

/** Rules of the contract over three simulated API servers. */
describeFederationDriver(clusterProfileDriver(), {
  open: async () => {
    const servers = await Promise.all([0, 1, 2].map(() => startSimulatedKubernetes()))
    const [host, first, second] = await Promise.all(
      servers.map(({ kubeconfig }, index) => testCluster(['host', 'paris', 'tokyo'][index] ?? '', kubeconfig)),
    )
    if (host === undefined || first === undefined || second === undefined) throw new Error('three servers are needed')
    return {
      ...kubernetesLab(host, [first, second]),
      close: async () => {
        for (const cluster of [host, first, second]) cluster.close()
        await Promise.all(servers.map((server) => server.close()))
      },
    }
  },
  properties: { 'member-role': 'edit', 'consumer-namespaces': 'default' },
  faulty: [
    { 'member-role': 'no/role' },
    { 'consumer-namespaces': 'Kueue' },
    { 'consumer-namespaces': 'argocd,,kueue' },
    { 'consumer-namespaces': 'kube-system' },
  ],
})
