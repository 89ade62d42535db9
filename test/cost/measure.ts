import { setTimeout as pause } from 'node:timers/promises'
import type { Ports } from '../../functions/core/ports.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { renewDue } from '../../functions/workers/renewals/renew.ts'
import { deliverDue } from '../../functions/workers/trigger-deliveries/deliver.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { ownProperties } from '../support/karmada/lab.ts'
import { KarmadaStandIn } from '../support/karmada/stand-in.ts'
import { type Count, type Counts, combine, type Scenario } from './counts.ts'
import { type CostLab, openCostLab } from './lab.ts'

const POLL_MS = 100
/** Clusters in lists and in sweeps. */
const CLUSTERS = 20
const MINUTE_MS = 60_000
/** Minutes in which the sweep checks each healthy cluster once. */
const ROUND = 5

const deliverNothing = (ports: Ports) =>
  deliverDue(ports, { policy: ports.addressPolicy, resolver: () => Promise.reject(new Error('nothing is due')) })

type Tools = {
  lab: CostLab
  servers: SimulatedKubernetes[]
  take(scenario: Scenario, run: () => Promise<void>): Promise<void>
}

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await pause(POLL_MS)
}

const settled = async ({ lab }: Tools, kind: 'clusters' | 'federations', id: string, wanted: string): Promise<void> => {
  const read = () => lab.ports.stores[kind].get({ projectId: lab.projectId, id })
  await until(async () => !(await read())?.status.endsWith('_IN_PROGRESS'))
  const found = await read()
  const status = found?.status ?? 'gone'
  if (status !== wanted) throw new Error(`${kind} ${id} is ${status}, not ${wanted}: ${found?.statusReason}`)
}

const register = async (tools: Tools, name: string, server: SimulatedKubernetes): Promise<string> => {
  const { uuid } = await tools.lab.call('POST', '/v1/clusters', { name, kubeconfig: server.kubeconfig })
  await settled(tools, 'clusters', uuid, 'CREATE_COMPLETE')
  return uuid
}

const FEDERATION: Readonly<Record<string, [Scenario, Scenario, Scenario, Scenario]>> = {
  'clusterprofile@1': ['create', 'join', 'unjoin', 'delete'],
  'karmada@1': ['createKarmada', 'joinKarmada', 'unjoinKarmada', 'deleteKarmada'],
}

/** The life of a federation with one member. */
const federationLife = async (tools: Tools, driver: string, [host, member]: readonly string[]): Promise<void> => {
  const { lab, take } = tools
  const [create, join, unjoin, remove] = FEDERATION[driver] ?? []
  if (!create || !join || !unjoin || !remove) throw new Error(`no scenarios for ${driver}`)
  let id = ''
  const patch = async (op: 'add' | 'remove'): Promise<void> => {
    await lab.call('PATCH', `/v1/federations/${id}`, [{ op, path: '/member_ids', value: member }])
    await settled(tools, 'federations', id, 'UPDATE_COMPLETE')
  }
  await take(create, async () => {
    const properties = driver === 'karmada@1' ? ownProperties() : {}
    const body = { name: 'cost', hostcluster_id: host, driver, properties }
    id = (await lab.call('POST', '/v1/federations', body)).uuid
    await settled(tools, 'federations', id, 'CREATE_COMPLETE')
  })
  await take(join, () => patch('add'))
  await take(unjoin, () => patch('remove'))
  await take(remove, async () => {
    await lab.call('DELETE', `/v1/federations/${id}`)
    await settled(tools, 'federations', id, 'gone')
  })
}

/** Runs of the sweep in which each cluster comes up once. */
const round = async ({ lab }: Tools): Promise<void> => {
  for (let minute = 0; minute < ROUND; minute += 1) {
    lab.advance(MINUTE_MS)
    await lab.run(sweepHealth)
  }
}

const counted = async (tools: Tools, run: () => Promise<void>): Promise<Count> => {
  tools.lab.coolDown()
  tools.lab.meter.reset()
  await run()
  return { ...tools.lab.meter.count }
}

const workers = async (tools: Tools): Promise<void> => {
  const { lab, take } = tools
  // The first run of each makes its heartbeat.
  for (const worker of [reconcile, renewDue, sweepHealth, deliverNothing]) await lab.run<unknown>(worker)
  await take('reconcile', async () => void (await lab.run(reconcile)))
  await take('renew', async () => void (await lab.run(renewDue)))
  await take('deliver', async () => void (await lab.run(deliverNothing)))
  await take('sweep', async () => void (await lab.run(sweepHealth)))
}

/** One observation: a round over all clusters, less its runs, by the number of clusters. The data key is opened once a round. */
const look = async (tools: Tools, sweep: Count): Promise<Count> => {
  await round(tools)
  const all = await counted(tools, () => round(tools))
  const rest = combine(sweep, -ROUND, all)
  return { ...combine(rest, 1 / CLUSTERS), invocations: 0 }
}

const lists = async ({ lab, take }: Tools, id: string): Promise<void> => {
  await take('list', async () => void (await lab.call('GET', '/v1/clusters')))
  await take('show', async () => void (await lab.call('GET', `/v1/clusters/${id}`)))
}

const clusters = async (tools: Tools): Promise<string[]> => {
  const { servers, take, lab } = tools
  const ids: string[] = []
  for (const [index, server] of servers.entries()) ids.push(await register(tools, `c-${index}`, server))
  const spare = await startSimulatedKubernetes()
  let id = ''
  await take('register', async () => {
    id = await register(tools, 'spare', spare)
  })
  await take('forget', async () => {
    await lab.call('DELETE', `/v1/clusters/${id}`)
    await settled(tools, 'clusters', id, 'gone')
  })
  await spare.close()
  return ids
}

/** Bytes of a cluster's items, as JSON, which is about what DynamoDB counts. */
const clusterBytes = async ({ lab }: Tools, id: string): Promise<number> => {
  const { clusters: store, nodeGroups } = lab.ports.stores
  const cluster = await store.get({ projectId: lab.projectId, id })
  if (cluster === undefined) throw new Error('the cluster is gone')
  const parts = [cluster, ...(await nodeGroups.listOf(cluster))]
  // Name and uid reservations, and the sealed credential with its token.
  return parts.reduce((sum, part) => sum + Buffer.byteLength(JSON.stringify(part)), 0) + 4_000
}

/** Runs everything once over simulated clusters and counts. Takes some minutes. */
export const measure = async (tell: (line: string) => void): Promise<Counts> => {
  const lab = await openCostLab()
  const servers = await Promise.all(Array.from({ length: CLUSTERS }, () => startSimulatedKubernetes()))
  const scenarios = {} as Record<Scenario, Count>
  const tools: Tools = {
    lab,
    servers,
    take: async (scenario, run) => {
      scenarios[scenario] = await counted(tools, run)
      tell(`${scenario}: ${JSON.stringify(scenarios[scenario])}`)
    },
  }
  const [host] = servers
  const standIn = host && new KarmadaStandIn(host)
  try {
    await workers(tools)
    const ids = await clusters(tools)
    await lists(tools, ids[0] ?? '')
    scenarios.look = await look(tools, scenarios.sweep)
    for (const driver of Object.keys(FEDERATION)) await federationLife(tools, driver, ids)
    return { measuredAt: new Date().toISOString(), scenarios, clusterBytes: await clusterBytes(tools, ids[0] ?? '') }
  } finally {
    await standIn?.close()
    await lab.close()
    await Promise.all(servers.map((server) => server.close()))
  }
}
