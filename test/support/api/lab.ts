import { type ApiApp, apiApp } from '../../../functions/api/app.ts'
import type { ApiSettings } from '../../../functions/api/settings.ts'
import { newUuidV7 } from '../../../functions/core/ids.ts'
import type { Clock, Ports } from '../../../functions/core/ports.ts'
import { localPolicy } from '../../../functions/kubernetes/address-guard.ts'
import { localOpenApi } from '../../../local/open-api.ts'
import type { ManagedScript } from '../drivers/managed-driver.ts'
import { noAssets } from '../no-assets.ts'
import { defaultPolicy } from '../policy.ts'
import { createTestStores, type TestStores } from '../store/database.ts'
import { type PlannedPreflights, testDrivers } from './drivers.ts'
import { type RecordedExecutions, recordedExecutions } from './executions.ts'
import { type RecordedLog, recordedLog } from './log.ts'
import { type CallOptions, eventOf } from './request.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON answers of every shape.
export type Answer = { status: number; headers: Record<string, string>; body: any; text: string }

export type ApiLab = {
  ports: Ports
  stores: TestStores
  executions: RecordedExecutions
  log: RecordedLog
  preflights: PlannedPreflights
  /** What `managed@1` says; it reaches every management cluster unless a test has it otherwise. */
  managed: ManagedScript
  app: ApiApp
  call(method: string, target: string, options?: CallOptions): Promise<Answer>
  /** Another app over the same state. */
  appWith(settings: Partial<ApiSettings>): ApiApp
  /** Another app, some of whose ports are others. */
  appOver(ports: Partial<Ports>): ApiApp
  dispose(): Promise<void>
}

export const BASE_URL = 'http://127.0.0.1:9511'

/** Settings of an API in tests. */
export const API_SETTINGS: ApiSettings = {
  baseUrl: BASE_URL,
  trustForwarded: false,
  policy: defaultPolicy,
  openApi: localOpenApi,
  clustersPerProject: 1000,
  projectLimits: { federations: 1000, templates: 1000, operations: 1000, grants: 1000, members: 1000, triggers: 50 },
}

/** Calls an app as the gateway does and reads the answer. */
export const callApp = async (
  app: ApiApp,
  method: string,
  target: string,
  options: CallOptions = {},
): Promise<Answer> => {
  const result = await app(eventOf(method, target, options))
  const headers = Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)])
  const text = result.body ?? ''
  const isJson = text.startsWith('{')
  return {
    status: result.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: isJson ? JSON.parse(text) : null,
    text,
  }
}

/** The whole API over the embedded database; flows are recorded and not run. Dispose of it in `afterAll`. */
export const createApiLab = async (): Promise<ApiLab> => {
  const clock: Clock = { now: () => new Date() }
  const stores = await createTestStores({ clock })
  const executions = recordedExecutions()
  const log = recordedLog()
  const nothing = async () => ({ wouldMake: [], findings: [] })
  const preflights: PlannedPreflights = { host: nothing, member: nothing, update: nothing }
  const managed: ManagedScript = { reach: async () => undefined }
  const ports: Ports = {
    stores,
    executions,
    drivers: testDrivers(
      {
        host: (federation) => preflights.host(federation),
        member: (name) => preflights.member(name),
        update: (name, federation) => preflights.update(name, federation),
      },
      managed,
    ),
    connect: () => {
      throw new Error('the API must not connect to clusters')
    },
    addressPolicy: localPolicy,
    asset: noAssets,
    clock,
    newId: () => newUuidV7(clock),
    log,
  }
  const appWith = (settings: Partial<ApiSettings>): ApiApp => apiApp(ports, { ...API_SETTINGS, ...settings })
  const appOver = (others: Partial<Ports>): ApiApp => apiApp({ ...ports, ...others }, API_SETTINGS)
  const app = appWith({})
  return {
    ports,
    stores,
    executions,
    log,
    preflights,
    managed,
    app,
    appWith,
    appOver,
    call: (method, target, options) => callApp(app, method, target, options),
    dispose: stores.dispose,
  }
}
