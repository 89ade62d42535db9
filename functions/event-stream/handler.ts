import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { EVENT_ROUTES } from '../api/events/events.routes.ts'
import { namedFeed } from '../api/events/named-feed.ts'
import { routesApp } from '../api/routes-app.ts'
import { handler as authorizer } from '../authorizer/handler.ts'
import { newUuidV7 } from '../core/ids.ts'
import { apiSettings } from '../runtime/api-settings.ts'
import { awsTablePorts } from '../runtime/aws-table-ports.ts'
import { readEnv, tableEnv } from '../runtime/env.ts'
import { lazy } from '../runtime/lazy.ts'
import { STREAM_MS, streamFunction } from './answer.ts'
import { storedPlaces } from './places.ts'

const stream = lazy(() => {
  const env = readEnv(tableEnv)
  const ports = awsTablePorts(env)
  return streamFunction({
    app: routesApp(EVENT_ROUTES, ports, apiSettings(env)),
    events: { feed: namedFeed(ports.stores) },
    authorize: async (headers) => (await authorizer({ headers })).context,
    places: storedPlaces(ports, { id: newUuidV7(ports.clock), leaseMs: STREAM_MS + 30_000 }),
  })
})

/** Lambda entry of the function's own URL, with a response that is streamed: one request at a time. */
export const handler = awslambda.streamifyResponse<APIGatewayProxyEventV2>((event, response) =>
  stream()(event, (head) => awslambda.HttpResponseStream.from(response, head)),
)
