import type { TablePorts } from '../../core/ports.ts'
import type { ApiMiddleware } from './api-middleware.ts'

/** One line per request: the route's pattern instead of the path, so that lines group and nobody's text is in them. */
export const accessLog = (ports: Pick<TablePorts, 'clock'>): ApiMiddleware => {
  const write: NonNullable<ApiMiddleware['after']> = ({ event, response }) => {
    const { http, target, principal, startedAt, minor } = event
    event.log.info('request', {
      method: http.requestContext.http.method,
      route: 'route' in target ? target.route.path : null,
      status: response?.statusCode ?? 500,
      milliseconds: ports.clock.now().getTime() - startedAt,
      minor,
      userId: principal?.userId ?? null,
    })
  }
  return { after: write, onError: write }
}
