import { noQuery } from '../query.ts'
import { type ApiRequest, type ApiResponse, route, type TableRoute } from '../route.ts'

/** As whom the server takes the caller, and which authority vouched for that. */
const whoami = async ({ principal }: ApiRequest): Promise<ApiResponse> => {
  const { userId, projectId, roles, source } = principal
  return { status: 200, body: { user_id: userId, project_id: projectId, roles, source } }
}

/** Who calls: for clients that act in the caller's own project, also where that caller sees others. */
export const WHOAMI_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/whoami',
    access: 'table',
    rule: 'identity:get',
    summary: 'Says who calls: user, project and roles.',
    schemas: { query: noQuery },
    handle: whoami,
  }),
]
