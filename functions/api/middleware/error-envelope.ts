import { isAppError } from '../../core/values/app-error.ts'
import { errorResponse } from '../envelope.ts'
import { FrameworkError } from '../framework-errors.ts'
import { toResult } from '../result.ts'
import type { ApiSettings } from '../settings.ts'
import type { ApiMiddleware } from './api-middleware.ts'

/** Turns what was thrown into an answer; what nobody expected is logged with its stack and shown to nobody. */
export const errorEnvelope = (settings: ApiSettings): ApiMiddleware => ({
  onError: (request) => {
    const { event, error } = request
    if (error instanceof FrameworkError) event.versionHeaders = {}
    if (!isAppError(error) || error.kind === 'internal') event.log.error('request failed', { error })
    const { baseUrl } = event
    request.response = toResult(event.http, errorResponse(error, { baseUrl, authUrl: settings.authUrl ?? baseUrl }))
  },
})
