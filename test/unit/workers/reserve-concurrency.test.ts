import { LambdaClient } from '@aws-sdk/client-lambda'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { awsReserveConcurrency } from '../../../functions/runtime/aws-reserve-concurrency.ts'
import { reserveConcurrency } from '../../../functions/workers/reserve-concurrency/reserve.ts'
import { recordedLog } from '../../support/api/log.ts'
import { LambdaStandIn } from '../../support/aws/lambda-stand-in.ts'

type Answer = { Status: string; Reason: string; PhysicalResourceId: string; Data: { Concurrency: string } }
type Wanted = Record<string, string>

const WANTED: Wanted = { table: '100', keys: '50', authorizer: '100' }
const ALL = { 'fedplane-table': 100, 'fedplane-keys': 50, 'fedplane-authorizer': 100 }

const properties = (wanted: Wanted) => ({
  ServiceToken: 'arn',
  Functions: Object.entries(wanted).map(([Kind, Wanted]) => ({ Kind, Name: `fedplane-${Kind}`, Wanted })),
  Versions: ['1', '2', '3'],
})

const request = (RequestType: string, wanted: Wanted = WANTED, before?: Wanted) => ({
  RequestType,
  ResponseURL: 'https://cloudformation-custom-resource-response.example.org/arn?X-Amz-Signature=secret',
  StackId: 'arn:aws:cloudformation:eu-central-1:111122223333:stack/fedplane-api/1',
  RequestId: 'r1',
  LogicalResourceId: 'reserved',
  ResourceProperties: properties(wanted),
  ...(before === undefined ? {} : { OldResourceProperties: properties(before) }),
})

let lambda: LambdaStandIn
let client: LambdaClient
beforeEach(async () => {
  lambda = new LambdaStandIn()
  await lambda.start()
  client = new LambdaClient({
    region: 'eu-central-1',
    endpoint: lambda.url,
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 'none' },
    maxAttempts: 1,
  })
})
afterEach(async () => {
  client.destroy()
  await lambda.close()
})

const reserved = () => Object.fromEntries(lambda.reserved)

/** What CloudFormation is reported. It is always a success. */
const told = async (event: unknown): Promise<string> => {
  const answers: Answer[] = []
  const log = recordedLog()
  const put = async (_: string, body: string): Promise<void> => void answers.push(JSON.parse(body))
  await reserveConcurrency(event, { ...awsReserveConcurrency({ AWS_REGION: 'eu-central-1' }, client), put, log })
  expect(answers).toHaveLength(1)
  expect(answers[0]).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'fedplane-reserved-concurrency' })
  expect(JSON.stringify(log.lines)).not.toContain('X-Amz-Signature')
  return answers[0]!.Data.Concurrency
}

describe('reserveConcurrency', () => {
  it('reserves what is wanted, and says so', async () => {
    expect(await told(request('Create'))).toBe('Reserved: table=100,keys=50,authorizer=100.')
    expect(reserved()).toEqual(ALL)
  })

  it.each([
    [10, 'has 10 unreserved'],
    [349, 'has 349 unreserved'],
  ])('reserves nothing in an account of %i, and warns', async (limit, words) => {
    lambda.limit = limit
    const text = await told(request('Create'))
    expect(text).toMatch(/^WARNING: nothing was reserved/)
    expect(text).toContain(words)
    expect(text).toContain('table=100,keys=50,authorizer=100 needs 350')
    expect(lambda.changes).toEqual([])
  })

  it('leaves exactly the 100 that AWS demands', async () => {
    lambda.limit = 350
    expect(await told(request('Create'))).toMatch(/^Reserved/)
    expect(reserved()).toEqual(ALL)
  })

  it('counts what its functions have already, and changes nothing the second time', async () => {
    lambda.limit = 350
    await told(request('Create'))
    lambda.changes.length = 0
    expect(await told(request('Update', WANTED, WANTED))).toMatch(/^Reserved/)
    expect(lambda.changes).toEqual([])
  })

  it('changes a number that was its own', async () => {
    await told(request('Create'))
    await told(request('Update', { ...WANTED, table: '120' }, WANTED))
    expect(reserved()).toEqual({ ...ALL, 'fedplane-table': 120 })
  })

  it.each(['Create', 'Update', 'Delete'])('leaves a number alone that somebody else set (%s)', async (type) => {
    lambda.reserved.set('fedplane-table', 0).set('fedplane-other', 30)
    const text = await told(request(type, WANTED, type === 'Update' ? WANTED : undefined))
    expect(reserved()).toMatchObject({ 'fedplane-table': 0, 'fedplane-other': 30 })
    if (type !== 'Delete') expect(text).toBe('Reserved: keys=50,authorizer=100. Left as somebody else set it: table=0.')
  })

  it('removes what it had set with the stack, and when it is switched off', async () => {
    await told(request('Create'))
    expect(await told(request('Delete'))).toBe('Nothing is reserved by fedplane.')
    expect(reserved()).toEqual({})
    await told(request('Create'))
    await told(request('Update', { table: 'none', keys: 'none', authorizer: 'none' }, WANTED))
    expect(reserved()).toEqual({})
  })

  it('leaves functions alone that the settings have taken over', async () => {
    await told(request('Create'))
    lambda.changes.length = 0
    await told(request('Update', { keys: '50', authorizer: '100' }, WANTED))
    expect(lambda.changes).toEqual([])
  })

  it.each([403, 404, 501])('warns when Lambda answers %i', async (status) => {
    lambda.trouble = status
    for (const type of ['Create', 'Update', 'Delete']) {
      expect(await told(request(type))).toMatch(/^WARNING: concurrency could not be/)
    }
  })

  it('answers nothing to an event that is none of CloudFormation’s', async () => {
    await expect(told({ RequestType: 'Create' })).rejects.toThrow(/ResponseURL/)
  })
})
