import { afterAll, beforeAll, expect, it } from 'vitest'
import { givenCluster } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { BOB } from '../../support/api/request.ts'

let lab: ApiLab
let host: string
beforeAll(async () => {
  lab = await createApiLab()
  host = await givenCluster(lab)
})
afterAll(() => lab.dispose())

const cluster = (key: string, body: object = {}) =>
  lab.call('POST', '/v1/clusters', { body: { driver: 'memory@1', ...body }, headers: { 'Idempotency-Key': key } })
const federation = (key: string, body: object = {}) =>
  lab.call('POST', '/v1/federations', { body: { hostcluster_id: host, ...body }, headers: { 'Idempotency-Key': key } })

it.each<['clusters' | 'federations', typeof cluster]>([
  ['clusters', cluster],
  ['federations', federation],
])('a repeated POST of %s gets the first one’s answer and starts nothing', async (what, post) => {
  const first = await post(`again-${what}`, { name: 'a' })
  const before = lab.executions.starts.length
  const second = await post(`again-${what}`, { name: 'a' })
  expect([second.status, second.body, lab.executions.starts.length]).toEqual([202, first.body, before])
})

it.each<[string, typeof cluster]>([
  ['clusters', cluster],
  ['federations', federation],
])('ten POSTs of %s at once make one', async (what, post) => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(`at-once-${what}`)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect(new Set(answers.map(({ body }) => body.uuid)).size).toBe(1)
})

it('the same key with another body is 409', async () => {
  await cluster('other-body', { name: 'a' })
  expect((await cluster('other-body', { name: 'b' })).status).toBe(409)
})

it('the same key for another kind is 409', async () => {
  await cluster('other-kind')
  expect((await federation('other-kind')).status).toBe(409)
})

it('the order of attributes does not matter', async () => {
  const first = await cluster('order', { name: 'a', keypair: 'k' })
  expect((await cluster('order', { keypair: 'k', name: 'a' })).body).toEqual(first.body)
})

it('another project’s key is another key', async () => {
  const { body } = await cluster('shared')
  const theirs = await lab.call('POST', '/v1/clusters', {
    as: BOB,
    body: { driver: 'memory@1' },
    headers: { 'Idempotency-Key': 'shared' },
  })
  expect([theirs.status, theirs.body.uuid === body.uuid]).toEqual([202, false])
})

it('a refused POST leaves the key free', async () => {
  expect((await federation('refused', { hostcluster_id: 'nobody' })).status).toBe(404)
  expect((await federation('refused')).status).toBe(202)
})

it.each(['', 'with space', 'x'.repeat(256)])('the key "%s" is 400', async (key) => {
  expect((await cluster(key)).status).toBe(400)
})
