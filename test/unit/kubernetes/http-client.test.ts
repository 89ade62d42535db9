import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AppError } from '../../../functions/core/values/app-error.ts'
import { kubeSystemUid } from '../../../functions/drivers/support/registered/phases.ts'
import { whoAmI } from '../../../functions/drivers/support/who-am-i.ts'
import { deniedAccess, describeAccess } from '../../../functions/kubernetes/access-review.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../functions/kubernetes/client.ts'
import {
  clusterRoles,
  customResourceDefinitions,
  namespaces,
  roleBindings,
  secrets,
} from '../../../functions/kubernetes/resources.ts'
import { everythingOf, rejectionOf } from '../../support/kubernetes/leaks.ts'
import { TEST_TOKEN, testClient, testConnection } from '../../support/kubernetes/test-connection.ts'
import { json, makeCa, type SeenRequest, startTlsServer, type TestServer } from '../../support/kubernetes/tls.ts'

type Answer = { status?: number; body?: unknown; text?: string; headers?: Record<string, string> }

let server: TestServer
let client: KubernetesClient
let answers: (request: SeenRequest) => Answer = () => ({})

/** Answers of the server for the next calls; the last one stays. */
const answerWith = (...list: Answer[]): void => {
  answers = () => (list.length > 1 ? list.shift() : list[0]) ?? {}
}

const status = (code: number, reason: string, message = `${reason} it is`, details: object = {}): Answer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code, details },
})

const last = (): SeenRequest => server.seen.at(-1) as SeenRequest
const query = (): Record<string, string> => Object.fromEntries(new URL(last().url, 'https://x').searchParams)
const path = (): string => new URL(last().url, 'https://x').pathname

beforeAll(async () => {
  const ca = await makeCa()
  server = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), (request, response) => {
    const { status: code = 200, body = {}, text, headers = {} } = answers(request)
    if (text === undefined) json(response, code, body, headers)
    else response.writeHead(code, { 'content-type': 'text/html', ...headers }).end(text)
  })
  client = testClient(testConnection(server.port, ca.certificatePem))
})
afterEach(() => {
  server.seen.splice(0)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const failure = async (call: Promise<unknown>): Promise<AppError> => {
  const error = (await rejectionOf(call)) as AppError
  expect(everythingOf(error)).not.toContain('example-token-not-a-secret')
  expect(everythingOf(error)).not.toContain('ZXhhbXBsZS')
  return error
}

const role: KubernetesObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'Read:All' },
}
const secret: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  data: { token: Buffer.from(TEST_TOKEN).toString('base64') },
}

const clusterProfiles = (namespace: string, version: string): Resource => ({
  group: 'multicluster.x-k8s.io',
  version,
  plural: 'clusterprofiles',
  namespace,
})

describe('paths', () => {
  it.each([
    [namespaces, 'kube-system', '/api/v1/namespaces/kube-system'],
    [secrets('a'), 'b', '/api/v1/namespaces/a/secrets/b'],
    [clusterRoles, 'system:Node-Reader', '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3ANode-Reader'],
    [roleBindings('n'), 'x y?#', '/apis/rbac.authorization.k8s.io/v1/namespaces/n/rolebindings/x%20y%3F%23'],
    [clusterProfiles('n', 'v1alpha1'), 'm', '/apis/multicluster.x-k8s.io/v1alpha1/namespaces/n/clusterprofiles/m'],
    [customResourceDefinitions, 'a.b', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a.b'],
  ])('are encoded and keep their case: %j %s', async (resource, name, expected) => {
    answerWith({ body: { ...role } })
    await client.get(resource, name)
    expect(last().url).toBe(expected)
  })

  it.each(['', '.', '..', 'a/b', 'a%2fb'])('are refused for the name %j, before anything is sent', async (name) => {
    for (const call of [
      client.get(namespaces, name),
      client.delete(namespaces, name),
      client.get(secrets(name), 'x'),
    ]) {
      expect((await failure(call)).name).toBe('ObjectInvalid')
    }
    expect(server.seen).toHaveLength(0)
  })
})

describe('get and list', () => {
  it('answers undefined for 404, from the object or its whole API group', async () => {
    answerWith(status(404, 'NotFound'))
    expect(await client.get(namespaces, 'x')).toBeUndefined()
    answerWith({ status: 404, text: '404 page not found\n', headers: { 'content-type': 'text/plain' } })
    expect(await client.get(clusterProfiles('n', 'v1'), 'x')).toBeUndefined()
  })

  it('gives items their apiVersion and kind, and passes options', async () => {
    answerWith({
      body: {
        apiVersion: 'v1',
        kind: 'NamespaceList',
        metadata: { continue: 'next' },
        items: [{ metadata: { name: 'a' } }],
      },
    })
    const options = { labelSelector: 'fedplane.io/federation=1', limit: 5 }
    expect(await client.list(namespaces, options)).toEqual({
      items: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }],
      continue: 'next',
      bytes: expect.any(Number),
    })
    expect(query()).toEqual({ labelSelector: 'fedplane.io/federation=1', limit: '5' })
  })

  it.each([
    { apiVersion: 'v1', kind: 'Namespace' },
    { apiVersion: 'v1', kind: 'Namespace', metadata: null },
    { apiVersion: 'v1', kind: 'NamespaceList', metadata: {}, items: [] },
  ])('takes nothing for an object that has no name: %j', async (object) => {
    answerWith({ body: object })
    expect((await failure(client.get(namespaces, 'x'))).name).toBe('NotKubernetes')
    answerWith({ body: { apiVersion: 'v1', kind: 'NamespaceList', metadata: {}, items: [object] } })
    expect((await failure(client.list(namespaces))).name).toBe('NotKubernetes')
  })

  it('takes null for an empty list', async () => {
    answerWith({ body: { apiVersion: 'v1', kind: 'NamespaceList', metadata: { continue: '' }, items: null } })
    expect(await client.list(namespaces)).toEqual({ items: [], bytes: expect.any(Number) })
  })
})

describe('writes', () => {
  it('makes on trial what is not to be stored', async () => {
    answerWith({ body: role })
    await client.create(clusterRoles, role, { dryRun: true })
    expect(query()).toEqual({ fieldManager: 'fedplane', fieldValidation: 'Strict', dryRun: 'All' })
  })

  it('applies on the server side, forced and strict', async () => {
    answerWith({ body: role })
    expect(await client.apply(clusterRoles, role)).toEqual(role)
    expect(last()).toMatchObject({ method: 'PATCH', body: JSON.stringify(role) })
    expect(last().headers['content-type']).toBe('application/apply-patch+yaml')
    expect(path()).toMatch(/\/clusterroles\/Read%3AAll$/)
    expect(query()).toEqual({ fieldManager: 'fedplane', force: 'true', fieldValidation: 'Strict' })
  })

  it('applies a status with another field manager', async () => {
    answerWith({ body: role })
    await client.apply(clusterRoles, role, { fieldManager: 'probe', subresource: 'status' })
    expect(path()).toMatch(/\/status$/)
    expect(query().fieldManager).toBe('probe')
  })

  it('creates, and sends merge patches', async () => {
    answerWith({ status: 201, body: role })
    await client.create(clusterRoles, role)
    expect(last()).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
    expect(query()).toEqual({ fieldManager: 'fedplane', fieldValidation: 'Strict' })
    await client.patch(clusterRoles, 'Read:All', { metadata: { labels: { a: null } } })
    expect(last()).toMatchObject({ method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } })
  })

  it('puts whole objects to a subresource, and answers undefined for what is gone', async () => {
    answerWith({ body: role })
    expect(await client.put('/api/v1/namespaces/x/finalize', role)).toEqual(role)
    expect(last()).toMatchObject({ method: 'PUT', body: JSON.stringify(role) })
    expect(path()).toBe('/api/v1/namespaces/x/finalize')
    answerWith(status(404, 'NotFound'))
    expect(await client.put('/api/v1/namespaces/x/finalize', role)).toBeUndefined()
    answerWith(status(409, 'Conflict'))
    expect((await failure(client.put('/api/v1/namespaces/x/finalize', role))).name).toBe('ObjectConflict')
  })

  it('deletes with the uid as precondition', async () => {
    answerWith({ body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } })
    expect(await client.delete(clusterRoles, 'a', { uid: 'u-1' })).toBeUndefined()
    expect(JSON.parse(last().body)).toMatchObject({ kind: 'DeleteOptions', preconditions: { uid: 'u-1' } })
    await client.delete(clusterRoles, 'a')
    expect(JSON.parse(last().body).preconditions).toBeUndefined()
  })

  it('tells an object that stays for its finalizers from one that is gone', async () => {
    const held = { ...role, metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] } }
    answerWith({ body: held })
    expect(await client.delete(clusterRoles, 'a')).toEqual(held)
    answerWith({ body: role })
    expect(await client.delete(clusterRoles, 'a')).toBeUndefined()
    answerWith(status(404, 'NotFound'))
    expect(await client.delete(clusterRoles, 'a')).toBeUndefined()
  })

  it('takes an object whose name has another uid meanwhile for gone', async () => {
    const other = { ...role, metadata: { name: 'a', uid: 'u-2' } }
    answerWith(status(409, 'Conflict'), { body: other })
    expect(await client.delete(clusterRoles, 'a', { uid: 'u-1' })).toBeUndefined()
    answerWith(status(409, 'Conflict'), { body: other })
    expect((await failure(client.delete(clusterRoles, 'a', { uid: 'u-2' }))).name).toBe('ObjectConflict')
  })
})

describe('errors', () => {
  it.each<[string, Answer, string, object]>([
    ['401', status(401, 'Unauthorized'), 'CredentialRejected', { retryable: false }],
    ['403', status(403, 'Forbidden'), 'PermissionDenied', { details: { reason: 'Forbidden' } }],
    ['403 of a proxy', { status: 403, text: '<html>no</html>' }, 'PermissionDenied', {}],
    [
      '403 in a namespace being deleted',
      status(403, 'Forbidden', 'x', { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] }),
      'ObjectConflict',
      { retryable: true, details: { reason: 'NamespaceTerminating' } },
    ],
    ['404', status(404, 'NotFound'), 'ObjectNotFound', {}],
    ['404 of a web server', { status: 404, text: '<html>nothing here</html>' }, 'NotKubernetes', {}],
    ['409', status(409, 'AlreadyExists'), 'ObjectConflict', { details: { reason: 'AlreadyExists' } }],
    ['410', status(410, 'Expired'), 'ObjectConflict', { details: { reason: 'Expired' } }],
    ['400', status(400, 'BadRequest'), 'ObjectInvalid', {}],
    ['422', status(422, 'Invalid'), 'ObjectInvalid', {}],
    [
      '429',
      { ...status(429, 'TooManyRequests'), headers: { 'retry-after': '7' } },
      'ApiThrottled',
      { details: { retryAfterSeconds: 7 } },
    ],
    [
      '429 in the body',
      status(429, 'TooManyRequests', '', { retryAfterSeconds: 3 }),
      'ApiThrottled',
      { details: { retryAfterSeconds: 3 } },
    ],
    [
      '503',
      { status: 503, text: 'no healthy upstream', headers: { 'retry-after': '86400' } },
      'ApiUnavailable',
      { details: { retryAfterSeconds: 300 } },
    ],
    ['500', status(500, 'InternalError'), 'ApiUnavailable', { retryable: true }],
    ['307', { status: 307, text: '', headers: { location: 'https://x.example.com' } }, 'NotKubernetes', {}],
    ['HTML at 200', { text: '<html>Welcome</html>' }, 'NotKubernetes', {}],
    ['other JSON at 200', { body: { hello: 'world' } }, 'NotKubernetes', {}],
    ['a list at 200', { body: [] }, 'NotKubernetes', {}],
    ['no JSON at 200', { text: '', headers: { 'content-type': 'application/json' } }, 'NotKubernetes', {}],
  ])('tells %s', async (_what, answer, name, more) => {
    answerWith(answer)
    const error = await failure(client.create(clusterRoles, role))
    expect(error).toMatchObject({ name, ...more })
    expect(error.message).toMatch(
      /^POST \/apis\/rbac\.authorization\.k8s\.io\/v1\/clusterroles of 127\.0\.0\.1:\d+ .+\.$/,
    )
  })

  it.each(['version', 'list'] as const)('tells other JSON at 200 for %s', async (call) => {
    answerWith({ body: {} })
    expect((await failure(call === 'version' ? client.version() : client.list(namespaces))).name).toBe('NotKubernetes')
  })

  it('passes on what the API server says, cut, in one line and without the token', async () => {
    answerWith(status(422, 'Invalid', `rules[0]: bad\nvalue ${TEST_TOKEN} ${'x'.repeat(2_000)}`))
    const { message } = await failure(client.create(clusterRoles, role))
    expect(message).toContain('rules[0]: bad value *** xxx')
    expect(message.length).toBeLessThan(450)
  })

  it('passes on each cause of a text that is too long, so that what is wrong is not cut', async () => {
    const causes = ['format', 'ignition'].map((field) => ({
      reason: 'FieldValueForbidden',
      field: `spec.${field}`,
      message: `Forbidden: ${TEST_TOKEN} needs a gate`,
    }))
    answerWith(status(422, 'Invalid', `admission webhook "${'x'.repeat(300)}" denied the request`, { causes }))
    const { message } = await failure(client.create(clusterRoles, role))
    expect(message).toMatch(
      /\(422\): spec\.format: Forbidden: \*\*\* needs a gate; spec\.ignition: Forbidden: \*\*\* needs a gate\.$/,
    )
  })

  it('passes on only fields when a Secret was sent', async () => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'data[token]', message: TEST_TOKEN }]
    answerWith(status(422, 'Invalid', `Invalid value: "${secret.data}" SECRETVALUE`, { causes }))
    for (const call of [client.apply(secrets('n'), secret), client.patch(secrets('n'), 's', { data: {} })]) {
      const { message } = await failure(call)
      expect(message).toContain('Invalid data[token]')
      expect(message).not.toContain('SECRETVALUE')
    }
  })

  it('names a difference of the clocks with a 401', async () => {
    answerWith({ ...status(401, 'Unauthorized'), headers: { date: new Date(Date.now() - 600_000).toUTCString() } })
    const error = await failure(client.get(namespaces, 'x'))
    expect(error.message).toMatch(/clock differs from ours by -(?:599|60\d) s/)
  })

  it('answers raw calls whatever their status', async () => {
    answerWith({ status: 503, text: '[-]etcd failed' })
    expect(await client.raw('/readyz')).toEqual({ status: 503, body: '[-]etcd failed' })
  })
})

describe('kubeSystemUid', () => {
  it('is the uid of the namespace kube-system', async () => {
    answerWith({ body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'u-9' } } })
    expect(await kubeSystemUid(client)).toBe('u-9')
  })

  it('needs one', async () => {
    answerWith(status(404, 'NotFound'))
    expect((await failure(kubeSystemUid(client))).name).toBe('NotKubernetes')
  })
})

describe('reviews of our access', () => {
  const review = (body: object): Answer => ({ status: 201, body: { apiVersion: 'x/v1', kind: 'Review', ...body } })

  it('tell who we are', async () => {
    answerWith(review({ status: { userInfo: { username: 'jane', groups: [] } } }))
    expect(await whoAmI(client)).toBe('jane')
    expect(path()).toBe('/apis/authentication.k8s.io/v1/selfsubjectreviews')
    answerWith(review({}))
    expect((await failure(whoAmI(client))).name).toBe('NotKubernetes')
  })

  it('tell what is denied, in the order asked', async () => {
    answers = ({ body }) => review({ status: { allowed: JSON.parse(body).spec.resourceAttributes.verb === 'get' } })
    const denied = await deniedAccess(client, [
      { verb: 'create', group: '', resource: 'serviceaccounts/token', namespace: 'n' },
      { verb: 'get', group: '', resource: 'nodes' },
      { verb: 'bind', group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'view' },
    ])
    expect(denied.map(describeAccess)).toEqual([
      'create serviceaccounts/token in namespace n',
      'bind clusterroles.rbac.authorization.k8s.io/view',
    ])
    const sent = server.seen.map(({ body }) => JSON.parse(body).spec.resourceAttributes)
    expect(sent).toContainEqual({
      verb: 'create',
      group: '',
      resource: 'serviceaccounts',
      subresource: 'token',
      namespace: 'n',
    })
  })
})
