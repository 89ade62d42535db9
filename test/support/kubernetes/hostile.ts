import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { writeKubeconfig } from '../../../functions/kubernetes/kubeconfig/write-kubeconfig.ts'
import { json, type SeenRequest, startTlsServer, type TestCa, type TestServer } from './tls.ts'

const MIB = 1024 * 1024

/** Answers the list of nodes. `asked`: how often it was before. */
type Attack = (response: ServerResponse, asked: number) => void

const head = (response: ServerResponse, headers: Record<string, string> = {}): ServerResponse =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers })

const nodeList = (inner: string, next = ''): string =>
  `{"apiVersion":"v1","kind":"NodeList","metadata":{"continue":"${next}"},"items":[${inner}]}`

const repeated = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length))

const labels = (bytes: number): string =>
  Array.from({ length: Math.ceil(bytes / 40) }, (_, index) => `"label-${index}":"${'v'.repeat(20)}"`).join(',')

/** Writes on for as long as somebody reads. */
const endlessly = (response: ServerResponse, chunk: string): void => {
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', write)
  write()
}

/** Made once: a server that is busy with making its answer accepts no connections meanwhile. */
const madeOnce = (make: () => string | Buffer): (() => Buffer) => {
  let made: Buffer | undefined
  return () => {
    made ??= Buffer.from(make())
    return made
  }
}

/** Answers with the same each time. */
const answering = (make: () => string | Buffer, headers: Record<string, string> = {}): Attack => {
  const body = madeOnce(make)
  return (response) => head(response, headers).end(body())
}

const PAGE_OF_NODES = repeated('{"metadata":{"name":"n"}},', 20_000).slice(0, -1)

/** What a hostile API server does in place of listing its nodes. */
export const ATTACKS = {
  'giant labels': answering(() => nodeList(`{"metadata":{"name":"n","labels":{${labels(12 * MIB)}}}}`)),
  // 131 KiB that are 128 MiB of JSON.
  'a gzip bomb': answering(() => gzipSync(`${nodeList('').slice(0, -2)}"${' '.repeat(128 * MIB)}"]}`), {
    'content-encoding': 'gzip',
  }),
  'a slow drip': (response) => {
    head(response)
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  },
  'an endless body': (response) => endlessly(head(response), ' '.repeat(64 * 1024)),
  'endless pages': (response, asked) => head(response).end(nodeList(PAGE_OF_NODES, `page-${asked}`)),
  'a billion continue tokens': (response, asked) => head(response).end(nodeList('', `${1_000_000_000 + asked}`)),
  'a page that follows itself': answering(() => nodeList('', 'again')),
  'a giant continue token': answering(() => nodeList('', 'x'.repeat(MIB))),
  'deep lists': answering(() => nodeList(`${'['.repeat(900_000)}${']'.repeat(900_000)}`)),
  'deep objects': answering(() => nodeList(`${'{"a":'.repeat(300_000)}1${'}'.repeat(300_000)}`)),
  'millions of tiny keys': answering(() =>
    nodeList(Array.from({ length: 180_000 }, (_, index) => `{"${index.toString(36)}":0}`).join(',')),
  ),
  'empty objects': answering(() => nodeList(repeated('{},', 1_900_000).slice(0, -1))),
  'a name of a megabyte': answering(() => nodeList(`{"metadata":{"name":"${'n'.repeat(MIB)}"}}`)),
  'a length that is a lie': (response) => head(response, { 'content-length': '9000000000' }).write('{'),
  'no JSON': answering(() => '<html>'),
} as const satisfies Record<string, Attack>

export type AttackName = keyof typeof ATTACKS

export const ATTACK_NAMES = Object.keys(ATTACKS) as AttackName[]

export type HostileServer = TestServer & {
  kubeconfig: string
  /** From now on nodes are listed as the attack does. */
  turn(attack: AttackName): void
  /** From now on `/readyz` is well, and nodes are listed: the one that is ready. */
  heal(): void
  /** Resolves once nodes were asked for after `turn` or `heal`. */
  asked: Promise<void>
}

const REVIEWS: Readonly<Record<string, unknown>> = {
  '/apis/authentication.k8s.io/v1/selfsubjectreviews': { status: { userInfo: { username: 'somebody' } } },
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': { status: { allowed: true } },
}

const honestAnswer = (path: string, name: string): { status: number; body: unknown } => {
  const review = REVIEWS[path]
  if (review !== undefined) return { status: 201, body: { apiVersion: 'v1', kind: 'Review', ...review } }
  switch (path) {
    case '/version':
      return { status: 200, body: { major: '1', minor: '36', gitVersion: 'v1.36.3' } }
    case '/api/v1/namespaces/kube-system':
      return {
        status: 200,
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: `uid-of-${name}` } },
      }
    default:
      return { status: 404, body: { kind: 'Status', apiVersion: 'v1', reason: 'NotFound' } }
  }
}

const answerHonestly = ({ url }: SeenRequest, response: ServerResponse, name: string): void => {
  const { status, body } = honestAnswer(url.split('?')[0] ?? '', name)
  json(response, status, body)
}

const READY = '{"metadata":{"name":"n1"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}'

const kubeconfigOf = (port: number, ca: TestCa): string =>
  writeKubeconfig({
    name: 'x',
    user: 'u',
    server: `https://127.0.0.1:${port}`,
    caPem: ca.certificatePem,
    credential: { token: 'example-token-not-a-secret-5151' },
  })

/** An API server that lets itself be registered, not well (so that each sweep checks it), and attacks when it is asked to. */
export const startHostileServer = async (ca: TestCa, name: string): Promise<HostileServer> => {
  const listed: Attack = (response) => head(response).end(nodeList(READY))
  let nodes: Attack = listed
  let isTurned = false
  let count = 0
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const listNodes = (response: ServerResponse): void => {
    if (isTurned) resolve()
    nodes(response, count)
    count += 1
  }
  const server = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), (request, response) => {
    if (request.url === '/readyz') response.writeHead(isTurned ? 200 : 500).end('ok')
    else if (request.url.startsWith('/api/v1/nodes')) listNodes(response)
    else answerHonestly(request, response, name)
  })
  return {
    ...server,
    kubeconfig: kubeconfigOf(server.port, ca),
    turn: (to) => {
      nodes = ATTACKS[to]
      isTurned = true
    },
    heal: () => {
      isTurned = true
    },
    asked,
  }
}
