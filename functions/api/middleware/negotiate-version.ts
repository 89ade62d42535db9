import { MicroversionUnsupported } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { parseMicroversion, versionHeaders } from '../microversion.ts'
import type { ApiMiddleware } from './api-middleware.ts'

/** `/` and `/healthcheck` are outside of the version; all other paths are under `/v1`, unknown ones too. */
const isVersioned = ({ target }: Exchange): boolean => !('route' in target) || target.route.path.startsWith('/v1')

/** Reads the version header, before anything is done that depends on it. */
export const negotiateVersion = (): ApiMiddleware => ({
  before: ({ event }) => {
    if (!isVersioned(event)) return
    try {
      event.minor = parseMicroversion(event.http.headers['openstack-api-version'])
      event.versionHeaders = versionHeaders(`1.${event.minor}`)
    } catch (error) {
      if (error instanceof MicroversionUnsupported) {
        event.versionHeaders = versionHeaders(String(error.details.requested))
      }
      throw error
    }
  },
})
