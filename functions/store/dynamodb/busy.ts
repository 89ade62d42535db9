import type { AppError } from '../../core/values/app-error.ts'
import { StoreBusy } from '../errors.ts'

/** Names of refusals for load and of passing faults, when the SDK's own retries are used up. */
const PASSING: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
])

/** Name and code of an error of the SDK or of Node's sockets. */
const namesOf = (error: unknown): string[] =>
  error instanceof Error ? [error.name, ...('code' in error && typeof error.code === 'string' ? [error.code] : [])] : []

export const hasName = (error: unknown, name: string): boolean => namesOf(error).includes(name)

/** StoreBusy where waiting may help; every other error as it is: it is a fault of ours or of the deployment. */
export const asStoreError = (error: unknown): unknown =>
  namesOf(error).some((name) => PASSING.has(name)) ? storeBusy(error) : error

export const storeBusy = (cause: unknown): AppError =>
  new StoreBusy('The database is busy or cannot be reached; try again in a few seconds.', { cause })

const BASE_MS = 20
const CAP_MS = 1000

/** Full jitter: somewhere between nothing and an exponential bound, so that writers in conflict spread out. Milliseconds. */
export const fullJitter = (attempt: number): number => Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt)
