import { externalV1 } from '../../../functions/drivers/cluster/external/v1/index.ts'
import { startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { externalLab } from '../../support/drivers/external-lab.ts'
import { describeClusterDriver } from './cluster-suite.ts'

describeClusterDriver(externalV1, {
  open: async () => {
    const server = await startSimulatedKubernetes()
    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      closing ??= server.close()
      return closing
    }
    return { ...externalLab(server.kubeconfig, close), close }
  },
})
