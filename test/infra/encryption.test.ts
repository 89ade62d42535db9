import { beforeAll, describe, expect, it } from 'vitest'
import {
  actionsIn,
  FEW_ROUTES,
  type Fields,
  resourcesIn,
  statementsIn,
  type Templates,
  templatesOf,
} from '../support/infra/synthesised.ts'

type KeyStatement = { Action: string | string[]; Principal: { AWS?: unknown; Service?: unknown }; Condition?: Fields }

let templates: Templates
let storageKey: string
let dataKeyKey: string
beforeAll(() => {
  templates = templatesOf({ routes: FEW_ROUTES, config: { alarmEmail: 'ops@example.org' } })
  const keys = resourcesIn(templates.data, 'AWS::KMS::Key').map(([id]) => id)
  storageKey = keys.find((id) => id.startsWith('storagekey'))!
  dataKeyKey = keys.find((id) => id.startsWith('datakeykey'))!
  expect(keys.toSorted()).toEqual([storageKey, dataKeyKey].toSorted())
})

/** Names the key: its ARN, in its own stack or as the export of it. */
const isUnder = (key: string, value: unknown): boolean => JSON.stringify(value ?? null).includes(key)

const everywhere = (type: string): [stack: string, id: string, properties: Fields][] =>
  Object.entries(templates).flatMap(([stack, template]) =>
    resourcesIn(template, type).map(([id, { Properties }]): [string, string, Fields] => [stack, id, Properties]),
  )

const statementsOfKey = (id: string): KeyStatement[] => {
  const [, key] = resourcesIn(templates.data, 'AWS::KMS::Key').find(([found]) => found === id)!
  return (key.Properties.KeyPolicy as { Statement: KeyStatement[] }).Statement
}

/** Is for what can't be encrypted by the storage key; its own is of SQS. */
const REFUSED = 'events: outboxrefusedE43E6FD1'

describe('what is kept', () => {
  it.each([
    ['AWS::DynamoDB::Table', 'SSESpecification'],
    ['AWS::SQS::Queue', 'KmsMasterKeyId'],
    ['AWS::SNS::Topic', 'KmsMasterKeyId'],
    ['AWS::Logs::LogGroup', 'KmsKeyId'],
    ['AWS::Events::EventBus', 'KmsKeyIdentifier'],
  ])('is under the storage key: every %s', (type, property) => {
    const found = everywhere(type)
    expect(found.length).toBeGreaterThan(0)
    const others = found.filter(([, , it]) => !isUnder(storageKey, it[property]))
    expect(others.map(([stack, id]) => `${stack}: ${id}`)).toEqual(type === 'AWS::SQS::Queue' ? [REFUSED] : [])
  })

  it('has no other store that nobody thought of', () => {
    const types = new Set(
      Object.values(templates).flatMap((template) =>
        Object.values((template.toJSON() as { Resources: Record<string, { Type: string }> }).Resources).map(
          ({ Type }) => Type,
        ),
      ),
    )
    const stores = [...types].filter((type) =>
      /::(Bucket|Secret|DBCluster|FileSystem|Stream|Parameter|Cluster)$/.test(type),
    )
    expect(stores).toEqual([])
  })

  it('has logs that go away', () => {
    const forEver = everywhere('AWS::Logs::LogGroup').filter(([, , it]) => it.RetentionInDays !== 30)
    expect(forEver).toEqual([])
  })
})

describe('the storage key', () => {
  it('is turned each year, and is nobody’s but the account’s and of services in a narrow place', () => {
    const [, key] = resourcesIn(templates.data, 'AWS::KMS::Key').find(([id]) => id === storageKey)!
    expect(key.Properties.EnableKeyRotation).toBe(true)
    const services = statementsOfKey(storageKey).filter(({ Principal }) => Principal.Service !== undefined)
    const names = services.map(({ Principal }) => JSON.stringify(Principal.Service))
    expect(names.map((name) => /(logs|events|cloudwatch)\./.exec(name)?.[1])).toEqual(['logs', 'events', 'cloudwatch'])
    for (const { Condition } of services) {
      expect(JSON.stringify(Condition)).toMatch(/AWS::AccountId/)
      expect(Condition).toHaveProperty('ArnLike')
    }
    const others = statementsOfKey(storageKey).filter(({ Principal }) => Principal.Service === undefined)
    expect(others).toHaveLength(1)
    expect(JSON.stringify(others[0]?.Principal)).toContain(':root')
  })

  it('is used by functions through a service that asks it, never directly', () => {
    const uses = Object.values(templates)
      .flatMap(statementsIn)
      .filter(({ statement }) => isUnder(storageKey, statement.Resource))
    expect(uses).toHaveLength(14)
    for (const { statement } of uses) {
      const { StringEquals } = statement.Condition as { StringEquals: Fields }
      expect(JSON.stringify(StringEquals['kms:ViaService'])).toMatch(/"(dynamodb|sqs|sns)\./)
      expect(actionsIn(statement).filter((action) => /\*|CreateGrant|PutKeyPolicy/.test(action))).toEqual([])
    }
  })
})

describe('the key of data keys', () => {
  it('is open to no service', () => {
    expect(statementsOfKey(dataKeyKey).map(({ Principal }) => Object.keys(Principal))).toEqual([['AWS']])
  })

  it('is never used without naming a project', () => {
    const uses = Object.values(templates)
      .flatMap(statementsIn)
      .filter(({ statement }) => isUnder(dataKeyKey, statement.Resource))
    expect(uses).toHaveLength(5)
    for (const { statement } of uses) {
      expect(statement.Condition).toEqual({ Null: { 'kms:EncryptionContext:project': 'false' } })
    }
  })
})

describe('queues and topics', () => {
  it('refuse what does not come by TLS', () => {
    const policies = [...everywhere('AWS::SQS::QueuePolicy'), ...everywhere('AWS::SNS::TopicPolicy')]
    const count = everywhere('AWS::SQS::Queue').length + everywhere('AWS::SNS::Topic').length
    expect(policies).toHaveLength(count)
    for (const [, , it] of policies) expect(JSON.stringify(it)).toContain('aws:SecureTransport')
  })
})
