import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Logger, TablePorts } from '../core/ports.ts'
import type { Principal } from '../core/values/principal.ts'
import type { FrameworkError } from './framework-errors.ts'
import type { Match } from './match.ts'

/**
 * One request on its way through the middlewares: the event, and what they found out about it. `P`: what its route may be handled with;
 * middlewares handle none.
 */
export type Exchange<P extends TablePorts = never> = {
  readonly http: APIGatewayProxyEventV2
  readonly requestId: string
  /** `Date.now()` of the clock when it came in. */
  readonly startedAt: number
  readonly baseUrl: string
  readonly target: Match<P> | FrameworkError
  /** Gets the project added once it is known. */
  log: Logger
  principal: Principal | null
  /** Minor version in effect; 1 until the header is read. */
  minor: number
  /** Set once the header is parsed, for paths under `/v1`. */
  versionHeaders: Readonly<Record<string, string>>
}
