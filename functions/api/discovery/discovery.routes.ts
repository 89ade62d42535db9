import type { Route } from '../route.ts'
import { showHealth, showVersion, showVersions } from './discovery.ts'

export const DISCOVERY_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/', access: 'none', handle: showVersions },
  { method: 'GET', path: '/v1', access: 'none', handle: showVersion },
  { method: 'GET', path: '/healthcheck', access: 'none', handle: showHealth },
]
