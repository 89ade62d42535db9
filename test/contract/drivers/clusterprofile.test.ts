import { clusterProfileDriver } from '../../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { kubernetesLab } from '../../support/drivers/federation-lab.ts'
import { simulatedClusters } from '../../support/drivers/simulated.ts'
import { describeFederationDriver } from './federation-suite.ts'

describeFederationDriver(clusterProfileDriver(), {
  open: async () => {
    const { clusters, close } = await simulatedClusters(['host', 'paris', 'tokyo'])
    const [host, paris, tokyo] = clusters
    if (host === undefined || paris === undefined || tokyo === undefined) throw new Error('three servers are needed')
    return { ...kubernetesLab(host, [paris, tokyo]), close }
  },
  properties: () => ({ 'member-role': 'edit', 'consumer-namespaces': 'default' }),
  faulty: [
    { 'member-role': 'no/role' },
    { 'consumer-namespaces': 'Kueue' },
    { 'consumer-namespaces': 'argocd,,kueue' },
    { 'consumer-namespaces': 'kube-system' },
    { 'consumer-namespaces': 'fedplane-1234567890' },
    { 'consumer-namespaces': Array.from({ length: 21 }, (_, index) => `n${index}`).join(',') },
  ],
})
