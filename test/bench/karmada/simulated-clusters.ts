import process from 'node:process'
import { openKarmadaLab } from '../../support/karmada/lab.ts'

/** What `simulated-clusters.ts` tells whoever forked it. */
export type SimulatedClusters = { host: string; members: string[] }

/** A process of its own, so that its processor time is not counted as fedplane's: simulated clusters, until it is disconnected. Argument: how many members. */
const lab = await openKarmadaLab({ members: Number(process.argv[2]) })
const [host, ...members] = [lab.hostServer, ...lab.memberServers].map(({ kubeconfig }) => kubeconfig)
process.once('disconnect', () => void lab.close())
process.send?.({ host, members } satisfies Partial<Record<keyof SimulatedClusters, unknown>>)
