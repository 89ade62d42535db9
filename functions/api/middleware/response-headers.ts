import type { ApiMiddleware } from './api-middleware.ts'

/** The request id on every answer; the version headers where they belong (magnum-rest.md 1.3, 13.3). */
export const responseHeaders = (): ApiMiddleware => {
  const add: NonNullable<ApiMiddleware['after']> = ({ event, response }) => {
    if (!response) return
    response.headers = {
      ...response.headers,
      ...event.versionHeaders,
      'X-Openstack-Request-Id': event.requestId,
    }
  }
  return { after: add, onError: add }
}
