import { principalOf } from '../principal.ts'
import type { ApiMiddleware } from './api-middleware.ts'

/** Demands a principal, except on public routes. Unknown paths ask too: what exists is not for everybody. */
export const authenticate = (): ApiMiddleware => ({
  before: ({ event }) => {
    const { target } = event
    if ('route' in target && target.route.access === 'none') return
    event.principal = principalOf(event.http.requestContext)
    event.log = event.log.child({ projectId: event.principal.projectId })
  },
})
