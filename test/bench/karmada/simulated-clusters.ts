import process from 'node:process'
import { openKarmadaLab } from '../../support/karmada/lab.ts'

/** Kubeconfigs that `simulated-clusters.ts` tells whoever forked it. */
export type SimulatedClusters = { host: string; members: string[] }

/** A process of its own, so that its processor time is not counted as fedplane's: simulated clusters, until it is disconnected. Argument: how many members. */
const lab = await openKarmadaLab({ members: Number(process.argv[2]) })
const clusters: SimulatedClusters = {
  host: lab.hostServer.kubeconfig,
  members: lab.memberServers.map(({ kubeconfig }) => kubeconfig),
}
process.once('disconnect', () => void lab.close())
process.send?.(clusters)
