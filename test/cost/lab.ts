import { generateKeySync } from 'node:crypto'
import path from 'node:path'
import { apiApp } from '../../functions/api/app.ts'
import { newUuidV7 } from '../../functions/core/ids.ts'
import { FLOWS } from '../../functions/core/operation/operation.ts'
import type { Executions, Ports } from '../../functions/core/ports.ts'
import type { Principal } from '../../functions/core/values/identity.ts'
import { driverRegistry } from '../../functions/drivers/registry.ts'
import { type FlowHandler, flowHandler } from '../../functions/flows/flow-handler.ts'
import { localPolicy } from '../../functions/kubernetes/address-guard.ts'
import { awsAccess } from '../../functions/runtime/aws-access.ts'
import { openDocumentClient } from '../../functions/store/dynamodb/request.ts'
import { dynamoStores } from '../../functions/store/dynamodb/stores.ts'
import { TABLE } from '../../local/database.ts'
import { openEmbeddedDynamoDb } from '../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../local/dynamodb/ensure-table.ts'
import { loadDefinitions } from '../../local/engine/definition.ts'
import { Engine } from '../../local/engine/engine.ts'
import { aesKeyService } from '../../local/keys/key-file.ts'
import { createLogger } from '../../local/logger.ts'
import { localOpenApi } from '../../local/open-api.ts'
import { callApp } from '../support/api/lab.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { memoryExecutionTable } from '../support/flows/memory-executions.ts'
import { standInAsset } from '../support/karmada/crds.ts'
import { defaultPolicy } from '../support/policy.ts'
import { Meter } from './meter.ts'

const STATE_MACHINE = path.resolve(import.meta.dirname, '../../statemachines/operation.asl.json')
const PROJECT = 'cost'
const CALLER: Principal = { userId: 'ana', projectId: PROJECT, roles: ['member', 'reader'], source: 'local' }

// biome-ignore lint/suspicious/noExplicitAny: the script looks into answers of every shape.
type Body = any

/** All of fedplane in this process, each function with an environment of its own, as after a while without a call. */
export type CostLab = {
  meter: Meter
  projectId: string
  /** Not counted. */
  ports: Ports
  /** Lets time pass for deadlines and the sweep. */
  advance(milliseconds: number): void
  /** A request to the API. @throws for answers that are no success */
  call(method: string, target: string, body?: unknown): Promise<Body>
  /** A run of a worker. */
  run<T>(worker: (ports: Ports) => Promise<T>): Promise<T>
  /** Every function forgets what it has cached. */
  coolDown(): void
  close(): Promise<void>
}

type Environments = { api: ReturnType<typeof apiApp>; flow: FlowHandler; worker: Ports }

const SETTINGS = {
  baseUrl: 'http://127.0.0.1:9511',
  trustForwarded: false,
  policy: defaultPolicy,
  openApi: localOpenApi,
  clustersPerProject: 1000,
}

/** One environment for each function, so that none has the data keys that another one has opened. */
const newEnvironments = (newPorts: () => Ports): Environments => ({
  api: apiApp(newPorts(), SETTINGS),
  flow: flowHandler(newPorts()),
  worker: newPorts(),
})

export const openCostLab = async (): Promise<CostLab> => {
  const meter = new Meter()
  meter.watchMachines()
  let skipped = 0
  const clock = { now: () => new Date(Date.now() + skipped) }
  const log = createLogger({ level: 'error' })
  const embedded = openEmbeddedDynamoDb({ dataDir: undefined })
  const open = () => openDocumentClient(embedded.connection)
  const [counted, silent] = [open(), open()]
  meter.watchDatabase(counted)
  await ensureTable(silent, TABLE)
  const plainKeys = aesKeyService(generateKeySync('aes', { length: 256 }))
  const keys = meter.watchKeys(plainKeys)
  const late: { engine?: Engine } = {}
  const executions: Executions = {
    start: async (ref, input) => late.engine?.start(ref, input),
    stop: async (ref, cause) => late.engine?.stop(ref, cause),
    describe: async (ref) => (await late.engine?.describe(ref)) ?? 'not-found',
    lastState: async (ref) => late.engine?.lastState(ref),
  }
  const portsWith = (stores: Ports['stores']): Ports => ({
    stores,
    executions,
    drivers: driverRegistry({ aws: awsAccess([]) }),
    connect,
    addressPolicy: localPolicy,
    asset: standInAsset,
    clock,
    newId: () => newUuidV7(clock),
    log,
  })
  const newPorts = (): Ports => {
    const stores = dynamoStores({ documentClient: counted, tableName: TABLE, keys, clock })
    return portsWith({ ...stores, events: meter.watchEvents(stores.events) })
  }
  let environments = newEnvironments(newPorts)
  const handler: FlowHandler = (event) => meter.invocation(() => environments.flow(event))
  const definitions = await loadDefinitions(STATE_MACHINE, FLOWS)
  const engine = new Engine({ table: memoryExecutionTable(), definitions, handler, clock, log })
  late.engine = engine
  return {
    meter,
    projectId: PROJECT,
    ports: portsWith(dynamoStores({ documentClient: silent, tableName: TABLE, keys: plainKeys, clock })),
    advance: (milliseconds) => {
      skipped += milliseconds
    },
    call: async (method, target, body) => {
      const options = { as: CALLER, ...(body === undefined ? {} : { body }) }
      const answer = await meter.request(() => callApp(environments.api, method, target, options))
      if (answer.status < 300) return answer.body
      throw new Error(`${method} ${target} was answered ${answer.status}: ${answer.text}`)
    },
    run: (worker) => meter.invocation(() => worker(environments.worker)),
    coolDown: () => {
      environments = newEnvironments(newPorts)
    },
    close: async () => {
      await engine.close()
      for (const client of [counted, silent]) client.destroy()
      embedded.stop()
    },
  }
}
