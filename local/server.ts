import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ApiApp, apiApp } from '../functions/api/app.ts'
import { type StreamingApp, streamingApp } from '../functions/api/events/event-stream.ts'
import { namedFeed } from '../functions/api/events/named-feed.ts'
import { baseUrlOf } from '../functions/api/routes-app.ts'
import type { Rates } from '../functions/api/settings.ts'
import { type IdentitySettings, keystoneBase } from '../functions/authorizer/settings.ts'
import { FLOWS } from '../functions/core/operation/operation.ts'
import type { Executions, Logger, Ports } from '../functions/core/ports.ts'
import type { ProjectLimits } from '../functions/core/values/quota.ts'
import type { AwsGrants } from '../functions/drivers/contract/aws-access.ts'
import type { RegistryOptions } from '../functions/drivers/enabled.ts'
import { flowHandler } from '../functions/flows/flow-handler.ts'
import type { UserDirectory } from '../functions/identity/directory.schema.ts'
import { IDENTITY_PATH, identityPathOf } from '../functions/identity-api/identity-app.ts'
import type { Policy } from '../functions/policy/policy.ts'
import { adoptItems } from './adopt-items.ts'
import { ASSETS_FOLDER } from './assets/assets.ts'
import { makeMissingAssets } from './assets/make-missing-assets.ts'
import { type Authorize, openAuthorizer, openTokenFile, type TokenLookup } from './authorizer/authorizer.ts'
import { openFacade, openUserFile } from './authorizer/identity-facade.ts'
import { startBackground } from './background.ts'
import { Bus } from './bus/bus.ts'
import { executionStatusEvent } from './bus/bus-event.ts'
import { FeedSignal } from './bus/feed-signal.ts'
import { localCloud } from './cloud.ts'
import { type Database, openDatabase } from './database.ts'
import { makeDataDirectory } from './dynamodb/make-directory.ts'
import { loadDefinitions } from './engine/definition.ts'
import { Engine } from './engine/engine.ts'
import { dynamoExecutionTable } from './engine/execution-table.ts'
import { startHttpServer } from './http/http-server.ts'
import { PeerUsers } from './http/peer-user.ts'
import { createLogger } from './logger.ts'
import { localOpenApi } from './open-api.ts'
import { loadPolicy } from './policy.ts'
import { localPorts, systemClock } from './ports.ts'

const STATE_MACHINE = path.resolve(import.meta.dirname, '../statemachines/operation.asl.json')
/** Magnum's default. */
const CLUSTERS_PER_PROJECT = 20

export type FedplaneOptions = {
  /** Default 0: a free one. */
  port?: number
  /** Default: a temporary directory, removed at the end. */
  dataDir?: string
  /** JSON: token → holder. Default: everybody is the local principal. */
  tokensFile?: string | undefined
  /** Who else vouches for callers. Default: nobody. */
  identity?: IdentitySettings | undefined
  /** Users of the identity facade, which is served then. Not with Keystone, in whose place it stands. Default: none. */
  usersFile?: string | undefined
  /** Of another DynamoDB; default: the embedded one. */
  dynamodbEndpoint?: string | undefined
  /** Files that drivers need. Default: `dist/assets`. */
  assetsFolder?: string
  /** Folder, tar archive or URL of Karmada's CRDs, to make missing ones of those files from. Default: they stay missing. */
  karmadaCrds?: string | undefined
  /** Which drivers are enabled. Default: all but memory@1. */
  drivers?: RegistryOptions
  /** File or folder of policies that add to the defaults. */
  policies?: string | undefined
  /** Scheme, host and mount path as clients see them. Default: `http://127.0.0.1:<port>`. */
  publicUrl?: string | undefined
  /** Let `X-Forwarded-*` of a proxy say where links point. Default false. */
  trustForwarded?: boolean
  /** Without tokens: let other users of this machine in, as administrators. Default false. */
  allowOtherUsers?: boolean
  /** Clusters that a project without a quota of its own may have. Default: Magnum's 20. */
  clustersPerProject?: number
  /** What else a project may have. Default: `PROJECT_LIMITS`. */
  projectLimits?: ProjectLimits
  /** Requests a second of a project and of a caller. Default: any number. */
  rates?: Rates
  /** What projects may use of AWS through this process's credentials. Default: everything without tokens, else nothing. */
  eksGrants?: AwsGrants | undefined
  /** Default: warnings and errors to standard error. */
  log?: Logger
}

export type Fedplane = {
  /** `http://127.0.0.1:<port>`, without `/v1`. */
  url: string
  /** For tests and the demo: the same that handlers use. */
  ports: Ports
  engine: Engine
  /** Ends everything within 3 s. Open executions stay open for the next start. Can be called twice. */
  close(): Promise<void>
}

const takeDirectory = async (dataDir: string | undefined, opened: AsyncDisposableStack): Promise<string> => {
  if (dataDir !== undefined) {
    makeDataDirectory(dataDir)
    return dataDir
  }
  const directory = await mkdtemp(path.join(tmpdir(), 'fedplane-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  return directory
}

type Core = { ports: Ports; engine: Engine; bus: Bus; feedSignal: FeedSignal }

/** Ports need executions, executions need the steps, steps need the ports: the engine comes last, behind this. */
const deferredExecutions = (): Executions & { use(executions: Executions): void } => {
  let target: Executions | undefined
  const get = (): Executions => {
    if (!target) throw new TypeError('The engine is not made yet.')
    return target
  }
  return {
    use: (executions) => {
      target = executions
    },
    start: (ref, input) => get().start(ref, input),
    lastState: (ref) => get().lastState(ref),
    stop: (ref, cause) => get().stop(ref, cause),
    describe: (ref) => get().describe(ref),
  }
}

/** Without tokens whoever is at this machine is the operator, and what they have is theirs to use. */
const isForOnePerson = ({ tokensFile, identity, usersFile }: FedplaneOptions): boolean =>
  !tokensFile && !identity && !usersFile

const makeCore = async (database: Database, dataDir: string, options: FedplaneOptions, log: Logger): Promise<Core> => {
  const executions = deferredExecutions()
  const [definitions, ports] = await Promise.all([
    loadDefinitions(STATE_MACHINE, FLOWS),
    localPorts({
      database,
      dataDir,
      assetsFolder: options.assetsFolder ?? ASSETS_FOLDER,
      drivers: options.drivers ?? {},
      executions,
      cloud: localCloud(options.identity),
      eksGrants: options.eksGrants ?? (isForOnePerson(options) ? 'everything' : []),
      log,
    }),
  ])
  const bus = new Bus(log)
  const engine = new Engine({
    table: dynamoExecutionTable(database.client),
    definitions,
    handler: flowHandler(ports),
    clock: systemClock,
    log,
    onUnsuccessfulEnd: (ref, end) => {
      const envelope = { id: randomUUID(), time: systemClock.now().toISOString() }
      void bus.publish(executionStatusEvent(ref, end, envelope))
    },
  })
  executions.use(engine)
  return { ports, engine, bus, feedSignal: new FeedSignal() }
}

/** Files that say who may call: read first, so that a bad one is reported before anything is made. */
type OperatorFiles = { tokens: TokenLookup | undefined; users: (() => UserDirectory) | undefined }

/** @throws TokenFileInvalid, UserFileInvalid */
const openOperatorFiles = ({ tokensFile, usersFile }: FedplaneOptions, log: Logger): OperatorFiles => ({
  tokens: tokensFile === undefined ? undefined : openTokenFile(tokensFile, log),
  users: usersFile === undefined ? undefined : openUserFile(usersFile, log),
})

type Application = { handle: StreamingApp; authorize: Authorize }

/** The port is taken first, so that a used one is reported at once and nothing is made; requests wait until the application is there. */
const listen = async (options: FedplaneOptions, application: Promise<Application>, log: Logger) => {
  application.catch(() => undefined)
  const refuseForeign = isForOnePerson(options)
  return startHttpServer({
    port: options.port ?? 0,
    handle: async (event, signal) => (await application).handle(event, signal),
    authorize: async (headers) => (await application).authorize(headers),
    log,
    refuseForeign,
    peerUsers: refuseForeign && !options.allowOtherUsers ? new PeerUsers() : undefined,
    publicUrl: options.publicUrl,
  })
}

type Made = {
  core: Core
  database: Database
  dataDir: string
  files: OperatorFiles
  policy: Policy
  url: string
  log: Logger
}

const makeApplication = async (options: FedplaneOptions, made: Made): Promise<Application> => {
  const { core, database, dataDir, files, policy, url, log } = made
  const { identity, publicUrl, trustForwarded = false, clustersPerProject = CLUSTERS_PER_PROJECT } = options
  const address = { baseUrl: publicUrl ?? url, trustForwarded }
  const facade =
    files.users &&
    (await openFacade({
      users: files.users,
      dataDir,
      database,
      identity,
      baseUrl: (headers) => baseUrlOf(address, headers),
      log,
    }))
  const keystone = identity?.keystone && keystoneBase(identity.keystone.url)
  const authUrl = facade ? `${address.baseUrl}${IDENTITY_PATH}/v3` : keystone
  const api = apiApp(core.ports, {
    ...address,
    policy,
    openApi: localOpenApi,
    clustersPerProject,
    ...(options.projectLimits === undefined ? {} : { projectLimits: options.projectLimits }),
    ...(options.rates === undefined ? {} : { rates: options.rates }),
    ...(authUrl === undefined ? {} : { authUrl }),
  })
  const isForFacade = ({ rawPath }: Parameters<ApiApp>[0]): boolean =>
    identityPathOf(rawPath, address.baseUrl) !== undefined
  const providers = facade ? { ...identity, users: facade.authority } : identity
  const authorize = openAuthorizer({ tokens: files.tokens, identity: providers }, { clock: systemClock, log })
  const app: ApiApp = (event) => (facade && isForFacade(event) ? facade.app(event) : api(event))
  const events = { feed: namedFeed(core.ports.stores) }
  return { handle: streamingApp({ app, events, authorize, changed: core.feedSignal.changed }), authorize }
}

const start = async (options: FedplaneOptions, opened: AsyncDisposableStack): Promise<Fedplane> => {
  const log = options.log ?? createLogger({ level: 'warn' })
  const files = openOperatorFiles(options, log)
  const application = Promise.withResolvers<Application>()
  const http = await listen(options, application.promise, log)
  opened.defer(() => http.close())
  const url = `http://127.0.0.1:${http.port}`
  const dataDir = await takeDirectory(options.dataDir, opened)
  await makeMissingAssets(options)
  // While the database comes up.
  const loading = loadPolicy(options.policies)
  loading.catch(() => undefined)
  const database = await openDatabase({ dataDir, endpoint: options.dynamodbEndpoint }, { opened, log })
  const policy = await loading
  const core = await makeCore(database, dataDir, options, log)
  if (database.hasFormer) await adoptItems(core.ports.stores, dataDir)
  application.resolve(await makeApplication(options, { core, database, dataDir, files, policy, url, log }))
  const background = startBackground({ ...core, database }).catch((error: unknown) => {
    log.error('background work not started', { error })
  })
  // Everything that uses the database, at the same time and before it.
  opened.defer(async () => {
    const closeBackground = background.then((started) => started?.close())
    await Promise.all([http.close(), core.engine.close(), closeBackground])
  })
  let closing: Promise<void> | undefined
  return {
    url,
    ports: core.ports,
    engine: core.engine,
    close: () => {
      closing ??= opened.disposeAsync()
      return closing
    },
  }
}

/**
 * Starts everything in this process: HTTP server, embedded database and state machines, bus, schedule.
 *
 * @throws PortInUse, DataDirectoryInUse, DataDirectoryUnusable, TokenFileInvalid, UserFileInvalid, PoliciesNotFound, PolicyTextInvalid, KeyFileUnusable, DefinitionRefused; nothing is left running then
 */
export const startFedplane = async (options: FedplaneOptions = {}): Promise<Fedplane> => {
  // Closes in the opposite order: at the end, or when a later step of the start fails.
  const opened = new AsyncDisposableStack()
  try {
    return await start(options, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
