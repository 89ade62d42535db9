import { apiSettings } from '../runtime/api-settings.ts'
import { awsPorts } from '../runtime/aws-ports.ts'
import { readEnv, tableEnv } from '../runtime/env.ts'
import { lazy } from '../runtime/lazy.ts'
import { noKeys } from '../runtime/no-keys.ts'
import { type ApiApp, apiApp } from './app.ts'

const app = lazy(() => {
  const env = readEnv(tableEnv)
  return apiApp(awsPorts(env, noKeys), apiSettings(env))
})

/** Lambda entry of the API without key rights. */
export const handler: ApiApp = async (event) => app()(event)
