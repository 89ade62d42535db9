import type { Route } from '../functions/api/route.ts'

/** The part of a route that the gateway needs. */
export type GatewayRoute = Pick<Route, 'method' | 'path' | 'access'>

const withoutVersion = (path: string): string => path.replace(/^\/v1(?=\/)/, '')

/**
 * Paths under which a route is registered at the gateway. The table function is also behind `$default`, so one is enough for its
 * routes. Those of the keys function need both spellings that the API takes, or `$default` would send the one without `/v1` to a
 * function that may not open a key. A trailing slash can't be registered (CDK refuses it): there `KeyAccessMissing` says what to do.
 */
export const gatewayPaths = ({ path, access }: GatewayRoute): string[] =>
  access === 'keys' ? [...new Set([path, withoutVersion(path)])] : [path]
