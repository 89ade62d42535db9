import type { FederationContext } from '../../../contract/federation-driver.ts'
import { stateOf } from './state.ts'

/** URL of the federation's API server, as it is advertised; null before it has an address. */
export const endpoint = async ({ federation }: FederationContext): Promise<string | null> =>
  stateOf(federation).endpoint ?? null
