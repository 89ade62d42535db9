import { apiSettings } from '../runtime/api-settings.ts'
import { awsPorts } from '../runtime/aws-ports.ts'
import { keysEnv, readEnv } from '../runtime/env.ts'
import { lazy } from '../runtime/lazy.ts'
import { type ApiApp, apiApp } from './app.ts'

const app = lazy(() => {
  const env = readEnv(keysEnv)
  return apiApp(awsPorts(env), apiSettings(env))
})

/** Lambda entry of the API routes that seal or open credentials. */
export const handler: ApiApp = async (event) => app()(event)
