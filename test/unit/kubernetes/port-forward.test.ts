import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AppError } from '../../../functions/core/values/app-error.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { restrictedPolicy } from '../../../functions/kubernetes/address-guard.ts'
import type { Connection, KubernetesClient, PodPort } from '../../../functions/kubernetes/client.ts'
import type { ConnectOptions } from '../../../functions/kubernetes/connect.ts'
import { type Fate, type ForwardingServer, startForwardingServer } from '../../support/kubernetes/forwarding-server.ts'
import { everythingOf, rejectionOf } from '../../support/kubernetes/leaks.ts'
import { TEST_TOKEN, testClient, testConnection } from '../../support/kubernetes/test-connection.ts'
import {
  type Issued,
  json,
  makeCa,
  startTlsServer,
  type TestCa,
  type TestServer,
} from '../../support/kubernetes/tls.ts'

const POD: PodPort = { namespace: 'federation-system', pod: 'karmada-apiserver-0', port: 5443 }
const VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.3' }
const status = (code: number, reason: string, message: string) => ({
  answer: [code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }] as [number, unknown],
})

let hostCa: TestCa
let podCa: TestCa
let issued: Issued
const opened: { close(): unknown }[] = []

beforeAll(async () => {
  hostCa = await makeCa('host')
  podCa = await makeCa('pod')
  issued = await hostCa.issue({ dns: ['api.example.com'], ips: ['127.0.0.1'] })
})
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

/** The host's API server. */
const host = async (fate: Fate): Promise<ForwardingServer> => hostOf(() => fate)

/** Several calls, each with a fate of its own. */
const hostOf = async (fateOf: (call: number) => Fate): Promise<ForwardingServer> => {
  let calls = 0
  const server = await startForwardingServer(issued, () => {
    calls += 1
    return fateOf(calls)
  })
  opened.push(server)
  return server
}

const open = (
  port: number,
  more: Partial<Connection> = {},
  options: Partial<ConnectOptions> = {},
): KubernetesClient => {
  const client = testClient(testConnection(port, hostCa.certificatePem, more), options)
  opened.push(client)
  return client
}

/** An API server in a pod: its certificate is for a name that nothing resolves. */
const inPod = async (
  handler = (_: unknown, response: ServerResponse) => json(response, 200, VERSION),
): Promise<TestServer> => {
  const server = await startTlsServer(await podCa.issue({ dns: ['karmada.example.com'] }), handler)
  opened.push(server)
  return server
}

const dialled = (through: KubernetesClient, options: Partial<ConnectOptions> = {}, more: Partial<Connection> = {}) => {
  const connection = testConnection(5443, podCa.certificatePem, {
    server: 'https://karmada.example.com:5443',
    dial: () => through.forward(POD),
    ...more,
  })
  const resolver = () => Promise.reject(new Error('a name was looked up'))
  const client = testClient(connection, { resolver, ...options })
  opened.push(client)
  return client
}

const failureOf = async (work: Promise<unknown>): Promise<AppError> => {
  const error = (await rejectionOf(work)) as AppError
  expect(everythingOf(error)).not.toContain(TEST_TOKEN)
  expect(error.message).toMatch(/\.$/)
  return error
}

const ended = (stream: Duplex): Promise<unknown> =>
  new Promise((resolve) => {
    stream.once('error', resolve)
    stream.once('close', () => resolve(undefined))
    stream.resume()
  })

describe('forward', () => {
  it('asks the API server for the port of the pod, with the credential, over the pinned address', async () => {
    const server = await host({ to: (await inPod()).port })
    const client = open(server.port, { server: `https://api.example.com:${server.port}/base/` })
    const stream = await client.forward(POD)
    stream.destroy()
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]?.url).toBe(
      '/base/api/v1/namespaces/federation-system/pods/karmada-apiserver-0/portforward?ports=5443',
    )
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${TEST_TOKEN}`,
      host: `api.example.com:${server.port}`,
      'sec-websocket-protocol': 'v4.channel.k8s.io',
    })
  })

  it('presents a client certificate, and no token', async () => {
    const server = await startForwardingServer(issued, () => status(403, 'Forbidden', 'no'), {
      requestCert: true,
      rejectUnauthorized: true,
      ca: hostCa.certificatePem,
    })
    opened.push(server)
    const { certificatePem, keyPem } = await hostCa.issue({ name: 'jane' })
    const credential = { kind: 'client-certificate', certificatePem, keyPem: new Secret(keyPem) } as const
    expect((await failureOf(open(server.port, { credential }).forward(POD))).name).toBe('PermissionDenied')
    expect(server.seen[0]?.headers.authorization).toBeUndefined()
  })

  it('carries bytes both ways, whole and in order, however slowly they are read', async () => {
    const received: Buffer[] = []
    const answer = Buffer.alloc(3_000_000, 'answer ')
    const server = await host((webSocket) => {
      webSocket.on('message', (message: Buffer) => {
        received.push(message.subarray(1))
        if (Buffer.concat(received).length < 300_000) return
        // The port's number comes in parts, and data right behind it.
        webSocket.send(Buffer.of(0, 0x43))
        webSocket.send(Buffer.concat([Buffer.of(0, 0x15), answer.subarray(0, 10)]))
        for (let at = 10; at < answer.length; at += 32_768) {
          webSocket.send(Buffer.concat([Buffer.of(0), answer.subarray(at, at + 32_768)]))
        }
        webSocket.close()
      })
    })
    const stream = await open(server.port).forward(POD)
    const sent = Buffer.alloc(300_000, 'question ')
    for (let at = 0; at < sent.length; at += 50_000) stream.write(sent.subarray(at, at + 50_000))
    const chunks: Buffer[] = []
    for await (const chunk of stream) {
      chunks.push(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(Buffer.concat(received).equals(sent)).toBe(true)
    expect(Buffer.concat(chunks).equals(answer)).toBe(true)
  })

  it('ends the connection when the stream is ended, or destroyed', async () => {
    const server = await host({ to: (await inPod()).port })
    const client = open(server.port)
    const [first, second] = [await client.forward(POD), await client.forward(POD)]
    expect(server.open.size).toBe(2)
    first.end()
    second.destroy()
    await Promise.all([ended(first), ended(second)])
    await expect.poll(() => server.open.size).toBe(0)
  })

  it.each([
    ['no such pod', status(404, 'NotFound', 'pods "karmada-apiserver-0" not found'), 'ObjectNotFound', /not found/],
    [
      'no right',
      status(403, 'Forbidden', `the user ${TEST_TOKEN} cannot`),
      'PermissionDenied',
      /\(403\): the user \*\*\*/,
    ],
    ['a refused credential', status(401, 'Unauthorized', 'Unauthorized'), 'CredentialRejected', /401/],
    ['a pod that does not run', status(500, 'InternalError', 'container not running'), 'ApiUnavailable', /not running/],
  ])('tells of %s', async (_, fate, name, message) => {
    const error = await failureOf(open((await host(fate)).port).forward(POD))
    expect(error.name).toBe(name)
    expect(error.message).toMatch(message)
    expect(error.message).toContain('pods/karmada-apiserver-0/portforward of 127.0.0.1')
  })

  it("fails the stream with the kubelet's words when nothing listens on the port", async () => {
    const server = await host({ error: 'error forwarding port 5443 to pod x:\n connect: connection refused' })
    const stream = await open(server.port).forward(POD)
    const error = (await ended(stream)) as AppError
    expect(error.name).toBe('ConnectFailed')
    expect(error.message).toMatch(/can't reach port 5443 of the pod: .* connect: connection refused;/)
  })

  it.each(['', '.', 'a/b'])('refuses the pod name %j', async (pod) => {
    const server = await host('silent')
    expect((await failureOf(open(server.port).forward({ ...POD, pod }))).name).toBe('ObjectInvalid')
    expect(server.seen).toEqual([])
  })

  it('checks the certificate of the API server, its address, and how long it takes', async () => {
    const server = await host('silent')
    const limits = { connectMilliseconds: 2_000, totalMilliseconds: 150 }
    const foreign = open(server.port, { caPem: podCa.certificatePem })
    expect((await failureOf(foreign.forward(POD))).name).toBe('TlsVerificationFailed')
    expect((await failureOf(open(server.port, {}, { limits }).forward(POD))).name).toBe('RequestTimedOut')
    const restricted = open(
      server.port,
      { server: `https://api.example.com:${server.port}` },
      { policy: restrictedPolicy([]) },
    )
    expect((await failureOf(restricted.forward(POD))).name).toBe('AddressForbidden')
    expect((await failureOf(open(1).forward(POD))).name).toBe('ConnectFailed')
  })
})

describe('a dialled connection', () => {
  it('speaks TLS and HTTP with the pod, checks its name, looks up none and keeps the connection', async () => {
    const pod = await inPod()
    const through = await host({ to: pod.port })
    const client = dialled(open(through.port))
    for (let call = 0; call < 4; call += 1) expect((await client.version()).minor).toBe(36)
    expect(through.seen).toHaveLength(1)
    expect(pod.seen[0]).toMatchObject({ servername: 'karmada.example.com' })
    expect(pod.seen[0]?.headers).toMatchObject({ host: 'karmada.example.com:5443' })
    client.close()
    await expect.poll(() => through.open.size).toBe(0)
    expect((await client.version()).minor).toBe(36)
    expect(through.seen).toHaveLength(2)
  })

  it('carries large answers and many calls at once over no more connections than any other', async () => {
    const text = 'x'.repeat(1_000_000)
    const pod = await inPod((_, response) => json(response, 200, { text }))
    const through = await host({ to: pod.port })
    const client = dialled(open(through.port))
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => client.raw(`/${at}`)))
    for (const { body } of answers) expect(body.length).toBeGreaterThan(text.length)
    expect(through.seen.length).toBeLessThanOrEqual(16)
  })

  it('may go to an address that we may not connect to ourselves', async () => {
    const pod = await startTlsServer(await podCa.issue({ ips: ['10.96.7.7'] }), (_, response) =>
      json(response, 200, VERSION),
    )
    opened.push(pod)
    const client = dialled(
      open((await host({ to: pod.port })).port),
      { policy: restrictedPolicy([]) },
      { server: 'https://10.96.7.7:5443' },
    )
    expect((await client.version()).minor).toBe(36)
  })

  it('is refused when the pod has the certificate of another name', async () => {
    const pod = await startTlsServer(await podCa.issue({ dns: ['other.example.com'] }), (_, response) =>
      json(response, 200, VERSION),
    )
    opened.push(pod)
    const error = await failureOf(dialled(open((await host({ to: pod.port })).port)).version())
    expect(error).toMatchObject({ name: 'TlsVerificationFailed', details: { fault: 'wrong-name' } })
  })

  it('is made anew when the pod closed the kept one', async () => {
    const pod = await inPod((_, response) => {
      if (pod.seen.length === 2) response.socket?.destroy()
      else json(response, 200, VERSION)
    })
    const through = await host({ to: pod.port })
    const client = dialled(open(through.port))
    await client.version()
    await client.version()
    expect(through.seen).toHaveLength(2)
  })

  it("fails with the dial's own error, and the next call dials again", async () => {
    const pod = await inPod()
    const through = await hostOf((call) =>
      call === 1
        ? status(404, 'NotFound', 'pods "x" not found')
        : call === 2
          ? { error: 'connection refused' }
          : { to: pod.port },
    )
    const client = dialled(open(through.port))
    expect((await failureOf(client.version())).name).toBe('ObjectNotFound')
    const refused = await failureOf(client.version())
    expect(refused.name).toBe('ConnectFailed')
    expect(refused.message).toContain('connection refused')
    expect((await client.version()).minor).toBe(36)
  })

  it('takes no longer than connecting may', async () => {
    const limits = { connectMilliseconds: 100, totalMilliseconds: 5_000 }
    const client = dialled(open((await host('silent')).port), { limits })
    expect((await failureOf(client.version())).name).toBe('ConnectTimedOut')
  })
})
