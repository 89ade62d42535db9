import type { TablePorts } from '../../core/ports.ts'
import type { ApiSettings } from '../settings.ts'
import { accessLog } from './access-log.ts'
import type { ApiMiddleware } from './api-middleware.ts'
import { authenticate } from './authenticate.ts'
import { errorEnvelope } from './error-envelope.ts'
import { negotiateVersion } from './negotiate-version.ts'
import { responseHeaders } from './response-headers.ts'

/**
 * The one list of what happens around every handler. Before: from first to last. After, and on an error: from last to first, so
 * that errors become answers, answers get their headers, and then the line is logged.
 */
export const middlewareBundle = (ports: Pick<TablePorts, 'clock'>, settings: ApiSettings): ApiMiddleware[] => [
  accessLog(ports),
  responseHeaders(),
  errorEnvelope(settings),
  authenticate(),
  negotiateVersion(),
]
