import type { Ports } from '../core/ports.ts'
import { ROUTES } from './routes.ts'
import { type ApiApp, routesApp } from './routes-app.ts'
import type { ApiSettings } from './settings.ts'

export type { ApiApp } from './routes-app.ts'

/** The whole API, as the local server has it. On AWS each function has an app of its own routes. */
export const apiApp = (ports: Ports, settings: ApiSettings): ApiApp => routesApp(ROUTES, ports, settings)
