import { inspect } from 'node:util'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeCluster } from '../../support/api/entities.ts'
import { kubeconfigText, SECRET_MARKER } from '../../support/api/kubeconfigs.ts'
import { type Answer, type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { textOf } from '../../support/api/log.ts'
import { caseBytes, casesOf, MARKERS } from '../../support/kubernetes/cases.ts'

/** Issue 3, point 3: no marker secret in any answer, log line, state input or table item in clear. */

let lab: ApiLab
const answers: Answer[] = []
beforeAll(async () => {
  lab = await createApiLab()
  const call: ApiLab['call'] = async (method, target, options) => {
    const answer = await lab.call(method, target, options)
    answers.push(answer)
    return answer
  }
  const { body } = await call('POST', '/v1/clusters', {
    body: { name: 'sealed', kubeconfig: kubeconfigText() },
    headers: { 'Idempotency-Key': 'k' },
  })
  await call('POST', '/v1/clusters', { body: { kubeconfig: kubeconfigText('not an address') } })
  await call('POST', '/v1/clusters', { body: `{"kubeconfig": "${SECRET_MARKER}", oops` })
  await call('POST', '/v1/clusters', { body: { kubeconfig: kubeconfigText(), context: 'none' } })
  await call('POST', '/v1/clusters', { body: { kubeconfig: [SECRET_MARKER] } })
  await call('POST', '/v1/clusters', {
    body: { labels: {}, kubeconfig: { a: { __proto__: null, token: SECRET_MARKER } } },
  })
  await changeCluster(lab, body.uuid, { status: 'CREATE_COMPLETE', operation: null })
  await call('PATCH', `/v1/clusters/${body.uuid}`, {
    body: [{ op: 'replace', path: '/kubeconfig', value: kubeconfigText('https://new.example.com') }],
  })
  await call('PATCH', `/v1/clusters/${body.uuid}`, {
    body: [{ op: 'replace', path: '/kubeconfig', value: SECRET_MARKER }],
  })
  for (const { file } of casesOf('kubeconfig')) {
    await call('POST', '/v1/clusters', { body: { kubeconfig: caseBytes(file).toString('latin1') } })
  }
  await call('GET', '/v1/clusters')
  await call('GET', '/v1/clusters/detail')
  await call('GET', `/v1/clusters/${body.uuid}`)
})
afterAll(() => lab.dispose())

const markersIn = (text: string): string[] => [SECRET_MARKER, ...MARKERS].filter((marker) => text.includes(marker))

it('the requests were answered, some with 202 and some with 400', () => {
  const statuses = answers.map(({ status }) => status)
  expect([statuses.includes(202), statuses.includes(400), statuses.some((status) => status >= 500)]).toEqual([
    true,
    true,
    false,
  ])
})

it('no answer has a secret', () => {
  expect(answers.flatMap(({ text, headers }) => markersIn(text + JSON.stringify(headers)))).toEqual([])
})

it('no log line has a secret', () => {
  expect(markersIn(textOf(lab.log))).toEqual([])
})

it('no execution’s input has a secret', () => {
  expect(markersIn(inspect(lab.executions.starts, { depth: 10 }))).toEqual([])
})

it('no item of the table has a secret in clear', async () => {
  const { client, tableName } = lab.stores.table
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
  expect(Items.length).toBeGreaterThan(5)
  expect(markersIn(inspect(Items, { depth: 20, maxArrayLength: null, maxStringLength: null }))).toEqual([])
})
