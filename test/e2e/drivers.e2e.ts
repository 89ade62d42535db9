import { readFileSync } from 'node:fs'
import { clusterProfileDriver } from '../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { describeFederationDriver } from '../contract/drivers/federation-suite.ts'
import { kubernetesLab } from '../support/drivers/federation-lab.ts'
import { testCluster } from '../support/drivers/test-cluster.ts'

describeFederationDriver(clusterProfileDriver(), {
  open: async () => {
    const names = ['dd-1', 'dd-2', 'dd-3']
    const [host, first, second] = await Promise.all(
      names.map((name) => testCluster(name, readFileSync(`/root/.cache/fedlab/run/dd/${name}.kubeconfig`, 'utf8'))),
    )
    return { ...kubernetesLab(host!, [first!, second!]), close: async () => undefined }
  },
  properties: { 'member-role': 'edit', 'consumer-namespaces': 'default' },
  killEvery: 3,
})
