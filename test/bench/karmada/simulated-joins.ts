import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { PROJECT_LIMITS } from '../../../functions/core/values/quota.ts'
import { createLogger } from '../../../local/logger.ts'
import { startFedplane } from '../../../local/server.ts'
import { add, clusterPath, federationPath, remove } from '../../e2e/support/stories.ts'
import { Api, type ClusterView, type FederationView } from '../../support/api/api.ts'
import { ownProperties } from '../../support/karmada/lab.ts'
import { type JoinRow, over, timed } from './joins.ts'
import { metered } from './meter.ts'
import type { SimulatedClusters } from './simulated-clusters.ts'

/** Membership changes that one request may have. */
const CHANGES_MAX = 45

/** Asks for all of them, in as many requests as it takes, and waits for their end. */
const change = async (api: Api, federation: string, ids: readonly string[], ask: typeof add): Promise<void> => {
  for (let at = 0; at < ids.length; at += CHANGES_MAX) await ask(api, federation, ids.slice(at, at + CHANGES_MAX))
  await over(api, federation)
}

const startClusters = async (members: number) => {
  const child = fork(fileURLToPath(new URL('./simulated-clusters.ts', import.meta.url)), [String(members)])
  const [clusters] = (await once(child, 'message')) as [SimulatedClusters]
  const close = async (): Promise<void> => {
    child.disconnect()
    await once(child, 'exit')
  }
  return { clusters, close }
}

/** Joins of so many simulated members at once, with the stand-in of Karmada: what fedplane itself can do, whatever clusters take. */
export const simulatedJoins = async (count: number): Promise<JoinRow> => {
  const { clusters, close } = await startClusters(count)
  const fedplane = await startFedplane({
    drivers: { enabledFederation: ['karmada@1'], defaultFederation: 'karmada@1' },
    karmadaCrds: process.env.FEDPLANE_KARMADA_CRDS || undefined,
    clustersPerProject: count + 1,
    projectLimits: { ...PROJECT_LIMITS, operations: count + 100 },
    log: createLogger({ level: 'error' }),
  })
  try {
    const api = new Api(fedplane.url)
    const enter = async (name: string, kubeconfig: string): Promise<string> => {
      const id = await api.create('/v1/clusters', { name, kubeconfig })
      await api.settled<ClusterView>(clusterPath(id), 'CREATE_COMPLETE')
      return id
    }
    const host = await enter('host', clusters.host)
    const ids: string[] = []
    for (const [at, kubeconfig] of clusters.members.entries()) ids.push(await enter(`member-${at + 1}`, kubeconfig))
    const federation = await api.create('/v1/federations', {
      name: 'bench',
      hostcluster_id: host,
      properties: ownProperties(),
    })
    await api.settled<FederationView>(federationPath(federation), 'CREATE_COMPLETE')
    const cost = await metered(() => change(api, federation, ids, add))
    const { members } = await api.get<FederationView>(federationPath(federation))
    const unjoinSeconds = await timed(() => change(api, federation, ids, remove))
    return {
      tool: 'fedplane, all simulated',
      mode: 'side by side',
      members: count,
      joinSeconds: cost.seconds,
      unjoinSeconds,
      cpuSeconds: cost.cpuSeconds / count,
      calls: cost.calls / count,
      failed: count - members.filter(({ state }) => state === 'Ready').length,
    }
  } finally {
    await fedplane.close()
    await close()
  }
}
