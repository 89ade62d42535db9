import path from 'node:path'
import type { Cloud } from '../../../functions/cloud/cloud.ts'
import { newUuidV7 } from '../../../functions/core/ids.ts'
import { type ExecutionRef, FLOWS, type Flow } from '../../../functions/core/operation/operation.ts'
import type { Executions, KeyService, Ports } from '../../../functions/core/ports.ts'
import { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/observe.ts'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { DriverNotFound } from '../../../functions/drivers/contract/errors.ts'
import type { FederationDriver } from '../../../functions/drivers/contract/federation-driver.ts'
import type { DriverSet } from '../../../functions/drivers/contract/registry.ts'
import { memoryFederationDriver } from '../../../functions/drivers/federation/memory/v1/index.ts'
import { MemoryWorld } from '../../../functions/drivers/federation/memory/v1/world.ts'
import { type FlowHandler, flowHandler } from '../../../functions/flows/flow-handler.ts'
import { localPolicy } from '../../../functions/kubernetes/address-guard.ts'
import type { Connect } from '../../../functions/kubernetes/client.ts'
import { loadDefinitions } from '../../../local/engine/definition.ts'
import { Engine } from '../../../local/engine/engine.ts'
import type { ExecutionTable } from '../../../local/engine/execution-table.ts'
import { type ManagedScript, managedClusterDriver } from '../drivers/managed-driver.ts'
import { keptLog } from '../local/engine-lab.ts'
import { noAssets } from '../no-assets.ts'
import { type ManualClock, manualClock } from '../store/contract-subject.ts'
import { createTestStores, type TestStores } from '../store/database.ts'
import { memoryKeys } from '../store/memory-keys.ts'
import { labClusterDriver } from './lab-cluster-driver.ts'
import { memoryExecutionTable } from './memory-executions.ts'
import { quick } from './quick.ts'

const STATE_MACHINE = path.join(import.meta.dirname, '../../../statemachines/operation.asl.json')

/** A call of a step: what tests put between engine and handler. */
export type StepCall = { flow: Flow; step: string; event: unknown }
export type Interceptor = (call: StepCall, run: () => Promise<unknown>) => Promise<unknown>

/** The whole of fedplane below the API, on the embedded database and engine, with memory@1 drivers and a clock of its own. */
export type FlowLab = {
  ports: Ports & { stores: TestStores }
  engine: Engine
  clock: ManualClock
  world: MemoryWorld
  clusters: MemoryClusters
  log: ReturnType<typeof keptLog>
  handler: FlowHandler
  /** Between engine and handler; undefined: nothing. */
  intercept: Interceptor | undefined
  /** What executions are in, as it outlives a process. */
  table: ExecutionTable
  /** Another engine over the same executions, as the next process has it; nothing comes between it and the handler. */
  nextEngine(): Engine
  /** States entered so far, by execution name. */
  stepsOf(ref: ExecutionRef): string[]
  /** Forgets scripts and counts, for the next test. */
  reset(): void
  dispose(): Promise<void>
}

const setOf = <D extends { id: string }>(...drivers: D[]): DriverSet<D & { id: `${string}@${number}` }> => {
  const known = drivers as (D & { id: `${string}@${number}` })[]
  const resolve = (id: string) => {
    const found = known.find((driver) => driver.id === id)
    if (found !== undefined) return found
    throw new DriverNotFound(`no driver ${id}`)
  }
  return { resolve, choose: resolve, list: () => known }
}

const never = () => {
  throw new Error('memory@1 connects to nothing')
}

/** Executions that a late assignment fills: ports need the engine, and the engine the handler that needs ports. */
const lateExecutions = (engine: () => Engine): Executions => ({
  start: (ref, input) => engine().start(ref, input),
  stop: (ref, cause) => engine().stop(ref, cause),
  describe: (ref) => engine().describe(ref),
  lastState: (ref) => engine().lastState(ref),
})

/** Default: memory@1, which connects to nothing. */
export type FlowLabOptions = {
  clusterDriver?: ClusterDriver
  /** Plays in the lab's world of clusters, too. Default: none. */
  managed?: ManagedScript
  federationDriver?: FederationDriver
  connect?: Connect
  /** Default: no Keystone is configured. */
  cloud?: Cloud
  /** Files that come with the functions. Default: none. */
  asset?: Ports['asset']
  /** Default: one that stands still. */
  clock?: ManualClock
  /** Default: one of its own. */
  keys?: KeyService
  /** For how long a step looks again in-process. Default 0: it looks once. */
  pollMs?: number
  /** Steps of one execution. Default: as deployed. */
  stepsMax?: number
}

export const openFlowLab = async (options: FlowLabOptions = {}): Promise<FlowLab> => {
  const {
    clusterDriver,
    managed,
    federationDriver,
    cloud,
    connect = never,
    asset = noAssets,
    clock = manualClock(),
    pollMs = 0,
    stepsMax,
    keys = memoryKeys(),
  } = options
  const stores = await createTestStores({ clock, keys })
  const world = new MemoryWorld()
  const clusters = new MemoryClusters()
  const log = keptLog()
  const driver = federationDriver ?? memoryFederationDriver({ world })
  const federation = { ...setOf(driver), default: driver.id }
  const more = managed === undefined ? [] : [managedClusterDriver(clusters, managed)]
  const ports: FlowLab['ports'] = {
    stores,
    executions: lateExecutions(() => lab.engine),
    drivers: { federation, cluster: setOf(clusterDriver ?? labClusterDriver(clusters), ...more) },
    connect,
    addressPolicy: localPolicy,
    ...(cloud === undefined ? {} : { cloud }),
    asset,
    clock,
    newId: () => newUuidV7(clock),
    log,
  }
  const handler = flowHandler(ports, { pollMs, ...(stepsMax === undefined ? {} : { stepsMax }) })
  const steps = new Map<string, string[]>()
  const intercepted = async (event: unknown): Promise<unknown> => {
    const { flow, step, state } = event as {
      flow: Flow
      step: string
      state: { operationId: string; attempt: number }
    }
    const name = `${state.operationId}-${state.attempt}`
    steps.set(name, [...(steps.get(name) ?? []), step])
    const run = () => handler(event)
    return lab.intercept ? lab.intercept({ flow, step, event }, run) : run()
  }
  const definitions = quick(await loadDefinitions(STATE_MACHINE, FLOWS))
  const table = memoryExecutionTable()
  const engineOf = (called: FlowHandler | typeof intercepted) =>
    new Engine({ table, definitions, handler: called, clock, log })
  const engine = engineOf(intercepted)
  const others: Engine[] = []
  const lab: FlowLab = {
    ports,
    engine,
    clock,
    world,
    clusters,
    log,
    handler,
    table,
    nextEngine: () => {
      const next = engineOf(handler)
      others.push(next)
      return next
    },
    intercept: undefined,
    stepsOf: (ref) => steps.get(ref.name) ?? [],
    reset: () => {
      lab.intercept = undefined
      for (const it of [world, clusters]) {
        it.before = undefined
        it.after = undefined
        it.calls.length = 0
      }
      world.hostFindings = []
      clusters.replaced.clear()
    },
    dispose: async () => {
      for (const it of [engine, ...others]) await it.close()
      await stores.dispose()
    },
  }
  return lab
}
