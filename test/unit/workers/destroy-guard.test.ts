import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StackAnswerRefused } from '../../../functions/runtime/aws-clients.ts'
import { awsDestroyGuard } from '../../../functions/runtime/aws-destroy-guard.ts'
import { type GuardPorts, guardDestruction } from '../../../functions/workers/destroy-guard/guard.ts'
import { recordedLog } from '../../support/api/log.ts'
import { createTestStores, type TestStores } from '../../support/store/database.ts'
import { sampleCluster, sampleFederation } from '../../support/store/samples.ts'

type Entity = { projectId: string; id: string }
type Answer = { Status: string; Reason: string; PhysicalResourceId: string }

const URL = 'https://cloudformation-custom-resource-response.example.org/arn?X-Amz-Signature=secret'

const event = (RequestType: string, Enforce = 'true') => ({
  RequestType,
  ResponseURL: URL,
  StackId: 'arn:aws:cloudformation:eu-central-1:111122223333:stack/fedplane-guard/1',
  RequestId: 'r1',
  LogicalResourceId: 'nothing',
  ResourceType: 'Custom::FedplaneDestroyGuard',
  ResourceProperties: { ServiceToken: 'arn', Enforce },
})

async function* some(count: number): AsyncGenerator<Entity> {
  for (let n = 0; n < count; n += 1) yield { projectId: 'shop', id: String(n) }
}

const failing = (): AsyncIterable<Entity> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('AccessDenied')) }),
})

const withEntities = (federations: number, clusters: number): GuardPorts['work'] => ({
  federations: () => some(federations),
  clusters: () => some(clusters),
})

const answerTo = async (given: unknown, work: GuardPorts['work']): Promise<Answer> => {
  const answers: Answer[] = []
  const log = recordedLog()
  const put = async (url: string, body: string): Promise<void> => {
    expect(url).toBe(URL)
    answers.push(JSON.parse(body))
  }
  await guardDestruction(given, { work, put, log })
  expect(answers).toHaveLength(1)
  expect(JSON.stringify(log.lines)).not.toContain('X-Amz-Signature')
  return answers[0]!
}

describe('guardDestruction', () => {
  it('refuses the deletion while there is something, and says what and what to do', async () => {
    expect(await answerTo(event('Delete'), withEntities(1, 12))).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringMatching(
        /^There are still 1 federation and 12 clusters in fedplane\..*FORCE_DELETE_STACK --stack-name fedplane-guard\), then the others\.$/,
      ),
      StackId: event('Delete').StackId,
      RequestId: 'r1',
      LogicalResourceId: 'nothing',
    })
  })

  it.each([
    [1, 0],
    [0, 1],
  ])('minds %i federations and %i clusters', async (federations, clusters) => {
    expect(await answerTo(event('Delete'), withEntities(federations, clusters))).toMatchObject({ Status: 'FAILED' })
  })

  it('counts no further than to many', async () => {
    const { Reason } = await answerTo(event('Delete'), withEntities(0, 5_000))
    expect(Reason).toContain('0 federations and at least 1000 clusters')
  })

  it('lets an empty one go', async () => {
    expect(await answerTo(event('Delete'), withEntities(0, 0))).toMatchObject({ Status: 'SUCCESS' })
  })

  it('refuses when it can’t find out', async () => {
    const answer = await answerTo(event('Delete'), { federations: failing, clusters: failing })
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining('could not find out') })
  })

  it('lets everything go when it was asked to', async () => {
    expect(await answerTo(event('Delete', 'false'), withEntities(3, 3))).toMatchObject({ Status: 'SUCCESS' })
  })

  it.each(['Create', 'Update'])('does not mind a %s, and is the same resource ever after', async (type) => {
    const answer = await answerTo(event(type), withEntities(3, 3))
    expect(answer).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'fedplane-destroy-guard' })
  })

  it('answers nothing to an event that is none of CloudFormation’s', async () => {
    const put = () => Promise.reject(new Error('put'))
    await expect(guardDestruction({}, { work: withEntities(0, 0), put, log: recordedLog() })).rejects.toThrow(
      /RequestType/,
    )
  })
})

describe('awsDestroyGuard', () => {
  const puts: { method: string | undefined; type: string | undefined; body: string }[] = []
  let stores: TestStores
  let server: Server
  let status = 200
  beforeAll(async () => {
    stores = await createTestStores()
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => (body += part))
      request.on('end', () => {
        puts.push({ method: request.method, type: request.headers['content-type'], body })
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve))
    await stores.dispose()
  })
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/answer?X-Amz-Signature=s`

  it('counts what is in the table', async () => {
    const ports = awsDestroyGuard(
      { AWS_REGION: 'eu-central-1', TABLE_NAME: stores.table.tableName },
      stores.table.client,
    )
    await stores.commit([stores.clusters.insert(sampleCluster()), stores.federations.insert(sampleFederation())])
    await guardDestruction({ ...event('Delete'), ResponseURL: address() }, { ...ports, log: recordedLog() })
    expect(puts.at(-1)).toMatchObject({
      method: 'PUT',
      body: expect.stringContaining('1 federation and 1 cluster in fedplane'),
    })
    // S3 signed the URL without one.
    expect(puts.at(-1)?.type).toBe('')
  })

  it('fails without the URL in its message when the answer is refused, so that Lambda tries again', async () => {
    status = 403
    const { put } = awsDestroyGuard(
      { AWS_REGION: 'eu-central-1', TABLE_NAME: stores.table.tableName },
      stores.table.client,
    )
    const refused = put(address(), '{}')
    await expect(refused).rejects.toThrow(StackAnswerRefused)
    await expect(refused).rejects.not.toThrow(/Signature/)
  })
})
