import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { httpCall } from '../../../functions/http/http-call.ts'

const SECRET = 'secret-token'

describe('httpCall', () => {
  const servers: ReturnType<typeof createServer>[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  const asked = async (listener: RequestListener, signal = new AbortController().signal) => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?secret=${SECRET}`)
    const headers = { authorization: SECRET }
    return httpCall({ method: 'GET', url, headers, signal, answerBytesMax: 1000 })
  }

  const refusal = (answer: ReturnType<typeof asked>): Promise<Error> =>
    answer.then(
      () => expect.fail('answered'),
      (error: Error) => error,
    )

  it('gives any answer, redirects too, and follows none', async () => {
    const answer = await asked((_, response) => response.writeHead(302, { location: '/elsewhere' }).end('x'))
    expect(answer).toMatchObject({ status: 302, body: 'x' })
  })

  it('reads no more than it may', async () => {
    const error = await refusal(asked((_, response) => response.end('x'.repeat(1001))))
    expect(error).toMatchObject({ name: 'NoWholeAnswer', message: expect.stringContaining('larger than 1000 bytes') })
  })

  it('ends with its signal, in the middle of an answer too', async () => {
    const ending = new AbortController()
    const answer = asked((_, response) => {
      response.write('half')
      ending.abort()
    }, ending.signal)
    expect((await refusal(answer)).message).toMatch(/\/path failed: no whole answer in time\.$/)
  })

  it('says that the connection broke, and nothing of what was sent', async () => {
    const error = await refusal(asked((request) => request.socket.destroy()))
    expect(error).toMatchObject({ name: 'NoWholeAnswer', message: expect.stringContaining('the connection broke') })
    expect(JSON.stringify(error) + error.message + error.stack).not.toContain(SECRET)
  })
})
