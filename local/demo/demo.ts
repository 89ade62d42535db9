import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { counted } from '../../functions/core/values/wording.ts'
import { clientOf } from '../clusters/started-cluster.ts'
import type { ClusterSet } from '../clusters/take-clusters.ts'
import { createLogger } from '../logger.ts'
import { startFedplane } from '../server.ts'
import { Api } from './api.ts'
import { removeRemains } from './observe.ts'
import type { DemoOptions } from './options.ts'
import { chooseDemoClusters } from './own-clusters.ts'
import {
  checkNothingLeft,
  deleteClusters,
  deleteFederations,
  federate,
  federationPath,
  joinMembers,
  type Made,
  type Printer,
  register,
  removeProfileApiAgain,
  type Stage,
  showClusters,
  showInventory,
  unjoin,
  useCredentials,
} from './story.ts'

export type DemoSetting = {
  options: DemoOptions
  /** KUBEBUILDER_ASSETS. */
  assetsFolder: string | undefined
  printer: Printer
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

/** A part of the demo failed, or left something in somebody's own clusters, and that has been printed. */
class PartFailed extends Error {
  override readonly name = 'PartFailed'
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Runs a part of the demo and prints its sentence with its time. @throws PartFailed */
type Step = <T>(title: string, work: () => Promise<T>, sentence: (result: T) => string) => Promise<T>

const stepsOf =
  ({ printer }: DemoSetting): Step =>
  async (title, work, sentence) => {
    const begun = performance.now()
    try {
      const result = await work()
      printer.step(performance.now() - begun, sentence(result))
      return result
    } catch (error) {
      printer.failed(performance.now() - begun, `${title}: ${messageOf(error)}`)
      throw new PartFailed(title, { cause: error })
    }
  }

/** The first half: three clusters become a host with two members. */
const build = async (step: Step, printer: Printer, stage: Stage, made: Made): Promise<void> => {
  const [host, ...members] = stage.set.clusters.map(({ name }) => name)
  const clusters = await step(
    'registering the clusters',
    () => register(stage, made),
    ({ length }) => `registered ${length} clusters`,
  )
  printer.detail(showClusters(clusters))
  await step(
    'creating the federation',
    () => federate(stage, made),
    ({ driver }) => `created the federation "demo" (${driver}) on ${host}`,
  )
  await step(
    'joining',
    () => joinMembers(stage, made),
    () => `joined ${members.join(' and ')}`,
  )
  const inventory = await step(
    'checking the host',
    () => showInventory(stage, made),
    () => `${host} now holds:`,
  )
  printer.detail(inventory.text)
  const seen = await step(
    'using the credentials',
    () => useCredentials(stage, inventory.profiles),
    () => "used each member's published credential to list its namespaces",
  )
  printer.detail(seen)
}

const profileApiSentence = (isGone: boolean | null): string => {
  if (isGone === null) return 'left the ClusterProfile API, which was there before'
  return isGone
    ? 'removed the ClusterProfile API, which was not there before'
    : 'left the ClusterProfile API: somebody has profiles in it'
}

/** The second half: everything goes again, and every cluster is asked whether it did. */
const takeDown = async (step: Step, printer: Printer, stage: Stage, made: Made): Promise<void> => {
  await step(
    'unjoining',
    () => unjoin(stage, made),
    (left) => `unjoined ${left.length === 0 ? 'nobody: no members were left' : left.join(' and ')}`,
  )
  await step(
    'deleting the federation',
    () => deleteFederations(stage, made),
    (others) => `deleted the federation${others === 0 ? '' : `, and ${counted(others, 'other')} that came meanwhile`}`,
  )
  const waiting = await step(
    'looking for leftovers',
    () => checkNothingLeft(stage, made),
    ({ length }) =>
      length === 0
        ? 'looked into every cluster: nothing of the federation is left'
        : 'looked into every cluster: nothing is left but empty namespaces, which stay Terminating where no namespace controller runs:',
  )
  if (waiting.length > 0) printer.detail(waiting.join('\n'))
  await step('removing the ClusterProfile API', () => removeProfileApiAgain(stage, made), profileApiSentence)
  await step(
    'removing the clusters',
    () => deleteClusters(stage),
    () => 'removed the clusters from fedplane',
  )
}

/** Files for kubectl, for their owner only (mkdtemp: 0700), as KUBECONFIG takes them. */
const kubeconfigFiles = async ({ clusters }: ClusterSet, folder: string): Promise<string> => {
  const write = async ({ name, kubeconfig }: ClusterSet['clusters'][number]): Promise<string> => {
    const file = join(folder, `${name}.kubeconfig`)
    await writeFile(file, kubeconfig, { mode: 0o600, flag: 'wx' })
    return file
  }
  return (await Promise.all(clusters.map(write))).join(':')
}

/** With `--keep`: says how to look around, and waits for Ctrl-C. Of somebody's own clusters their file is named. */
const keepOpen = async ({ printer, signal, options }: DemoSetting, { fedplane, set }: Stage): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'fedplane-demo-kube-'))
  try {
    const files = set.kind === 'kubeconfig' ? options.kubeconfig : await kubeconfigFiles(set, folder)
    const [host, ...members] = set.clusters.map(({ context }) => context)
    printer.end(`Look around, in another terminal; Ctrl-C here cleans up and ends.

  api=${fedplane.url}/v1
  export KUBECONFIG=${files}

  curl -s $api/federations/demo | jq
  kubectl --context ${host} get clusterprofiles --all-namespaces    # the host; members are ${members.join(' and ')}
`)
    while (!signal.aborted) await delay(2 ** 30, undefined, { signal }).catch(() => undefined)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** How long fedplane may take to remove a federation in good order, milliseconds; then it is forced. */
const REMOVAL_MS = 60_000

/** First in good order, then by force. Nothing interrupts it but its own time. */
const removeFederation = async (url: string, made: Made): Promise<void> => {
  const path = federationPath(made.federationId)
  const remove = async (query: string): Promise<void> => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error(`not gone within ${REMOVAL_MS / 1000} s`)), REMOVAL_MS)
    const api = new Api(url, { signal: late.signal })
    await api
      .delete(`${path}${query}`)
      .then(() => api.gone(path))
      .finally(() => clearTimeout(timer))
  }
  await remove('').catch(() => remove('?force=true'))
}

/** After a failure in somebody's own clusters: takes away what the demo made there, through fedplane and then directly, by label. @throws PartFailed */
const cleanUp = async (printer: Printer, stage: Stage, made: Made): Promise<void> => {
  const begun = performance.now()
  const faults: string[] = []
  const attempt = (what: string, work: () => Promise<unknown>): Promise<unknown> =>
    work().catch((error: unknown) => faults.push(`${what}: ${messageOf(error)}`))
  const { federationId } = made
  if (federationId !== undefined) {
    await attempt('removing the federation', () => removeFederation(stage.fedplane.url, made))
    for (const [index, client] of stage.clients.entries()) {
      await attempt(`cleaning ${stage.set.clusters[index]?.name}`, () => removeRemains(client, federationId))
    }
    await attempt('removing the ClusterProfile API', () => removeProfileApiAgain(stage, made))
  }
  printer.step(performance.now() - begun, 'cleaned up in your clusters')
  for (const fault of faults) printer.detail(`could not be done: ${fault}`)
  if (faults.length > 0) throw new PartFailed('cleaning up')
}

const tell = async (setting: DemoSetting, step: Step, stage: Stage): Promise<void> => {
  const { options, printer } = setting
  const made: Made = { clusterIds: [], federationId: undefined, hadProfileApi: false }
  try {
    await build(step, printer, stage, made)
    if (options.keep) await keepOpen(setting, stage)
    // After --keep the signal has done its work: what follows is to run to its end.
    await takeDown(step, printer, options.keep ? { ...stage, api: stage.api.withoutSignal() } : stage, made)
  } catch (error) {
    if (stage.set.kind === 'kubeconfig') await cleanUp(printer, stage, made)
    throw error
  }
}

/** The server's log, in a folder that stays when something fails. */
const openLog = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fedplane-demo-'))
  const file = join(folder, 'fedplane.log')
  const stream = createWriteStream(file, { mode: 0o600 })
  let isWritten = false
  const write = (line: string): void => {
    isWritten = true
    stream.write(`${line}\n`)
  }
  const close = async (isKept: boolean): Promise<void> => {
    await new Promise<void>((resolve) => stream.end(resolve))
    if (!isKept) await rm(folder, { recursive: true, force: true })
  }
  return { file, log: createLogger({ level: 'info', write }), isWritten: () => isWritten, close }
}
type DemoLog = Awaited<ReturnType<typeof openLog>>

/** Clusters, and fedplane in this process, on a free port, with a temporary data directory. */
const open = async (
  step: Step,
  take: () => Promise<ClusterSet>,
  setting: DemoSetting & { log: DemoLog; opened: AsyncDisposableStack },
): Promise<Stage> => {
  const { log, opened, signal } = setting
  const set = await step(
    'taking clusters',
    take,
    ({ clusters, description }) => `took ${clusters.length} clusters (${description})`,
  )
  opened.defer(() => set.close())
  const fedplane = await step(
    'starting fedplane',
    () => startFedplane({ port: 0, log: log.log }),
    ({ url }) => `started fedplane on ${url}/v1`,
  )
  opened.defer(() => fedplane.close())
  const clients = set.clusters.map(clientOf)
  opened.defer(async () => {
    for (const client of clients) client.close()
  })
  return { fedplane, api: new Api(fedplane.url, { signal }), set, clients }
}

/** Says how a demo that failed ended. @returns true when the log is worth keeping */
const sayEnd = ({ printer, signal }: DemoSetting, error: unknown, log: DemoLog): boolean => {
  // After --keep the signal is old: what fails then has another cause.
  if (signal.aborted && error instanceof PartFailed && error.cause === signal.reason) {
    printer.end('Interrupted.')
    return false
  }
  const why = error instanceof PartFailed ? '' : ` ${messageOf(error)}`
  printer.end(`The demo failed.${why}${log.isWritten() ? `\nLog of the server: ${log.file}` : ''}`)
  return log.isWritten()
}

/**
 * Runs the whole demo. Everything that it opens is closed when it ends, however that is.
 *
 * @returns true when every check held
 * @throws ClustersUnavailable before anything is begun
 */
export const runDemo = async (setting: DemoSetting): Promise<boolean> => {
  const { printer, options, assetsFolder } = setting
  const begun = performance.now()
  const take = chooseDemoClusters(options, assetsFolder)
  const log = await openLog()
  const opened = new AsyncDisposableStack()
  const step = stepsOf(setting)
  let isGood = false
  let isLogKept = false
  printer.heading('fedplane demo: register clusters, federate them, join, unjoin, delete')
  try {
    await tell(setting, step, await open(step, take, { ...setting, log, opened }))
    isGood = true
  } catch (error) {
    isLogKept = sayEnd(setting, error, log)
  } finally {
    await opened.disposeAsync()
    await log.close(isLogKept)
  }
  if (isGood) printer.end(`Every check held. ${((performance.now() - begun) / 1000).toFixed(1)} s in all.`)
  return isGood
}
