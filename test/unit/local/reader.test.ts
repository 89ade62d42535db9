import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { localPolicy } from '../../../functions/kubernetes/address-guard.ts'
import { SWEEP_LIMITS } from '../../../functions/kubernetes/bounds.ts'
import type { Connection, KubernetesClient } from '../../../functions/kubernetes/client.ts'
import { connectWith } from '../../../functions/kubernetes/connect.ts'
import * as errors from '../../../functions/kubernetes/errors.ts'
import { namespaces, nodes } from '../../../functions/kubernetes/resources.ts'
import { AnswerUnreadable, CLIENT_ERRORS } from '../../../local/reader/errors.ts'
import { Reader } from '../../../local/reader/reader.ts'
import { recordedLog } from '../../support/api/log.ts'
import { everythingOf, rejectionOf } from '../../support/kubernetes/leaks.ts'
import { TEST_TOKEN, testConnection } from '../../support/kubernetes/test-connection.ts'
import { json, makeCa, startTlsServer } from '../../support/kubernetes/tls.ts'

/** On a busy machine a thread takes seconds to start. */
const FAR_MS = 60_000

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const readerOf = (script?: URL): Reader => {
  const reader = new Reader({
    connect: connectWith({ policy: localPolicy }),
    log: recordedLog(),
    ...(script === undefined ? {} : { script }),
  })
  closers.push(() => reader.close())
  return reader
}

/** An API server, and a client of it that reads in another thread. */
const serving = async (answers: Record<string, { status: number; body: unknown }>, more: Partial<Connection> = {}) => {
  const ca = await makeCa()
  const server = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), ({ url }, response) => {
    const { status, body } = answers[url.split('?')[0] ?? ''] ?? { status: 404, body: 'no such path' }
    if (typeof body === 'string') response.writeHead(status).end(body)
    else json(response, status, body)
  })
  closers.push(() => server.close())
  const client = readerOf().connect(testConnection(server.port, ca.certificatePem, more))
  closers.push(() => client.close())
  return { client, server }
}

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x', uid: 'u' } }
const node = { metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }

/** A reader whose thread the host `greedy` ends, and `stuck` keeps waiting; and clients of hosts, on behalf of projects. */
const greedy = () => {
  const reader = readerOf(new URL('../../support/local/greedy.worker.ts', import.meta.url))
  const clientOf = (host: string, projectId = 'one'): KubernetesClient =>
    reader.connect(
      {
        server: `https://${host}`,
        caPem: null,
        tlsServerName: null,
        tlsVerify: true,
        credential: { kind: 'token', token: new Secret(TEST_TOKEN) },
      },
      { ...SWEEP_LIMITS, projectId },
    )
  return { reader, clientOf }
}

describe('Reader', { timeout: FAR_MS }, () => {
  it('reads as a client of this process does', async () => {
    const { client } = await serving({
      '/api/v1/namespaces/x': { status: 200, body: namespace },
      '/api/v1/nodes': { status: 200, body: { apiVersion: 'v1', kind: 'NodeList', metadata: {}, items: [node] } },
      '/version': { status: 200, body: { gitVersion: 'v1.36.3', major: '1', minor: '36' } },
      '/readyz': { status: 200, body: 'ok' },
    })
    expect(await client.get(namespaces, 'x')).toEqual(namespace)
    expect(await client.get(namespaces, 'y')).toBeUndefined()
    expect((await client.list(nodes)).items).toMatchObject([{ kind: 'Node', metadata: { name: 'n1' } }])
    expect(await client.raw('/readyz')).toEqual({ status: 200, body: 'ok' })
    expect(await client.version()).toMatchObject({ gitVersion: 'v1.36.3', minor: 36 })
    expect(await client.readHealth?.()).toEqual({
      api: 'ok',
      version: 'v1.36.3',
      nodeCount: 1,
      masterCount: 0,
      allNodesReady: true,
      nodes: { 'n1.Ready': 'True' },
    })
    await client.reach()
  })

  it('writes in this process', async () => {
    const { client, server } = await serving({ '/api/v1/namespaces': { status: 201, body: namespace } })
    expect(await client.create(namespaces, namespace)).toEqual(namespace)
    expect(server.seen.at(-1)?.method).toBe('POST')
  })

  it.each([
    [401, errors.CredentialRejected],
    [403, errors.PermissionDenied],
    [429, errors.ApiThrottled],
    [503, errors.ApiUnavailable],
  ])('throws for %i what a client of this process does', async (status, Kind) => {
    const body = { apiVersion: 'v1', kind: 'Status', reason: 'Why', message: `the token ${TEST_TOKEN} is not good` }
    const { client } = await serving({ '/api/v1/namespaces/x': { status, body } })
    const error = await rejectionOf(client.get(namespaces, 'x'))
    expect(error).toBeInstanceOf(Kind)
    expect(error).toMatchObject({ details: { status, reason: 'Why' }, message: expect.stringContaining('the token') })
    expect(everythingOf(error)).not.toContain(TEST_TOKEN)
  })

  it('knows all that a client throws', () => {
    // Said of a cluster's identity and of the store, not by a client.
    const others = ['ClusterIdentityChanged', 'StoredConnectionInvalid']
    const names = CLIENT_ERRORS.map(({ name }) => name)
    expect([...names, ...others].sort()).toEqual(Object.keys(errors).sort())
  })

  it('leaves dialled connections in this process', async () => {
    const dialled: Connection = { ...testConnection(1, null), dial: () => Promise.reject(new Error('dialled here')) }
    const error = (await rejectionOf(readerOf().connect(dialled).version())) as Error
    expect(error.name).toBe('ConnectFailed')
  })

  it('outlives a thread that runs out of memory, and tells only the cluster that it read from', async () => {
    const { clientOf } = greedy()
    const hosts = ['one', 'greedy', 'two', 'three']
    const seen = await Promise.allSettled(hosts.map((host) => clientOf(host).version()))
    expect(seen.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.constructor))).toEqual([
      'one',
      AnswerUnreadable,
      'two',
      'three',
    ])
    // The next one reads in a new thread.
    expect(await clientOf('four').version()).toBe('four')
  })

  it('keeps no project waiting for reads of another one that hang when all are read alone', async () => {
    const { reader, clientOf } = greedy()
    const hung = ['stuck', 'stuck', 'greedy'].map((host) => rejectionOf(clientOf(host, 'hostile').version()))
    expect(await clientOf('honest', 'other').version()).toBe('honest')
    await reader.close()
    // The first of them hung before the others' turn came.
    expect((await Promise.all(hung)).map((error) => (error as Error).name)).toEqual(hung.map(() => 'ThreadLost'))
  })

  it('tells nothing of clusters once it is closed', async () => {
    const reader = readerOf(new URL('../../support/local/greedy.worker.ts', import.meta.url))
    const reading = reader.connect(testConnection(1, null)).version()
    const lost = rejectionOf(reading)
    await reader.close()
    expect(await lost).toMatchObject({ name: 'ThreadLost' })
  })
})
