import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { externalV1 } from '../../../functions/drivers/cluster/external/v1/index.ts'
import type { ClusterContext } from '../../../functions/drivers/contract/cluster-driver.ts'
import type { Connection } from '../../../functions/kubernetes/client.ts'
import { encodeConnection } from '../../../functions/kubernetes/stored-connection.ts'
import { clusterEntity, connect } from '../../support/drivers/test-cluster.ts'
import { json, makeCa, startTlsServer, type TestCa, type TestServer } from '../../support/kubernetes/tls.ts'

type Answer = { status: number; body: unknown }
type Answers = Record<string, Answer | ((body: string) => Answer)>

const AUTHENTICATION = 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews'
const AUTHORIZATION = 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const failure = (code: number, reason: string): Answer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: reason, code },
})
const allowing =
  (allowed: (verb: string) => boolean) =>
  (body: string): Answer => {
    const { verb } = JSON.parse(body).spec.resourceAttributes
    return {
      status: 201,
      body: {
        kind: 'SelfSubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        status: { allowed: allowed(verb) },
      },
    }
  }
const user = (username: string): Answer => ({
  status: 201,
  body: { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1', status: { userInfo: { username } } },
})
const node = (name: string, ready: string, labels = {}) => ({
  metadata: { name, labels },
  status: { conditions: [{ type: 'Ready', status: ready }] },
})
const nodeList = (items: unknown[], next?: string): Answer => ({
  status: 200,
  body: { kind: 'NodeList', apiVersion: 'v1', metadata: { continue: next }, items },
})

const GOOD: Answers = {
  'GET /version': { status: 200, body: { major: '1', minor: '33+', gitVersion: 'v1.33.4-eks-99bf7ab' } },
  [AUTHENTICATION]: user('system:admin'),
  [AUTHORIZATION]: allowing(() => true),
  'GET /api/v1/namespaces/kube-system': {
    status: 200,
    body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-system', uid: 'uid-1' } },
  },
  'GET /readyz': { status: 200, body: 'ok' },
  'GET /api/v1/nodes?limit=500&includeObject=None': nodeList([
    node('cp', 'True', { 'node-role.kubernetes.io/control-plane': '' }),
    node('w1', 'True'),
    node('w2', 'True'),
  ]),
}

const NODES = 'GET /api/v1/nodes?limit=500&includeObject=None'

describe('external@1', () => {
  let ca: TestCa
  let server: TestServer
  let answers: Answers = GOOD

  beforeAll(async () => {
    ca = await makeCa()
    server = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), (request, response) => {
      const answer = answers[`${request.method} ${request.url}`] ?? failure(404, 'NotFound')
      const { status, body } = typeof answer === 'function' ? answer(request.body) : answer
      if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
      else json(response, status, body)
    })
  })
  afterAll(() => server.close())

  const contextOf = (change: Partial<Connection> = {}, cluster = clusterEntity()): ClusterContext => ({
    cluster,
    credential: async () =>
      encodeConnection({
        server: `https://127.0.0.1:${server.port}`,
        caPem: ca.certificatePem,
        tlsServerName: null,
        tlsVerify: true,
        credential: { kind: 'token', token: new Secret('a-token-for-tests') },
        ...change,
      }),
    connect,
    claimIdentity: async () => undefined,
    task: null,
    nodeGroups: [],
    template: async () => null,
    authority: async () => undefined,
    management: () => Promise.reject(new Error('external@1 needs no management cluster')),
    cloudCredential: async () => undefined,
    now: () => '2026-11-27T12:00:00.000Z',
  })
  const createFails = async (given: Answers, change: Partial<Connection> = {}): Promise<unknown> => {
    answers = { ...GOOD, ...given }
    for (const phase of externalV1.phases.create) {
      try {
        await phase.ensure(contextOf(change))
      } catch (error) {
        return { phase: phase.id, name: (error as Error).name, message: (error as Error).message }
      }
    }
    return 'it did not fail'
  }
  const observed = (given: Answers, cluster = clusterEntity()) => {
    answers = { ...GOOD, ...given }
    return externalV1.observe(contextOf({}, cluster))
  }

  it('tells the access which a registration fails apart', async () => {
    const other = await makeCa('another CA')
    const named = (phase: string, name: string) => expect.objectContaining({ phase, name })
    expect(await createFails({}, { server: 'https://nobody.invalid:6443' })).toEqual(named('reach', 'DnsLookupFailed'))
    expect(await createFails({}, { server: 'https://127.0.0.1:1' })).toEqual(named('reach', 'ConnectFailed'))
    expect(await createFails({}, { caPem: other.certificatePem })).toEqual(named('reach', 'TlsVerificationFailed'))
    expect(await createFails({}, { server: 'https://169.254.169.254' })).toEqual(named('reach', 'AddressForbidden'))
    expect(await createFails({ 'GET /version': { status: 200, body: { hello: 'world' } } })).toEqual(
      named('reach', 'NotKubernetes'),
    )
    expect(await createFails({ [AUTHENTICATION]: failure(401, 'Unauthorized') })).toEqual(
      named('identify', 'CredentialRejected'),
    )
    expect(await createFails({ 'GET /api/v1/namespaces/kube-system': failure(403, 'Forbidden') })).toEqual(
      named('claim', 'PermissionDenied'),
    )
    expect(await createFails({ 'GET /api/v1/namespaces/kube-system': failure(404, 'NotFound') })).toEqual(
      named('claim', 'NotKubernetes'),
    )
  })

  it('takes an anonymous user for a rejected credential', async () => {
    const rejected = expect.objectContaining({ phase: 'identify', name: 'CredentialRejected' })
    expect(await createFails({ [AUTHENTICATION]: user('system:anonymous') })).toEqual(rejected)
    expect(await createFails({ [AUTHENTICATION]: failure(403, 'Forbidden') })).toEqual(rejected)
  })

  it('names exactly the verbs and resources that are missing', async () => {
    expect(await createFails({ [AUTHORIZATION]: allowing((verb) => verb === 'get') })).toEqual({
      phase: 'permissions',
      name: 'PermissionDenied',
      message: expect.stringMatching(/may not: list nodes\. /),
    })
    expect(await createFails({ [AUTHORIZATION]: allowing(() => false) })).toMatchObject({
      message: expect.stringMatching(/may not: get namespaces\/kube-system; list nodes\. /),
    })
  })

  it('registers with servers that are too old to say who we are', async () => {
    expect(await createFails({ [AUTHENTICATION]: failure(404, 'NotFound') })).toBe('it did not fail')
    const claim = externalV1.phases.create.find(({ id }) => id === 'claim')
    expect((await claim?.ensure(contextOf()))?.identity).toEqual({ uid: 'uid-1', user: 'unknown' })
  })

  it('keeps the address that other clusters use', async () => {
    answers = GOOD
    const peers = {
      server: 'https://old',
      serverForPeers: 'https://10.0.0.1:6443',
      caPem: null,
      tlsServerName: null,
      tlsVerify: true,
    }
    const seen = await externalV1.phases.create[0]?.ensure(contextOf({}, clusterEntity({ endpoint: peers })))
    expect(seen?.endpoint).toMatchObject({
      server: `https://127.0.0.1:${server.port}`,
      serverForPeers: 'https://10.0.0.1:6443',
      caPem: ca.certificatePem,
    })
  })

  it('keeps no more of what a server tells than there is room for', async () => {
    const long = 'x'.repeat(400)
    const seen = await observed({
      'GET /version': { status: 200, body: { major: '1', minor: '33', gitVersion: `v1.33.4-${long}` } },
      'GET /readyz': { status: 500, body: `[-]${long} failed\n`.repeat(300) },
      'GET /api/v1/nodes?limit=500&includeObject=None': nodeList(
        Array.from({ length: 20 }, (_, index) => node(`${index}${long}`, 'True')),
      ),
    })
    expect(Buffer.byteLength(JSON.stringify(seen))).toBeLessThan(10_000)
    expect(seen.version).toMatch(/^v1\.33\.4-x/)
    answers = { ...GOOD, [AUTHENTICATION]: user('x'.repeat(5_000)) }
    const claim = externalV1.phases.create.find(({ id }) => id === 'claim')
    expect((await claim?.ensure(contextOf()))?.identity?.user.length).toBeLessThan(2000)
  })

  it.each([
    ['GET /version', { status: 200, body: { gitVersion: 'x'.repeat(300_000) } }],
    ['GET /readyz', { status: 500, body: '[-]etcd\n'.repeat(100_000) }],
    [NODES, nodeList([node('x'.repeat(5_000), 'True')])],
    [
      NODES,
      {
        status: 200,
        body: { apiVersion: 'v1', kind: 'NodeList', metadata: {}, items: [{ metadata: { name: 'a' }, status: 7 }] },
      },
    ],
  ])('is unhealthy with a reason where %s tells too much, or what no API server does', async (path, answer) => {
    const seen = await observed({ [path]: answer })
    expect(seen).toMatchObject({ healthStatus: 'UNHEALTHY', healthReason: { api: expect.stringMatching(/./) } })
    expect(Buffer.byteLength(JSON.stringify(seen))).toBeLessThan(2_000)
  })

  it('names as many nodes as there is room for', async () => {
    const long = Array.from({ length: 150 }, (_, index) => node(`${index}${'名'.repeat(400)}`, 'True'))
    const seen = await observed({ [NODES]: nodeList(long) })
    expect(seen).toMatchObject({ healthStatus: 'HEALTHY', nodeCount: 150 })
    expect(Buffer.byteLength(JSON.stringify(seen.healthReason))).toBeLessThan(16_384)
    expect(Object.keys(seen.healthReason).length).toBeGreaterThan(10)
  })

  it('refuses an identity that no Kubernetes cluster has', async () => {
    const uid = 'u'.repeat(5_000)
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid } }
    const failed = await createFails({ 'GET /api/v1/namespaces/kube-system': { status: 200, body: namespace } })
    expect(failed).toMatchObject({ phase: 'claim', name: 'NotKubernetes' })
    expect(JSON.stringify(failed).length).toBeLessThan(1_000)
  })

  it('counts nodes, masters apart, and keeps the version whole', async () => {
    expect(await observed({})).toEqual({
      observedAt: '2026-11-27T12:00:00.000Z',
      healthStatus: 'HEALTHY',
      healthReason: { api: 'ok', 'cp.Ready': 'True', 'w1.Ready': 'True', 'w2.Ready': 'True' },
      version: 'v1.33.4-eks-99bf7ab',
      nodeCount: 2,
      masterCount: 1,
    })
  })

  it('is told from another cluster that answers in its place, of which nothing else is told', async () => {
    const identity = (uid: string) => ({ ...clusterEntity(), identity: { uid, user: 'system:admin' } })
    expect(await observed({}, identity('uid-1'))).toMatchObject({ healthStatus: 'HEALTHY', nodeCount: 2 })
    const gone = { 'GET /api/v1/namespaces/kube-system': failure(404, 'NotFound') }
    const failing = { 'GET /api/v1/nodes?limit=500&includeObject=None': failure(500, 'InternalError') }
    for (const given of [{}, gone, failing]) {
      const seen = await observed(given, identity('uid-2'))
      expect(seen).toMatchObject({ healthStatus: 'UNHEALTHY', isOther: true, nodeCount: 0, version: null })
      expect(seen.healthReason).toEqual({ api: expect.stringMatching(/^Another cluster answers/) })
      expect(JSON.stringify(seen)).not.toMatch(/uid-[12]/)
    }
    const refused = await observed(
      { 'GET /api/v1/namespaces/kube-system': failure(403, 'Forbidden') },
      identity('uid-1'),
    )
    expect(refused).toMatchObject({ healthStatus: 'UNKNOWN' })
    expect(refused).not.toHaveProperty('isOther')
  })

  it('follows the pages of a long list, and names not ready nodes first, 100 at most', async () => {
    const many = Array.from({ length: 499 }, (_, index) => node(`n${index}`, 'True'))
    const seen = await observed({
      'GET /api/v1/nodes?limit=500&includeObject=None': nodeList(many, 'more'),
      'GET /api/v1/nodes?limit=500&continue=more&includeObject=None': nodeList([node('last', 'Unknown')]),
    })
    expect(seen).toMatchObject({ healthStatus: 'UNHEALTHY', nodeCount: 500 })
    expect(Object.entries(seen.healthReason).slice(0, 2)).toEqual([
      ['api', 'ok'],
      ['last.Ready', 'False'],
    ])
    expect(Object.keys(seen.healthReason)).toHaveLength(101)
  })

  it('is healthy without nodes', async () => {
    expect(await observed({ 'GET /api/v1/nodes?limit=500&includeObject=None': nodeList([]) })).toMatchObject({
      healthStatus: 'HEALTHY',
      nodeCount: 0,
    })
  })

  it('names what is not ready in the API server', async () => {
    const body = '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed'
    const seen = await observed({ 'GET /readyz': { status: 500, body } })
    expect(seen).toMatchObject({
      healthStatus: 'UNHEALTHY',
      healthReason: { api: 'GET /readyz answers 500: etcd failed' },
    })
  })

  it('does not hold our own refusal against the cluster, and keeps what it knew', async () => {
    const observation = {
      observedAt: '2026-11-27T11:00:00.000Z',
      healthStatus: 'HEALTHY' as const,
      healthReason: { api: 'ok' },
      version: 'v1.33.4',
      nodeCount: 7,
      masterCount: 3,
    }
    const cluster = clusterEntity({ observation })
    for (const refused of [failure(401, 'Unauthorized'), failure(403, 'Forbidden'), failure(429, 'TooManyRequests')]) {
      expect(await observed({ 'GET /api/v1/nodes?limit=500&includeObject=None': refused }, cluster)).toMatchObject({
        healthStatus: 'UNKNOWN',
        version: 'v1.33.4',
        nodeCount: 7,
        masterCount: 3,
      })
    }
    expect(
      await observed({ 'GET /api/v1/nodes?limit=500&includeObject=None': failure(500, 'InternalError') }, cluster),
    ).toMatchObject({
      healthStatus: 'UNHEALTHY',
    })
  })
})
