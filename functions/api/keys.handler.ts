import { awsGrants } from '../drivers/contract/aws-access.ts'
import { apiSettings } from '../runtime/api-settings.ts'
import { awsPorts } from '../runtime/aws-ports.ts'
import { keysEnv, readEnv } from '../runtime/env.ts'
import { lazy } from '../runtime/lazy.ts'
import { KEYS_ROUTES } from './keys-routes.ts'
import { type ApiApp, routesApp } from './routes-app.ts'

const app = lazy(() => {
  const env = readEnv(keysEnv)
  const ports = { ...awsPorts(env), triggerBuses: awsGrants(env.TRIGGER_BUSES) }
  return routesApp(KEYS_ROUTES, ports, apiSettings(env))
})

/** Lambda entry of the API routes that seal or open credentials. */
export const handler: ApiApp = async (event) => app()(event)
