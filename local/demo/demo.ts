import { setTimeout as delay } from 'node:timers/promises'
import { counted } from '../../functions/core/values/wording.ts'
import { cleanUp } from './cleanup.ts'
import type { ClusterSet } from './clusters/cluster-set.ts'
import { lookAround } from './look-around.ts'
import type { DemoOptions } from './options.ts'
import type { Printer } from './printer.ts'
import { chooseDemoClusters, type DemoLog, openClients, openLog, type Stage, startServer } from './stage.ts'
import {
  checkNothingLeft,
  deleteClusters,
  deleteFederations,
  federate,
  join,
  type Made,
  register,
  removeProfileApiAgain,
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

/** A part of the demo failed, and that has been printed. */
class PartFailed extends Error {
  override readonly name = 'PartFailed'
}

/** Something of the demo stayed in somebody's own clusters, and that has been printed. */
class LeftBehind extends PartFailed {}

/** Runs a part of the demo and prints it with its time. @throws PartFailed */
const timed = async <T>(
  { printer }: DemoSetting,
  title: string,
  work: () => Promise<T>,
  tell: (result: T) => string,
): Promise<T> => {
  const begun = performance.now()
  try {
    const result = await work()
    printer.step(performance.now() - begun, tell(result))
    return result
  } catch (error) {
    printer.failed(performance.now() - begun, `${title}: ${error instanceof Error ? error.message : String(error)}`)
    throw new PartFailed(title, { cause: error })
  }
}

const names = (set: ClusterSet, from: number): string =>
  set.clusters
    .slice(from)
    .map(({ name }) => name)
    .join(' and ')

type Opening = { take: () => Promise<ClusterSet>; log: DemoLog; opened: AsyncDisposableStack }

const open = async (setting: DemoSetting, { take, log, opened }: Opening): Promise<Stage> => {
  const set = await timed(
    setting,
    'taking clusters',
    take,
    ({ clusters, description }) => `took ${clusters.length} clusters (${description})`,
  )
  opened.defer(() => set.close())
  const { fedplane, api } = await timed(
    setting,
    'starting fedplane',
    () => startServer(log, setting.signal),
    (started) => `started fedplane on ${started.fedplane.url}/v1`,
  )
  opened.defer(() => fedplane.close())
  const clients = openClients(set)
  opened.defer(async () => {
    for (const client of clients) client.close()
  })
  return { fedplane, api, set, clients }
}

const build = async (setting: DemoSetting, stage: Stage, made: Made): Promise<void> => {
  const { printer } = setting
  const { set } = stage
  const clusters = await timed(
    setting,
    'registering the clusters',
    () => register(stage, made),
    (done) => `registered ${done.length} clusters`,
  )
  printer.detail(showClusters(clusters))
  const host = set.clusters[0]?.name
  await timed(
    setting,
    'creating the federation',
    () => federate(stage, made),
    ({ driver }) => `created the federation "demo" (${driver}) on ${host}`,
  )
  await timed(
    setting,
    'joining',
    () => join(stage, made),
    () => `joined ${names(set, 1)}`,
  )
  const inventory = await timed(
    setting,
    'looking at the host',
    () => showInventory(stage, made),
    () => `${host} now holds:`,
  )
  printer.detail(inventory.text)
  const seen = await timed(
    setting,
    'using the credentials',
    () => useCredentials(stage, inventory.profiles),
    () => "used each member's published credential to list its namespaces",
  )
  printer.detail(seen)
}

const tellProfileApi = (gone: boolean | null): string => {
  if (gone === null) return 'left the ClusterProfile API, which was there before'
  return gone
    ? 'removed the ClusterProfile API, which was not there before'
    : 'left the ClusterProfile API: somebody has profiles in it'
}

const tellWaiting = (waiting: readonly string[]): string =>
  waiting.length === 0
    ? 'looked into every cluster: nothing of the federation is left'
    : 'looked into every cluster: nothing is left but empty namespaces, which stay Terminating where no namespace controller runs:'

const takeDown = async (setting: DemoSetting, stage: Stage, made: Made): Promise<void> => {
  const { printer } = setting
  await timed(
    setting,
    'unjoining',
    () => unjoin(stage, made),
    (left) => `unjoined ${left.length === 0 ? 'nobody: no members were left' : left.join(' and ')}`,
  )
  await timed(
    setting,
    'deleting the federation',
    () => deleteFederations(stage, made),
    (others) => `deleted the federation${others === 0 ? '' : `, and ${counted(others, 'other')} that came meanwhile`}`,
  )
  const waiting = await timed(setting, 'looking for leftovers', () => checkNothingLeft(stage, made), tellWaiting)
  if (waiting.length > 0) printer.detail(waiting.join('\n'))
  await timed(setting, 'removing the ClusterProfile API', () => removeProfileApiAgain(stage, made), tellProfileApi)
  await timed(
    setting,
    'removing the clusters',
    () => deleteClusters(stage),
    () => 'removed the clusters from fedplane',
  )
}

/** Waits for Ctrl-C, so that somebody can look around. */
const keepOpen = async ({ printer, signal, options }: DemoSetting, stage: Stage): Promise<void> => {
  const { text, close } = await lookAround(stage, options)
  try {
    printer.end(text)
    while (!signal.aborted) await delay(2 ** 30, undefined, { signal }).catch(() => undefined)
  } finally {
    await close()
  }
}

/** @throws LeftBehind when something could not be taken away */
const cleanUpYours = async ({ printer }: DemoSetting, stage: Stage, made: Made): Promise<void> => {
  const begun = performance.now()
  const faults = await cleanUp(stage, made)
  printer.step(performance.now() - begun, 'cleaned up in your clusters')
  for (const fault of faults) printer.detail(`could not be done: ${fault}`)
  if (faults.length > 0) throw new LeftBehind('cleaning up')
}

const play = async (setting: DemoSetting, stage: Stage, made: Made): Promise<void> => {
  try {
    await build(setting, stage, made)
    if (setting.options.keep) await keepOpen(setting, stage)
    // After --keep the signal has done its work: what follows is to run to its end.
    const rest = setting.options.keep ? { ...stage, api: stage.api.withoutSignal() } : stage
    await takeDown(setting, rest, made)
  } catch (error) {
    if (stage.set.kind === 'kubeconfig') await cleanUpYours(setting, stage, made)
    throw error
  }
}

/** Tells how it ended. @returns true when the log is worth keeping */
const tellEnd = ({ printer, signal }: DemoSetting, error: unknown, log: DemoLog): boolean => {
  // After --keep the signal is old: what fails then has another cause.
  if (signal.aborted && error instanceof PartFailed && error.cause === signal.reason) {
    printer.end('Interrupted.')
    return false
  }
  const why = error instanceof PartFailed ? '' : ` ${error instanceof Error ? error.message : String(error)}`
  printer.end(`The demo failed.${why}${log.written() ? `\nLog of the server: ${log.file}` : ''}`)
  return log.written()
}

/**
 * Runs the whole demo. Everything that it opens is closed when it ends, however that is.
 *
 * @returns true when every check held
 * @throws ClustersUnavailable before anything is begun
 */
export const runDemo = async (setting: DemoSetting): Promise<boolean> => {
  const { printer } = setting
  const begun = performance.now()
  const take = chooseDemoClusters(setting.options, setting.assetsFolder)
  const log = await openLog()
  const opened = new AsyncDisposableStack()
  let good = false
  let keepLog = false
  printer.heading('fedplane demo: register clusters, federate them, join, unjoin, delete')
  try {
    await play(setting, await open(setting, { take, log, opened }), {
      clusterIds: [],
      federationId: undefined,
      hadProfileApi: false,
    })
    good = true
  } catch (error) {
    keepLog = tellEnd(setting, error, log)
  } finally {
    await opened.disposeAsync()
    await log.close({ keep: keepLog })
  }
  if (good) printer.end(`Every check held. ${((performance.now() - begun) / 1000).toFixed(1)} s in all.`)
  return good
}
