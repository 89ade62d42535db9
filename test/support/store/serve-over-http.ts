import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Connection } from '../../../local/dynamodb/connection.ts'
import type { RequestHandler } from '../../../local/dynamodb/request-handler.ts'

/** A test's database at a loopback address, for functions that run in a process of their own. */
export const serveOverHttp = async ({
  requestHandler,
}: Connection): Promise<{ endpoint: string; close(): Promise<void> }> => {
  const { handle } = requestHandler as RequestHandler
  const server = createServer(async (request, response) => {
    const headers = request.headers as Record<string, string>
    const { response: answer } = await handle({ headers, body: await text(request) })
    response.writeHead(answer.statusCode, answer.headers).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
