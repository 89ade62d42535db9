import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { kubeconfigKey } from '../../functions/core/access/credentials.ts'
import type { Cluster } from '../../functions/core/cluster/cluster.ts'
import { newUuidV7 } from '../../functions/core/ids.ts'
import { mapLimited } from '../../functions/core/map-limited.ts'
import type { Ports } from '../../functions/core/ports.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import { driverRegistry } from '../../functions/drivers/registry.ts'
import { localPolicy } from '../../functions/kubernetes/address-guard.ts'
import { connectWith } from '../../functions/kubernetes/connect.ts'
import { encodeConnection } from '../../functions/kubernetes/stored-connection.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { noAws } from '../support/aws/no-aws.ts'
import { noAssets } from '../support/no-assets.ts'
import { createTestStores } from '../support/store/database.ts'
import { sampleCluster } from '../support/store/samples.ts'

/** What `npm run bench -- --sweep` found. */
export type SweepFigures = {
  clusters: number
  looks: number
  /** Of the run that looked at all of them, seconds. */
  seconds: number
  looksPerSecond: number
  /** By the processor time of the process, the embedded database included. */
  looksPerSecondAndCore: number
  failed: number
}

const MINUTE_MS = 60_000
/** Minutes in which each healthy cluster is looked at once. */
const ROUND = 5
const PROJECTS = 100

type Served = { server: string; caPem: string; token: string; uid: string }

/** The API that stands for all clusters, in a process of its own: what it takes is not the sweep's. */
const serve = async (): Promise<void> => {
  const { server, caPem, token, cluster } = await startSimulatedKubernetes({ nodes: 3 })
  const uid = cluster.store.get({ group: '', plural: 'namespaces' }, 'kube-system')?.object.metadata.uid
  process.send?.({ server, caPem, token, uid } as Served)
}

const startServing = async (): Promise<{ served: Served; child: ChildProcess }> => {
  const child = fork(import.meta.filename, ['serve'], { stdio: 'inherit' })
  const [served] = (await once(child, 'message')) as [Served]
  return { served, child }
}

const clusterOf = ({ server, caPem, uid }: Served, index: number, id: string): Cluster =>
  sampleCluster({
    id,
    projectId: `project-${index % PROJECTS}`,
    name: `c-${index}`,
    driver: 'external@1',
    status: 'CREATE_COMPLETE',
    operation: null,
    endpoint: { server, serverForPeers: null, caPem, tlsServerName: null, tlsVerify: true },
    identity: { uid, user: 'admin' },
    observation: null,
    uses: [],
  })

const fill = async ({ stores, newId }: Ports, served: Served, count: number): Promise<void> => {
  const { server, caPem, token } = served
  const credential = { kind: 'token', token: new Secret(token) } as const
  const secret = encodeConnection({ server, caPem, tlsServerName: null, tlsVerify: true, credential })
  await mapLimited([...Array(count).keys()], async (index) => {
    const cluster = clusterOf(served, index, newId())
    const sealed = await stores.credentials.seal(kubeconfigKey(cluster), secret)
    await stores.commit([stores.clusters.insert(cluster), sealed])
  })
}

/** Others would be looked at each minute, and by other ways. */
const requireHealthy = async ({ stores }: Ports): Promise<void> => {
  const { items } = await stores.clusters.list('project-0', { limit: 1 })
  const { healthStatus, healthReason } = items[0]?.observation ?? {}
  if (healthStatus !== 'HEALTHY') throw new Error(`A cluster is ${healthStatus}: ${JSON.stringify(healthReason)}`)
}

const timed = async (ports: Ports, advance: () => void): Promise<SweepFigures & { cpuSeconds: number }> => {
  const [begun, used] = [performance.now(), process.cpuUsage()]
  let [looks, failed] = [0, 0]
  for (let minute = 0; minute < ROUND; minute += 1) {
    advance()
    const report = await sweepHealth(ports, { runMs: Number.POSITIVE_INFINITY })
    looks += report.looked
    failed += report.failed + report.putOff
  }
  const { user, system } = process.cpuUsage(used)
  const [seconds, cpuSeconds] = [(performance.now() - begun) / 1000, (user + system) / 1e6]
  const rates = { looksPerSecond: looks / seconds, looksPerSecondAndCore: looks / cpuSeconds }
  return { clusters: looks, looks, seconds, ...rates, failed, cpuSeconds }
}

/** Registers clusters, has the sweep see each once, and then measures the five minutes in which it looks at each healthy cluster once. */
export const measureSweep = async (count: number, tell: (line: string) => void): Promise<SweepFigures> => {
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const stores = await createTestStores({ clock })
  const { served, child } = await startServing()
  const quiet = () => undefined
  const log: Ports['log'] = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (...said) => tell(JSON.stringify(said)),
    child: () => log,
  }
  const ports: Ports = {
    stores,
    executions: {
      start: async () => undefined,
      stop: async () => undefined,
      describe: async () => 'not-found',
      lastState: async () => undefined,
    },
    drivers: driverRegistry({ aws: noAws }, {}),
    connect: connectWith({ policy: localPolicy }),
    addressPolicy: localPolicy,
    asset: noAssets,
    clock,
    newId: () => newUuidV7(clock),
    log,
  }
  try {
    tell(`Filling ${count} clusters …`)
    await fill(ports, served, count)
    tell('Sweeping once, so that each has been seen …')
    await sweepHealth(ports, { runMs: Number.POSITIVE_INFINITY })
    await requireHealthy(ports)
    tell('Sweeping the minutes in which each is looked at …')
    const { cpuSeconds: _, ...figures } = await timed(ports, () => {
      now += MINUTE_MS
    })
    return { ...figures, clusters: count }
  } finally {
    child.kill()
    await stores.dispose()
  }
}

/** As docs/benchmarks.md has it. */
export const sweepReport = ({
  clusters,
  looks,
  seconds,
  looksPerSecond,
  looksPerSecondAndCore,
  failed,
}: SweepFigures): string =>
  `| clusters | looks | seconds | looks/s | looks/s and core | failed |
|---:|---:|---:|---:|---:|---:|
| ${clusters} | ${looks} | ${seconds.toFixed(1)} | ${looksPerSecond.toFixed(0)} | ${looksPerSecondAndCore.toFixed(0)} | ${failed} |
`

if (process.argv[2] === 'serve') await serve()
