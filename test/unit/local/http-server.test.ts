import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { ApiEvent } from '../../../local/http/api-event.ts'
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../../local/http/http-server.ts'
import { gate, keptLog } from '../../support/local/engine-lab.ts'

const open: HttpServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

const serve = async (handle: HttpServerOptions['handle'], more: Partial<HttpServerOptions> = {}) => {
  const log = keptLog()
  const server = await startHttpServer({ port: 0, handle, authorize: async () => ({ principal: 'p' }), log, ...more })
  open.push(server)
  return { log, server, url: `http://127.0.0.1:${server.port}` }
}

/** Everything that the server says on one connection, after sending this text. */
const rawExchange = async (port: number, text: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

const ok: HttpServerOptions['handle'] = async () => ({ statusCode: 200, body: 'fine' })

describe('startHttpServer', () => {
  it('gives the function the request with what the authorizer said, and sends its result', async () => {
    const events: ApiEvent[] = []
    const { url } = await serve(
      async (event) => {
        events.push(event)
        return {
          statusCode: 202,
          headers: { 'Content-Type': 'application/json', 'X-Count': 3 },
          cookies: ['a=1', 'b=2'],
          body: Buffer.from('{"uuid":"ü"}').toString('base64'),
          isBase64Encoded: true,
        }
      },
      { authorize: async (headers) => ({ token: headers['x-auth-token'] }) },
    )
    const response = await fetch(`${url}/v1/clusters`, {
      method: 'POST',
      body: '{}',
      headers: { 'X-Auth-Token': 't', 'content-type': 'application/json' },
    })
    expect(response.status).toBe(202)
    expect(response.headers.get('x-count')).toBe('3')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.json()).toEqual({ uuid: 'ü' })
    expect(events[0]).toMatchObject({ body: '{}', requestContext: { authorizer: { lambda: { token: 't' } } } })
  })

  it('answers 500 without the cause when the function fails, and logs it', async () => {
    const { url, log } = await serve(() => Promise.reject(new Error('the secret cause')))
    const response = await fetch(url)
    const body = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(body).errors[0]).toMatchObject({ status: 500, code: 'server' })
    expect(body).not.toContain('secret')
    expect(log.lines).toEqual([expect.objectContaining({ level: 'error', message: 'request failed' })])
  })

  it('answers 500 to an answer that Lambda could not give', async () => {
    const { url } = await serve(async () => ({ statusCode: 200, body: 'x'.repeat(6 * 1024 * 1024 + 1) }))
    expect((await fetch(url)).status).toBe(500)
  })

  it('answers 413 in the envelope to a body that announces too much, without asking the function', async () => {
    let asked = 0
    const { url } = await serve(async () => ({ statusCode: 200, body: String(++asked) }), {
      limits: { bodyBytesMax: 1000 },
    })
    const response = await fetch(url, { method: 'POST', body: 'x'.repeat(1001) })
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({
      errors: [expect.objectContaining({ status: 413, code: 'client', request_id: '', links: [] })],
    })
    expect(asked).toBe(0)
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(1000) })).status).toBe(200)
  })

  it('answers 413 to a chunked body as soon as it is too much', async () => {
    const { server } = await serve(ok, { limits: { bodyBytesMax: 1000 } })
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8')
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    socket.write(`7d0\r\n${'x'.repeat(2000)}\r\n`)
    const [answer] = (await once(socket, 'data')) as [string]
    expect(answer).toContain('413 Payload Too Large')
    socket.destroy()
  })

  it('refuses too much before the client sends it, when asked with Expect', async () => {
    const { server } = await serve(ok, { limits: { bodyBytesMax: 1000 } })
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8')
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [string]
    expect(answer).toMatch(/^HTTP\/1\.1 413/)
    socket.destroy()
  })

  it('lets a client with Expect go on when its body is small enough', async () => {
    const { server } = await serve(async (event) => ({ statusCode: 200, body: event.body ?? '' }))
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nConnection: close\r\n'
    const answer = await rawExchange(server.port, `${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\nhi`)
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
    expect(answer).toMatch(/hi$/)
  })

  it('answers 504 when the function takes too long', async () => {
    const hold = gate()
    const { url } = await serve(() => hold.passed.then(() => ({ statusCode: 200 })), {
      limits: { answerTimeoutMs: 50 },
    })
    const response = await fetch(url)
    expect(response.status).toBe(504)
    expect((await response.json()) as unknown).toMatchObject({ errors: [{ status: 504 }] })
    hold.open()
  })

  it.each([
    ['nonsense\r\n\r\n', 400],
    ['GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(11_000)}\r\n\r\n`, 431],
    [`GET /${'x'.repeat(11_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ])('answers in the envelope to what is not HTTP, and goes on (case %#)', async (text, status) => {
    const { server, url } = await serve(ok)
    const answer = await rawExchange(server.port, text)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).errors[0].status).toBe(status)
    expect((await fetch(url)).status).toBe(200)
  })

  it('minds no client that goes away in the middle', async () => {
    const { server, url, log } = await serve(ok)
    const socket = connect(server.port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nhalf')
    await once(socket, 'connect')
    socket.destroy()
    await once(socket, 'close')
    expect((await fetch(url)).status).toBe(200)
    expect(log.lines).toEqual([])
  })

  it('keeps connections for further requests', async () => {
    const { server } = await serve(ok)
    const request = (more = '') => `GET / HTTP/1.1\r\nHost: x\r\n${more}\r\n`
    const answer = await rawExchange(server.port, request() + request('Connection: close\r\n'))
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })

  it('sends no length with 204 and no body to HEAD', async () => {
    const { server } = await serve(async (event) =>
      event.requestContext.http.method === 'HEAD' ? { statusCode: 200, body: 'unseen' } : { statusCode: 204 },
    )
    const ask = (method: string) =>
      rawExchange(server.port, `${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(await ask('DELETE')).not.toMatch(/content-length/i)
    expect(await ask('HEAD')).toMatch(/\r\n\r\n$/)
  })

  /** Headers of a request to a server on a port; `$` stands for that port. */
  const asked = async (lines: string, options: Partial<HttpServerOptions> = {}, start = 'GET /') => {
    const { server } = await serve(ok, { refuseForeign: true, ...options })
    const [head, body = ''] = lines.replaceAll('$', String(server.port)).split('\r\n\r\n')
    return rawExchange(server.port, `${start} HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n${body}`)
  }

  it.each([
    ['Host: 127.0.0.1:$', 200],
    ['Host: localhost:$', 200],
    ['Host: LOCALHOST:$', 200],
    ['Host: [::1]:$', 200],
    ['Host: localhost:$\r\nOrigin: http://localhost:$', 200],
    ['Host: localhost:$\r\nSec-Fetch-Site: none', 200],
    ['Host: localhost:$\r\nSec-Fetch-Site: same-origin', 200],
    ['Host: [::1]:$\r\nOrigin: http://[::1]:$', 200],
    ['Host: evil@127.0.0.1:$', 403],
    ['Host: evil:pass@localhost:$', 403],
    ['Host: 127.0.0.1:$/evil.example', 403],
    ['Host: 127.0.0.1:$?evil.example', 403],
    ['Host: 127.0.0.1:$#evil.example', 403],
    ['Host: 127.1:$', 403],
    ['Host: evil.example', 403],
    ['Host: localhost', 403],
    ['Host: localhost:1', 403],
    ['Host: localhost:$x', 403],
    ['Host: localhost.evil.example:$', 403],
    ['Host: 127.0.0.1.evil.example:$', 403],
    ['Host: 127.0.0.1:$\r\nOrigin: https://evil.example', 403],
    ['Host: 127.0.0.1:$\r\nOrigin: null', 403],
    ['Host: 127.0.0.1:$\r\nOrigin: http://localhost:3000', 403],
    ['Host: 127.0.0.1:$\r\nOrigin: http://127.0.0.1:3000', 403],
    ['Host: 127.0.0.1:$\r\nOrigin: http://127.0.0.1', 403],
    ['Host: 127.0.0.1:$\r\nOrigin: https://127.0.0.1:$', 403],
    ['Host: 127.0.0.1:$\r\nOrigin: http://localhost:$', 403],
    ['Host: 127.0.0.1:$\r\nSec-Fetch-Site: cross-site', 403],
    ['Host: 127.0.0.1:$\r\nSec-Fetch-Site: same-site', 403],
    ['Host: 127.0.0.1:$\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13', 403],
  ])('refuses web pages where it is asked to (%j: %d)', async (lines, status) => {
    expect(await asked(lines)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('refuses the preflight of a page on another port, and lets it read nothing', async () => {
    const lines = 'Host: localhost:$\r\nOrigin: http://localhost:3000\r\nAccess-Control-Request-Method: PATCH'
    const answer = await asked(lines, {}, 'OPTIONS /v1/clusters')
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    expect(answer.toLowerCase()).not.toContain('access-control-')
  })

  it.each([
    ['GET http://127.0.0.1:$/ HTTP/1.1\r\nHost: 127.0.0.1:$', 200],
    ['GET http://[::1]:$/v1 HTTP/1.1\r\nHost: [::1]:$', 200],
    ['GET HTTP://LOCALHOST:$?x=1 HTTP/1.1\r\nHost: localhost:$', 200],
    ['GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:$', 403],
    ['GET http://evil.example?x=1 HTTP/1.1\r\nHost: 127.0.0.1:$', 403],
    ['GET http://evil@127.0.0.1:$/ HTTP/1.1\r\nHost: 127.0.0.1:$', 403],
    ['GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: 127.0.0.1:$', 403],
    ['GET http://127.0.0.1:$/ HTTP/1.1\r\nHost: evil.example', 403],
    ['GET / HTTP/1.0', 403],
    ['GET http://127.0.0.1:$/ HTTP/1.0', 403],
    ['GET / HTTP/1.0\r\nHost: evil.example', 403],
    ['GET / HTTP/1.0\r\nHost: 127.0.0.1:$', 200],
    ['GET / HTTP/1.1', 400],
  ])('wants one host, its own, wherever a request names it (%j: %d)', async (head, status) => {
    const { server } = await serve(ok, { refuseForeign: true })
    const text = `${head.replaceAll('$', String(server.port))}\r\nConnection: close\r\n\r\n`
    expect(await rawExchange(server.port, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it.each([
    ['Content-Type: application/json', 200],
    ['Content-Type: application/json; charset=utf-8', 200],
    ['Content-Type: application/json-patch+json', 200],
    ['X-Any: 1', 415],
    ['Content-Type: text/plain;charset=UTF-8', 415],
    ['Content-Type: application/x-www-form-urlencoded', 415],
    ['Content-Type: multipart/form-data; boundary=x', 415],
  ])('demands of a body that it says that it is JSON (%j: %d)', async (line, status) => {
    const answer = await asked(`Host: localhost:$\r\n${line}\r\nContent-Length: 2\r\n\r\n{}`, {}, 'POST /v1/clusters')
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it.each([
    ['POST /v1/hooks/1?token=t', 200],
    ['POST /clouds/one/v1/hooks/1?token=t', 200],
    ['POST /v1/hooks/1', 415],
    ['POST /v1/clusters?/v1/hooks/1?token=t', 415],
    ['POST /v1/clusters/1/hooks?token=t', 415],
  ])('takes any body of what has the token of a hook in its URL (%s: %d)', async (line, status) => {
    const lines = 'Host: localhost:$\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}'
    expect(await asked(lines, {}, line)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('refuses pages also where any body will do', async () => {
    const lines = 'Host: localhost:$\r\nOrigin: https://evil.example\r\nContent-Length: 2\r\n\r\n{}'
    expect(await asked(lines, {}, 'POST /v1/hooks/1?token=t')).toMatch(/^HTTP\/1\.1 403 /)
  })

  it.each(['application/octet-stream', 'application/json'])('takes %s without a body', async (type) => {
    const lines = `Host: localhost:$\r\nContent-Type: ${type}\r\nContent-Length: 0`
    expect(await asked(lines, {}, 'DELETE /v1/clusters/x')).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each([
    ['Host: cloud.example.com', 200],
    ['Host: cloud.example.com:443', 200],
    ['Host: cloud.example.com\r\nOrigin: https://cloud.example.com', 200],
    ['Host: localhost:$', 200],
    ['Host: cloud.example.com:8443', 403],
    ['Host: cloud.example.com\r\nOrigin: https://cloud.example.com:8443', 403],
    ['Host: cloud.example.com\r\nOrigin: https://evil.example', 403],
    ['Host: evil.example', 403],
  ])('takes requests for the address that it is reached at as its own (%j: %d)', async (lines, status) => {
    const answer = await asked(lines, { publicUrl: 'https://cloud.example.com/magnum' })
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('says which port is used and how to choose another', async () => {
    const { server } = await serve(ok)
    await expect(serve(ok, { port: server.port })).rejects.toMatchObject({
      name: 'PortInUse',
      message: expect.stringMatching(new RegExp(`${server.port}.*--port`)),
    })
  })

  it('lets a request under way finish when it closes', async () => {
    const hold = gate()
    const entered = gate()
    const { server, url } = await serve(async () => {
      entered.open()
      await hold.passed
      return { statusCode: 200, body: 'late' }
    })
    const answer = fetch(url).then((response) => response.text())
    await entered.passed
    const closed = server.close()
    hold.open()
    expect(await answer).toBe('late')
    await closed
    await expect(fetch(url)).rejects.toThrow()
    open.length = 0
  })
})
