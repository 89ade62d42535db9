import type { ServerResponse } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AppError } from '../../../functions/core/values/app-error.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { restrictedPolicy } from '../../../functions/kubernetes/address-guard.ts'
import type { Connection, KubernetesClient } from '../../../functions/kubernetes/client.ts'
import type { ConnectOptions } from '../../../functions/kubernetes/connect.ts'
import { everythingOf, rejectionOf, thrownBy } from '../../support/kubernetes/leaks.ts'
import { TEST_TOKEN, testClient, testConnection } from '../../support/kubernetes/test-connection.ts'
import {
  type Issued,
  type IssueOptions,
  json,
  makeCa,
  type SeenRequest,
  startTlsServer,
  type TestCa,
  type TestServer,
} from '../../support/kubernetes/tls.ts'

const VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.3' }
const answerVersion = (_request: SeenRequest, response: ServerResponse): void => json(response, 200, VERSION)

let ca: TestCa
let issued: Issued
const opened: { close(): unknown }[] = []

beforeAll(async () => {
  ca = await makeCa()
  issued = await ca.issue({ dns: ['api.example.com'], ips: ['127.0.0.1'] })
})
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

const serve = async (
  handler: Parameters<typeof startTlsServer>[1],
  more: { issued?: Issued; options?: Parameters<typeof startTlsServer>[2] } = {},
): Promise<TestServer> => {
  const server = await startTlsServer(more.issued ?? issued, handler, more.options)
  opened.push(server)
  return server
}

const open = (
  port: number,
  connection: Partial<Connection> = {},
  options: Partial<ConnectOptions> = {},
): KubernetesClient => {
  const client = testClient(testConnection(port, ca.certificatePem, connection), options)
  opened.push(client)
  return client
}

/** The error of one call, checked for leaks. */
const failureOf = async (client: KubernetesClient): Promise<AppError> => {
  const error = (await rejectionOf(client.version())) as AppError
  expect(everythingOf(error)).not.toContain(TEST_TOKEN)
  expect(everythingOf(error)).not.toContain('PRIVATE KEY')
  expect(error.message).toMatch(/GET \/version .*127\.0\.0\.1|GET \/version of api\.example\.com/)
  expect(error.message).toMatch(/\.$/)
  return error
}

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push({ close: () => new Promise((resolve) => server.close(resolve)) })
  return (server.address() as AddressInfo).port
}

/** A port that was free a moment ago. */
const closedPort = async (): Promise<number> => {
  const server = createTcpServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('a connection', () => {
  it('sends the token, to the pinned address, with the right SNI and Host', async () => {
    const server = await serve(answerVersion)
    const client = open(server.port, { server: `https://api.example.com:${server.port}/base/` })
    expect((await client.version()).minor).toBe(36)
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/base/version', servername: 'api.example.com' })
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${TEST_TOKEN}`,
      host: `api.example.com:${server.port}`,
    })
  })

  it('sends no SNI to an address', async () => {
    const server = await serve(answerVersion)
    await open(server.port).version()
    expect(server.seen[0]?.servername).toBe(false)
  })

  it('checks the certificate against tls-server-name when there is one', async () => {
    const server = await serve(answerVersion, { issued: await ca.issue({ dns: ['kube.example.com'] }) })
    await open(server.port, { tlsServerName: 'kube.example.com' }).version()
    expect(server.seen[0]?.servername).toBe('kube.example.com')
    expect((await failureOf(open(server.port))).name).toBe('TlsVerificationFailed')
  })

  it('presents a client certificate, and no token', async () => {
    let presented: unknown
    const server = await serve(
      (request, response, raw) => {
        presented = (
          raw.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }
        ).getPeerCertificate().subject.CN
        answerVersion(request, response)
      },
      { options: { requestCert: true, ca: ca.certificatePem } },
    )
    const { certificatePem, keyPem } = await ca.issue({ name: 'jane' })
    await open(server.port, {
      credential: { kind: 'client-certificate', certificatePem, keyPem: new Secret(keyPem) },
    }).version()
    expect(presented).toBe('jane')
    expect(server.seen[0]?.headers.authorization).toBeUndefined()
  })

  it('is kept alive and used again, also after its client is closed', async () => {
    const server = await serve(answerVersion)
    const client = open(server.port)
    for (let call = 0; call < 5; call += 1) await client.version()
    expect(server.connections()).toBe(1)
    client.close()
    await client.version()
    expect(server.connections()).toBe(1)
  })

  it('is made anew when the server closed the kept one, for calls that can be repeated', async () => {
    const server = await serve((request, response) => {
      if (server.seen.length === 2) response.socket?.destroy()
      else answerVersion(request, response)
    })
    const client = open(server.port)
    await client.version()
    await client.version()
    expect(server.seen).toHaveLength(3)
  })

  it('shows by a recent answer, whatever it was, that the server can be reached, until a call fails', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/version') response.socket?.destroy()
      else json(response, 503, {})
    })
    const client = open(server.port)
    const asked = (): (string | undefined)[] => server.seen.map(({ url }) => url)
    await client.reach()
    await client.reach()
    expect(asked()).toEqual(['/readyz'])
    await rejectionOf(client.version())
    await client.reach()
    expect(asked().at(-1)).toBe('/readyz')
    expect(asked().filter((url) => url === '/readyz')).toHaveLength(2)
  })

  it('is not given up because this process was too busy to make it', async () => {
    const server = await serve(answerVersion)
    const version = open(server.port, {}, { limits: { connectMilliseconds: 150 } }).version()
    // The first stall is before the connection, the second within the handshake.
    for (let stall = 0; stall < 2; stall += 1) {
      const until = Date.now() + 400
      while (Date.now() < until) JSON.stringify(VERSION)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await version).minor).toBe(36)
  })

  it('does not repeat a POST', async () => {
    const server = await serve((request, response) => {
      if (request.method === 'POST') response.socket?.destroy()
      else answerVersion(request, response)
    })
    const client = open(server.port)
    await client.version()
    const error = (await rejectionOf(client.post('/api/v1/namespaces', { kind: 'Namespace' }))) as AppError
    expect(error.name).toBe('ConnectFailed')
    expect(server.seen).toHaveLength(2)
  })

  it('trusts an intermediate in the CA data by itself, as kubectl does', async () => {
    const other = await makeCa('other')
    const server = await serve(answerVersion)
    await open(server.port, { caPem: other.certificatePem + ca.certificatePem }).version()
  })

  it('skips verification only when told to', async () => {
    const server = await serve(answerVersion, { issued: await (await makeCa('other')).issue() })
    await open(server.port, { caPem: null, tlsVerify: false }).version()
    expect((await failureOf(open(server.port, { caPem: null }))).name).toBe('TlsVerificationFailed')
  })
})

describe('a failure to connect', () => {
  it('tells a name that does not resolve', async () => {
    const resolver = async () => {
      throw Object.assign(new Error('x'), { code: 'ENOTFOUND' })
    }
    const error = await failureOf(open(1, { server: 'https://api.example.com' }, { resolver }))
    expect(error).toMatchObject({ name: 'DnsLookupFailed', retryable: true, details: { code: 'ENOTFOUND' } })
  })

  it('tells a resolver that never answers', async () => {
    const options = { resolver: () => new Promise<never>(() => {}), limits: { connectMilliseconds: 30 } }
    expect((await failureOf(open(1, { server: 'https://api.example.com' }, options))).name).toBe('DnsLookupFailed')
  })

  it('tells a name that resolves to a denied address', async () => {
    const resolver = async () => [{ address: '169.254.169.254', family: 4 as const }]
    const error = (await rejectionOf(
      open(1, { server: 'https://api.example.com' }, { resolver }).version(),
    )) as AppError
    expect(error.name).toBe('AddressForbidden')
  })

  it('refuses a denied literal before anything is called', () => {
    const error = thrownBy(() => open(1, {}, { policy: restrictedPolicy([]) })) as AppError
    expect(error.name).toBe('AddressForbidden')
  })

  it('tells a refused connection, and resolves again afterwards', async () => {
    const port = await closedPort()
    let lookups = 0
    const resolver = async () => {
      lookups += 1
      return [{ address: '127.0.0.1', family: 4 as const }]
    }
    const client = open(1, { server: `https://api.example.com:${port}` }, { resolver })
    expect(await failureOf(client)).toMatchObject({
      name: 'ConnectFailed',
      retryable: true,
      details: { code: 'ECONNREFUSED' },
    })
    await failureOf(client)
    expect(lookups).toBe(2)
  })

  it('tries every checked address', async () => {
    const server = await serve(answerVersion)
    const resolver = async () => [
      { address: '127.0.0.2', family: 4 as const },
      { address: '127.0.0.1', family: 4 as const },
    ]
    await open(1, { server: `https://api.example.com:${server.port}` }, { resolver }).version()
  })

  it('tells a server that accepts and says nothing from one that is slow to answer', async () => {
    const silent = await listen(createTcpServer((socket) => opened.push({ close: () => socket.destroy() })))
    const limits = { connectMilliseconds: 60, totalMilliseconds: 5_000 }
    const error = await failureOf(open(silent, {}, { limits }))
    expect(error).toMatchObject({ name: 'ConnectTimedOut', retryable: true })
  })

  it.each<[string, () => Promise<{ issued: Issued; caPem?: string }>, string]>([
    ['an unknown CA', async () => ({ issued, caPem: (await makeCa('other')).certificatePem }), 'unknown-ca'],
    ['another name', async () => ({ issued: await ca.issue({ dns: ['other.example.com'] }) }), 'wrong-name'],
    ['another address', async () => ({ issued: await ca.issue({ ips: ['127.0.0.2'] }) }), 'wrong-name'],
    ['an expired certificate', async () => ({ issued: await issueAt({ notBefore: -2, notAfter: -1 }) }), 'expired'],
    [
      'a certificate of tomorrow',
      async () => ({ issued: await issueAt({ notBefore: 1, notAfter: 2 }) }),
      'not-yet-valid',
    ],
  ])('tells a server with %s', async (_what, make, fault) => {
    const { issued: certificate, caPem = ca.certificatePem } = await make()
    const server = await serve(answerVersion, { issued: certificate })
    const error = await failureOf(open(server.port, { caPem }))
    expect(error).toMatchObject({ name: 'TlsVerificationFailed', retryable: false, details: { fault } })
    expect(server.seen).toHaveLength(0)
  })

  it('says of an unknown CA whether the kubeconfig gave one', async () => {
    const server = await serve(answerVersion)
    const given = await failureOf(open(server.port, { caPem: (await makeCa('other')).certificatePem }))
    expect(given.message).toContain('not signed by the given CA; check certificate-authority-data')
    const none = await failureOf(open(server.port, { caPem: null }))
    expect(none).toMatchObject({ name: 'TlsVerificationFailed', details: { fault: 'unknown-ca' } })
    expect(none.message).toContain('the kubeconfig has no CA')
    expect(none.message).toContain('certificate-authority-data')
    expect(none.message).not.toContain('given CA')
  })

  it('tells a server that does not speak TLS', async () => {
    const server = createHttpServer((_request, response) => response.end('hello'))
    expect((await failureOf(open(await listen(server)))).name).toBe('NotKubernetes')
  })

  it('tells a server that refuses the client certificate', async () => {
    const options = { requestCert: true, rejectUnauthorized: true, ca: ca.certificatePem }
    const server = await serve(answerVersion, { options })
    expect((await failureOf(open(server.port))).name).toBe('CredentialRejected')
  })

  it('never shows the token, even one that no header can carry', async () => {
    const server = await serve(answerVersion)
    const token = new Secret(`${TEST_TOKEN}\r\nX-Injected: 1`)
    expect((await failureOf(open(server.port, { credential: { kind: 'token', token } }))).name).toBe('ConnectFailed')
    expect(server.seen).toHaveLength(0)
  })
})

const issueAt = ({ notBefore, notAfter }: { notBefore: number; notAfter: number }): Promise<Issued> => {
  const hours = (count: number): Date => new Date(Date.now() + count * 3_600_000)
  const options: IssueOptions = { ips: ['127.0.0.1'], notBefore: hours(notBefore), notAfter: hours(notAfter) }
  return ca.issue(options)
}

describe('an answer', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['that never comes', () => {}],
    [
      'that stops half way',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"gitV'),
    ],
  ])('%s is a time-out', async (_what, handle) => {
    const server = await serve((_request, response) => handle(response))
    const error = await failureOf(open(server.port, {}, { limits: { totalMilliseconds: 150 } }))
    expect(error).toMatchObject({ name: 'RequestTimedOut', retryable: true })
  })

  it('that comes byte by byte is a time-out', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(timer))
    })
    expect((await failureOf(open(server.port, {}, { limits: { totalMilliseconds: 150 } }))).name).toBe(
      'RequestTimedOut',
    )
  })

  it('that is cut off is a broken connection', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{', () => response.socket?.destroy())
    })
    expect((await failureOf(open(server.port))).name).toBe('ConnectFailed')
  })

  it('that is too large is refused', async () => {
    const server = await serve((_request, response) =>
      json(response, 200, { gitVersion: 'v1', filler: 'x'.repeat(5_000) }),
    )
    expect((await failureOf(open(server.port, {}, { limits: { maxAnswerBytes: 4_096 } }))).name).toBe('AnswerTooLarge')
  })

  it('that says that it is larger than allowed is refused before it comes', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': String(64 * 1024 * 1024) }).write('{')
    })
    expect((await failureOf(open(server.port))).name).toBe('AnswerTooLarge')
  })

  it('is asked for as it is, and a gzip bomb is refused unread', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    const error = await failureOf(open(server.port))
    expect(error.name).toBe('NotKubernetes')
    expect(error.message).toContain('Accept-Encoding: identity')
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity')
  })

  it.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'x'.repeat(5_000)])(
    'in the encoding %.20s is refused',
    async (encoding) => {
      const server = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end('{}'),
      )
      const { name, message } = await failureOf(open(server.port))
      expect(name).toBe('NotKubernetes')
      expect(message.length).toBeLessThan(600)
    },
  )

  it('may say that it is in no encoding', async () => {
    const server = await serve((_request, response) => json(response, 200, VERSION, { 'content-encoding': 'identity' }))
    expect((await open(server.port).version()).gitVersion).toBe('v1.36.3')
  })

  it('that redirects is not followed', async () => {
    const elsewhere = await serve(answerVersion)
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: `https://127.0.0.1:${elsewhere.port}/version` }).end(),
    )
    expect((await failureOf(open(server.port))).name).toBe('NotKubernetes')
    expect(elsewhere.connections()).toBe(0)
  })
})
