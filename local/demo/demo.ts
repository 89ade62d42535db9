import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { clientOf } from '../clusters/started-cluster.ts'
import type { ClusterSet } from '../clusters/take-clusters.ts'
import { createLogger } from '../logger.ts'
import { startFedplane } from '../server.ts'
import { removeRemains } from './observe.ts'
import type { DemoOptions } from './options.ts'
import { chooseDemoClusters } from './own-clusters.ts'
import type { Printer } from './printer.ts'
import {
  buildLines,
  checkMembers,
  checkNothingLeft,
  fedplane,
  type Made,
  observeBefore,
  removeProfileApiAgain,
  type Stage,
  showInventory,
  takeDownLines,
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

/** One command line, with what it prints. */
const command = async (step: Step, printer: Printer, stage: Stage, line: string): Promise<void> => {
  const printed = await step(
    line,
    () => fedplane(stage, line),
    () => `$ fedplane ${line}`,
  )
  printer.detail(printed)
}

/** The first half: three clusters become a host with two members. */
const build = async (step: Step, printer: Printer, stage: Stage, made: Made): Promise<void> => {
  const lines = await step(
    'reading the clusters',
    () => observeBefore(stage, made).then(() => buildLines(stage)),
    ({ length }) => `read the clusters: ${length} commands make a federation of them`,
  )
  for (const line of lines) await command(step, printer, stage, line)
  await command(step, printer, stage, 'cluster list')
  await command(step, printer, stage, 'federation members demo')
  await checkMembers(stage, made)
  const host = stage.set.clusters[0]?.name
  const inventory = await step(
    'reading the host',
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
  for (const line of await takeDownLines(stage)) await command(step, printer, stage, line)
  const waiting = await step(
    'asking the clusters what is left',
    () => checkNothingLeft(stage, made),
    ({ length }) =>
      length === 0
        ? 'asked every cluster: nothing of the federation is left'
        : 'asked every cluster: nothing is left but empty namespaces, which stay Terminating where no namespace controller runs:',
  )
  if (waiting.length > 0) printer.detail(waiting.join('\n'))
  await step('removing the ClusterProfile API', () => removeProfileApiAgain(stage, made), profileApiSentence)
}

/** Kubeconfigs of all clusters, for their owner only (mkdtemp: 0700), as KUBECONFIG takes them. */
const kubeconfigFiles = async ({ clusters }: ClusterSet, opened: AsyncDisposableStack) => {
  const folder = await mkdtemp(join(tmpdir(), 'fedplane-demo-kube-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const write = async ({ name, kubeconfig }: ClusterSet['clusters'][number]): Promise<string> => {
    const file = join(folder, `${name}.kubeconfig`)
    await writeFile(file, kubeconfig, { mode: 0o600, flag: 'wx' })
    return file
  }
  return { folder, files: (await Promise.all(clusters.map(write))).join(delimiter) }
}

/** With `--keep`: says how to look around, and waits for Ctrl-C. */
const keepOpen = async ({ printer, signal }: DemoSetting, { env, set }: Stage): Promise<void> => {
  const [host, ...members] = set.clusters.map(({ context }) => context)
  printer.end(`Look around, in another terminal; Ctrl-C here cleans up and ends.

  export FEDPLANE_SERVER=${env.FEDPLANE_SERVER} KUBECONFIG=${env.KUBECONFIG}
  alias fedplane='npm run --silent cli --'

  fedplane federation show demo
  kubectl --context ${host} get clusterprofiles --all-namespaces    # the host; members are ${members.join(' and ')}
`)
  while (!signal.aborted) await delay(2 ** 30, undefined, { signal }).catch(() => undefined)
}

/** Of a demo that was interrupted while its command ran. The server is the demo's own. */
const findFederation = async ({ env }: Stage): Promise<string | undefined> => {
  const line = 'federation list -o jsonpath={.federations[?(@.name=="demo")].uuid}'
  return (await fedplane({ env, signal: new AbortController().signal }, line)) || undefined
}

/** First in good order, for a minute; then by force. Nothing else ends it. */
const removeFederation = async ({ env }: Stage, federationId: string): Promise<void> => {
  const patient = { env, signal: new AbortController().signal }
  const line = `federation delete ${federationId} --yes --timeout 60s`
  await fedplane(patient, line).catch(() => fedplane(patient, `${line} --force`))
}

/** After a failure in somebody's own clusters: takes away what the demo made there, through fedplane and then directly, by label. @throws PartFailed */
const cleanUp = async (printer: Printer, stage: Stage, made: Made): Promise<void> => {
  const begun = performance.now()
  const faults: string[] = []
  const attempt = (what: string, work: () => Promise<unknown>): Promise<unknown> =>
    work().catch((error: unknown) => faults.push(`${what}: ${messageOf(error)}`))
  const federationId = made.federationId ?? (await findFederation(stage))
  if (federationId !== undefined) {
    await attempt('removing the federation', () => removeFederation(stage, federationId))
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
  const made: Made = { federationId: undefined, hadProfileApi: false }
  try {
    await build(step, printer, stage, made)
    if (options.keep) await keepOpen(setting, stage)
    // After --keep the signal has done its work: what follows is to run to its end.
    await takeDown(step, printer, options.keep ? { ...stage, signal: new AbortController().signal } : stage, made)
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
  const server = await step(
    'starting fedplane',
    () => startFedplane({ port: 0, log: log.log }),
    ({ url }) => `started fedplane on ${url}/v1`,
  )
  opened.defer(() => server.close())
  const clients = set.clusters.map(clientOf)
  opened.defer(async () => {
    for (const client of clients) client.close()
  })
  const { folder, files } = await kubeconfigFiles(set, opened)
  // Nothing of the person's own settings: which server, as whom, with which kubeconfigs.
  const env = { HOME: folder, FEDPLANE_SERVER: server.url, KUBECONFIG: files, NO_COLOR: '1' }
  return { set, clients, env, signal }
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
