import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppError } from '../../../functions/core/values/app-error.ts'
import { boundedJson } from '../../../functions/core/values/json.ts'
import { readHealth } from '../../../functions/drivers/support/registered/read-health.ts'
import { localPolicy } from '../../../functions/kubernetes/address-guard.ts'
import { ANSWER_BOUNDS, SWEEP_LIMITS } from '../../../functions/kubernetes/bounds.ts'
import type { KubernetesClient, ReadLimits } from '../../../functions/kubernetes/client.ts'
import { connectWith } from '../../../functions/kubernetes/connect.ts'
import { namespaces, nodes } from '../../../functions/kubernetes/resources.ts'
import { ATTACK_NAMES, type HostileServer, startHostileServer } from '../../support/kubernetes/hostile.ts'
import { rejectionOf, thrownBy } from '../../support/kubernetes/leaks.ts'
import { testClient, testConnection } from '../../support/kubernetes/test-connection.ts'
import { json, makeCa, startTlsServer, type TestCa } from '../../support/kubernetes/tls.ts'

let ca: TestCa
beforeAll(async () => {
  ca = await makeCa()
})

/** A client that waits 2 s for an answer. */
const clientOf = (port: number): KubernetesClient =>
  testClient(testConnection(port, ca.certificatePem), { limits: { totalMilliseconds: 2_000 } })

describe('the health of a cluster that answers with', () => {
  let server: HostileServer
  beforeAll(async () => {
    server = await startHostileServer(ca, 'hostile')
  })
  afterAll(() => server.close())

  it.each(ATTACK_NAMES)('%s is a fault that says so in few words', async (attack) => {
    server.turn(attack)
    const client = clientOf(server.port)
    const error = (await rejectionOf(readHealth(client))) as AppError
    client.close()
    expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(/\.$/) })
    expect(error.message.length).toBeLessThan(500)
  })
})

describe('each answer', () => {
  const answering = async (
    body: unknown,
    use: (client: KubernetesClient) => Promise<unknown>,
    limits?: ReadLimits,
  ): Promise<unknown> => {
    const server = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), (_request, response) =>
      json(response, 200, body),
    )
    const client = connectWith({ policy: localPolicy })(testConnection(server.port, ca.certificatePem), limits)
    try {
      return await use(client)
    } finally {
      client.close()
      await server.close()
    }
  }
  const filler = (bytes: number): string => 'x'.repeat(bytes)
  const values = (count: number): number[] => Array.from({ length: count }, () => 0)
  const namespace = (more: object) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' }, ...more })
  const list = (more: object) => ({ apiVersion: 'v1', kind: 'NamespaceList', metadata: {}, items: [], ...more })
  const review = { apiVersion: 'v1', kind: 'Review' }

  it.each([
    ['object', (client: KubernetesClient) => client.get(namespaces, 'x'), namespace],
    ['page', (client: KubernetesClient) => client.list(namespaces), list],
    ['table', (client: KubernetesClient) => client.list(nodes, { table: true }), list],
    ['review', (client: KubernetesClient) => client.post('/x', {}), (more: object) => ({ ...review, ...more })],
    ['version', (client: KubernetesClient) => client.version(), (more: object) => ({ gitVersion: 'v1.36.3', ...more })],
  ] as const)('has its bound: %s', async (kind, use, answer) => {
    const { bytes, values: count } = ANSWER_BOUNDS[kind]
    await expect(answering(answer({ more: filler(bytes) }), use)).rejects.toMatchObject({ name: 'AnswerTooLarge' })
    await expect(answering(answer({ more: values(count) }), use)).rejects.toMatchObject({ name: 'AnswerTooLarge' })
    await expect(answering(answer({ more: filler(bytes - 1_000) }), use)).resolves.toBeDefined()
    await expect(answering(answer({ more: values(count - 50) }), use)).resolves.toBeDefined()
  })

  it('is bounded further by what its client may read, alone and together', async () => {
    const twice = async (client: KubernetesClient) => {
      await client.get(namespaces, 'x')
      await client.get(namespaces, 'x')
    }
    const limits = { ...SWEEP_LIMITS, bytes: 2_000, totalBytes: 1_500 }
    await expect(answering(namespace({ more: filler(1_800) }), twice, limits)).rejects.toThrow('1500 bytes')
    await expect(answering(namespace({ more: filler(1_000) }), twice, limits)).rejects.toMatchObject({
      name: 'AnswerTooLarge',
    })
    await expect(answering(namespace({ more: filler(100) }), twice, limits)).resolves.toBeUndefined()
  })

  it('that refuses is read no further than a Status is', async () => {
    const server = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), (_request, response) =>
      json(response, 403, { kind: 'Status', message: filler(1_000_000) }),
    )
    await expect(clientOf(server.port).get(namespaces, 'x')).rejects.toMatchObject({ name: 'AnswerTooLarge' })
    await server.close()
  })

  it.each([
    ['a long name', { name: filler(600) }],
    ['a long uid', { uid: filler(200) }],
    ['a moment that is none', { deletionTimestamp: 'soon' }],
    ['a thousand finalizers', { finalizers: Array.from({ length: 1_000 }, () => 'f') }],
    ['labels that are no text', { labels: { a: { b: 1 } } }],
  ])('with %s in its metadata is none of Kubernetes', async (_what, more) => {
    const answer = namespace({ metadata: { name: 'x', ...more } })
    await expect(answering(answer, (client) => client.get(namespaces, 'x'))).rejects.toMatchObject({
      name: 'NotKubernetes',
    })
  })

  it('is cut where it has texts for people', async () => {
    const condition = { type: filler(2_000), status: 'True', reason: filler(2_000), message: filler(20_000) }
    const status = {
      conditions: Array.from({ length: 100 }, () => condition),
      containerStatuses: [{ state: { waiting: { message: filler(9_000) } } }],
      token: filler(9_000),
    }
    const seen = (await answering(
      namespace({ status, message: filler(9_000), spec: { message: filler(9_000) } }),
      (client) => client.get(namespaces, 'x'),
    )) as { status: typeof status; message: string; spec: { message: string } }
    expect(seen.status.conditions).toHaveLength(50)
    const [first] = seen.status.conditions
    expect([first?.type.length, first?.reason.length, first?.message.length]).toEqual([253, 253, 1024])
    expect(seen.status.containerStatuses[0]?.state.waiting.message).toHaveLength(1024)
    expect(seen.message).toHaveLength(1024)
    // What is no text for people stays as it is.
    expect(seen.status.token).toHaveLength(9_000)
    expect(seen.spec.message).toHaveLength(9_000)
  })
})

describe('boundedJson', () => {
  it.each([
    ['{"a":[1,2,{"b":"[[[[,,,,"}]}', 5],
    ['"a\\"[[[[,,,"', 0],
    ['["\\\\",[],{}]', 5],
    [' [ ] ', 1],
  ])('counts values of %s outside of texts', (text, count) => {
    expect(boundedJson(text, count)).toEqual(JSON.parse(text))
    if (count > 0) expect(() => boundedJson(text, count - 1)).toThrow('more than')
  })

  it('counts levels, not brackets', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    expect(boundedJson(nested(128), 1_000)).toBeDefined()
    expect(thrownBy(() => boundedJson(nested(129), 1_000))).toMatchObject({ name: 'JsonOverBound' })
    expect(boundedJson(`[${'[],'.repeat(400)}[]]`, 1_000)).toHaveLength(401)
  })

  it('leaves it to the parser what is JSON', () => {
    expect(() => boundedJson(']]]]["', 100)).toThrow(SyntaxError)
    expect(() => boundedJson('{"a', 100)).toThrow(SyntaxError)
  })
})
