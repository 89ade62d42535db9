import { apiSettings } from '../runtime/api-settings.ts'
import { awsTablePorts, refuseKeys } from '../runtime/aws-table-ports.ts'
import { readEnv, tableEnv } from '../runtime/env.ts'
import { lazy } from '../runtime/lazy.ts'
import { keysElsewhere } from './keys-elsewhere.ts'
import { type ApiApp, routesApp } from './routes-app.ts'
import { TABLE_ROUTES } from './table-routes.ts'

const app = lazy(() => {
  const env = readEnv(tableEnv)
  return routesApp([...TABLE_ROUTES, ...keysElsewhere(refuseKeys)], awsTablePorts(env), apiSettings(env))
})

/** Lambda entry of the API without key rights, and of every path that the gateway does not know. */
export const handler: ApiApp = async (event) => app()(event)
