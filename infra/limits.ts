/**
 * Time limits of Lambda functions, seconds. They belong together: API Gateway gives up at 30; a step polls up to 10 and may wait 15 for a
 * cluster's answer, a few times over; each Task's TimeoutSeconds in the state machines is longer than its function's limit, so that
 * the function fails first and under its own name.
 */
export const TIMEOUT_SECONDS = {
  table: 20,
  keys: 25,
  authorizer: 10,
  identity: 20,
  step: 60,
  event: 120,
  canary: 450,
  stream: 330,
} as const

/**
 * Requests of all clients together, a second, before the gateway answers 429: an account has 1,000 functions at once, of which a request takes
 * one for some 50 ms, so that a flood leaves most of them to flows and sweeps.
 */
export const API_THROTTLE = { rateLimit: 500, burstLimit: 1_000 } as const

/**
 * Logins of all clients together, a second: each checks a password for half a second, so that a flood of them takes some twenty functions and
 * no more.
 */
export const LOGIN_THROTTLE = { rateLimit: 20, burstLimit: 40 } as const

/**
 * Posts to hooks of all projects together, a second: whoever has a URL needs no token, and a flood of them leaves most of `API_THROTTLE` to others.
 */
export const HOOK_THROTTLE = { rateLimit: 100, burstLimit: 200 } as const

/**
 * Concurrent executions that the API has for itself where the account has room: at 500 requests a second of some 50 ms, 25 are at work, and
 * those that reach into clusters take longer. Flows and sweeps have what is left.
 */
export const API_CONCURRENCY = { table: 100, keys: 50, authorizer: 100 } as const
