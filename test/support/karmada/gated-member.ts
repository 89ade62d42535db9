import type { SimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { type Gate, openGate } from '../drivers/gate.ts'
import { type TestCluster, testCluster } from '../drivers/test-cluster.ts'

/** A member behind a gate: shut, it is as if its API server had stopped. */
export type GatedMember = { gate: Gate; member: TestCluster; close(): Promise<void> }

export const gatedMember = async (name: string, server: SimulatedKubernetes): Promise<GatedMember> => {
  const gate = await openGate(server.server)
  const member = await testCluster(name, server.kubeconfig.replace(server.server, gate.server))
  return {
    gate,
    member,
    close: async () => {
      member.close()
      await gate.shut()
    },
  }
}
