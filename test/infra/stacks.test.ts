import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Match, type Template } from 'aws-cdk-lib/assertions'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../functions/api/routes.ts'
import { EXECUTION_SECONDS } from '../../functions/core/operation/deadlines.ts'
import { FLOWS } from '../../functions/core/operation/operation.ts'
import {
  deliveriesEnv,
  destroyGuardEnv,
  fanOutEnv,
  keysEnv,
  outboxEnv,
  reconcilerEnv,
  reserveConcurrencyEnv,
  selectorsEnv,
  tableEnv,
  workerEnv,
} from '../../functions/runtime/env.ts'
import { TABLE_DEFINITION } from '../../functions/store/dynamodb/table-definition.ts'
import { TIMEOUT_SECONDS } from '../../infra/limits.ts'
import { gatewayPaths } from '../../infra/route-keys.ts'
import {
  actionsIn,
  FEW_ROUTES,
  type Fields,
  type Resource,
  resourcesIn as resources,
  statementsIn,
  type Templates,
  templatesOf,
} from '../support/infra/synthesised.ts'

let all: Templates
let data: Template
let flows: Template
let api: Template
let events: Template

beforeAll(() => {
  all = templatesOf()
  ;({ data, flows, api, events } = all)
})

const one = (template: Template, type: string, description: string): [id: string, resource: Resource] => {
  const found = resources(template, type).filter(([, it]) => it.Properties.Description === description)
  expect(found).toHaveLength(1)
  return found[0]!
}

/** Everything that a role may do: action with resource, as text. */
const statementsOf = (template: Template, roleId: string): { actions: string[]; statement: Fields }[] =>
  resources(template, 'AWS::IAM::Policy')
    .filter(([, policy]) => JSON.stringify(policy.Properties.Roles).includes(`"${roleId}"`))
    .flatMap(([, policy]) => (policy.Properties.PolicyDocument as { Statement: Fields[] }).Statement)
    .map((statement) => ({ actions: [statement.Action].flat() as string[], statement }))

const roleOf = (resource: Resource, field: string): string =>
  (resource.Properties[field] as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'][0]

const actionsOf = (template: Template, resource: Resource): string[] =>
  statementsOf(template, roleOf(resource, 'Role')).flatMap(({ actions }) => actions)

/** What a function may do with the key that wraps data keys. The other key is used through a service (`encryption.test.ts`). */
const sealingOf = (template: Template, resource: Resource): string[] =>
  statementsOf(template, roleOf(resource, 'Role'))
    .filter(({ statement }) => !JSON.stringify(statement.Condition ?? {}).includes('kms:ViaService'))
    .flatMap(({ actions }) => actions)
    .filter((action) => action.startsWith('kms:'))
    .toSorted()

/** Names that a schema reads, without the one that Lambda sets. */
const settingsOf = (schema: { shape: Fields }): string[] =>
  Object.keys(schema.shape)
    .filter((name) => name !== 'AWS_REGION')
    .sort()

const environmentOf = (resource: Resource): Fields =>
  (resource.Properties.Environment as { Variables: Fields })?.Variables ?? {}

describe('data stack', () => {
  it('makes the table of the definition, recoverable and protected', () => {
    data.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: Match.objectLike({
        KeySchema: [
          { AttributeName: TABLE_DEFINITION.partitionKey, KeyType: 'HASH' },
          { AttributeName: TABLE_DEFINITION.sortKey, KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        StreamSpecification: { StreamViewType: TABLE_DEFINITION.streamViewType },
        TimeToLiveSpecification: { AttributeName: TABLE_DEFINITION.ttlAttribute, Enabled: true },
        GlobalSecondaryIndexes: TABLE_DEFINITION.indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: [
            { AttributeName: index.partitionKey, KeyType: 'HASH' },
            { AttributeName: index.sortKey, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        })),
      }),
    })
  })

  it('can be read in another Region: the key that opens credentials may have a replica there', () => {
    const keys = resources(data, 'AWS::KMS::Key').map(([, { Properties }]) => Properties)
    const [dataKeyKey] = keys.filter(({ Description }) => String(Description).includes('data keys'))
    expect(dataKeyKey).toMatchObject({ MultiRegion: true })
  })

  it('keeps and rotates the key', () => {
    data.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'Retain',
      Properties: Match.objectLike({ EnableKeyRotation: true }),
    })
  })
})

describe('flows stack', () => {
  it.each(FLOWS)('%s has a machine that may invoke the function that it names, and nothing else', (flow) => {
    const found = resources(flows, 'AWS::StepFunctions::StateMachine').find(
      ([, it]) => it.Properties.StateMachineName === `fedplane-${flow}`,
    )
    const [, machine] = found!
    const [functionId] = one(flows, 'AWS::Lambda::Function', 'fedplane: steps of all flows')
    const substitutions = machine.Properties.DefinitionSubstitutions as Fields
    expect(substitutions).toEqual({ StepFunctionArn: { 'Fn::GetAtt': [functionId, 'Arn'] }, Flow: flow })
    const invocations = statementsOf(flows, roleOf(machine, 'RoleArn')).filter(({ actions }) =>
      actions.includes('lambda:InvokeFunction'),
    )
    expect(JSON.stringify(invocations.map(({ statement }) => statement.Resource))).toContain(functionId)
    for (const { statement } of invocations) {
      for (const arn of [statement.Resource].flat()) expect(JSON.stringify(arn)).toContain(functionId)
    }
  })

  it.each(FLOWS)('of %s end by themselves, and their alarm with them', (flow) => {
    const [, machine] = resources(flows, 'AWS::StepFunctions::StateMachine').find(
      ([, it]) => it.Properties.StateMachineName === `fedplane-${flow}`,
    )!
    const { TimeoutSeconds } = JSON.parse(String(machine.Properties.DefinitionString)) as { TimeoutSeconds?: number }
    expect(TimeoutSeconds).toBe(EXECUTION_SECONDS[flow])
  })

  it('fail in their function before their Tasks time out', () => {
    const file = path.join('statemachines', 'operation.asl.json')
    const { States } = JSON.parse(readFileSync(file, 'utf8')) as { States: Record<string, Fields> }
    const tasks = Object.entries(States).filter(([, state]) => state.Type === 'Task')
    const tooShort = tasks.filter(([, state]) => Number(state.TimeoutSeconds) <= TIMEOUT_SECONDS.step)
    expect(tooShort.map(([name]) => name)).toEqual([])
    const [, step] = one(flows, 'AWS::Lambda::Function', 'fedplane: steps of all flows')
    expect(step.Properties.Timeout).toBe(TIMEOUT_SECONDS.step)
  })

  it('give their function exactly the settings that it reads', () => {
    const [, step] = one(flows, 'AWS::Lambda::Function', 'fedplane: steps of all flows')
    expect(Object.keys(environmentOf(step)).sort()).toEqual(settingsOf(workerEnv))
  })

  it('lets nobody use the key without naming a project', () => {
    const uses = resources(flows, 'AWS::IAM::Role')
      .flatMap(([id]) => statementsOf(flows, id))
      .filter(({ actions }) => actions.some((action) => action.startsWith('kms:')))
      .filter(({ statement }) => !JSON.stringify(statement.Condition).includes('kms:ViaService'))
    expect(uses).toHaveLength(1)
    for (const { actions, statement } of uses) {
      expect(actions.toSorted()).toEqual(['kms:Decrypt', 'kms:GenerateDataKey'])
      expect(statement.Condition).toEqual({ Null: { 'kms:EncryptionContext:project': 'false' } })
    }
  })
})

describe('api stack', () => {
  const TABLE = 'fedplane: API routes without rights on keys'
  const KEYS = 'fedplane: API routes that seal or open credentials'

  const integrationOf = (routeKey: string): string => {
    const found = resources(api, 'AWS::ApiGatewayV2::Route').filter(([, it]) => it.Properties.RouteKey === routeKey)
    expect(found, routeKey).toHaveLength(1)
    const target = JSON.stringify(found[0]![1].Properties.Target)
    const integration = resources(api, 'AWS::ApiGatewayV2::Integration').find(([id]) => target.includes(`"${id}"`))
    const uri = JSON.stringify(integration![1].Properties.IntegrationUri)
    const alias = resources(api, 'AWS::Lambda::Alias').find(([id]) => uri.includes(`"${id}"`))
    return JSON.stringify(alias?.[1].Properties.FunctionName)
  }

  it('sends every route to the function that may serve it', () => {
    const [tableId] = one(api, 'AWS::Lambda::Function', TABLE)
    const [keysId] = one(api, 'AWS::Lambda::Function', KEYS)
    for (const route of ROUTES) {
      for (const spelling of gatewayPaths(route)) {
        const wanted = route.access === 'keys' ? keysId : tableId
        expect(integrationOf(`${route.method} ${spelling}`), `${route.method} ${spelling}`).toContain(`"${wanted}"`)
      }
    }
  })

  it('sends what is left to the table function', () => {
    const [tableId] = one(api, 'AWS::Lambda::Function', TABLE)
    expect(integrationOf('$default')).toContain(`"${tableId}"`)
  })

  it('has no route that the table does not list', () => {
    const listed = ROUTES.flatMap((route) => gatewayPaths(route).map((spelling) => `${route.method} ${spelling}`))
    const registered = resources(api, 'AWS::ApiGatewayV2::Route').map(([, it]) => it.Properties.RouteKey)
    expect(registered.sort()).toEqual([...listed, '$default'].sort())
  })

  it('keeps posts to hooks below what others may ask, and the query with their tokens out of the log', () => {
    const [[, stage]] = resources(api, 'AWS::ApiGatewayV2::Stage') as [[string, Resource]]
    const [[hook]] = resources(api, 'AWS::ApiGatewayV2::Route').filter(
      ([, it]) => it.Properties.RouteKey === 'POST /v1/hooks/{hook}',
    ) as [[string, Resource]]
    const { ThrottlingRateLimit: all } = stage.Properties.DefaultRouteSettings as { ThrottlingRateLimit: number }
    expect(stage.Properties.RouteSettings).toEqual({
      'POST /v1/hooks/{hook}': { ThrottlingRateLimit: all / 5, ThrottlingBurstLimit: expect.any(Number) },
    })
    expect([stage.DependsOn].flat()).toContain(hook)
    const { Format } = stage.Properties.AccessLogSettings as { Format: string }
    expect(Object.values(JSON.parse(Format)).filter((field) => /query|requestOverride/i.test(String(field)))).toEqual(
      [],
    )
  })

  it('asks the authorizer on each route but the public ones, without identity source and cache', () => {
    const open = resources(api, 'AWS::ApiGatewayV2::Route').filter(
      ([, it]) => it.Properties.AuthorizationType !== 'CUSTOM',
    )
    const listed = ROUTES.filter((route) => route.access === 'none').map((route) => `${route.method} ${route.path}`)
    expect(open.map(([, it]) => it.Properties.RouteKey).sort()).toEqual(listed.sort())
    api.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerResultTtlInSeconds: 0,
      EnableSimpleResponses: true,
      AuthorizerPayloadFormatVersion: '2.0',
      IdentitySource: [],
    })
  })

  it('gives key rights to the keys function alone', () => {
    const [, keys] = one(api, 'AWS::Lambda::Function', KEYS)
    const withKeys = resources(api, 'AWS::Lambda::Function').filter(([, it]) => sealingOf(api, it).length > 0)
    expect(withKeys.map(([, it]) => it.Properties.Description)).toEqual([keys.Properties.Description])
    expect(sealingOf(api, keys)).toEqual(['kms:Decrypt', 'kms:GenerateDataKey'])
  })

  it('lets the functions of the API start executions, and neither stop them nor check them', () => {
    for (const description of [TABLE, KEYS]) {
      const [, it] = one(api, 'AWS::Lambda::Function', description)
      expect(actionsOf(api, it).filter((action) => action.startsWith('states:'))).toEqual(['states:StartExecution'])
    }
  })

  it('has no metrics of single routes, which are paid for and which no alarm checks', () => {
    const [[, stage]] = resources(api, 'AWS::ApiGatewayV2::Stage') as [[string, Resource]]
    expect(stage.Properties.DefaultRouteSettings).toMatchObject({ DetailedMetricsEnabled: false })
  })

  it('gives the authorizer no rights beyond logs and traces', () => {
    const [, authorizer] = one(api, 'AWS::Lambda::Function', 'fedplane: token to principal')
    expect(actionsOf(api, authorizer).filter((action) => !/^(logs|xray):/.test(action))).toEqual([])
  })

  it.each([
    [TABLE, tableEnv],
    [KEYS, keysEnv],
  ])('gives "%s" exactly the settings that it reads', (description, schema) => {
    const [, it] = one(api, 'AWS::Lambda::Function', description)
    expect(Object.keys(environmentOf(it)).sort()).toEqual(settingsOf(schema))
  })
})

describe('events stack', () => {
  const RECONCILER = 'fedplane: looks after what is in progress'
  const SWEEP = 'fedplane: checks the health of clusters'
  const FORWARDER = 'fedplane: puts events on the bus and into the feeds'
  const FAN_OUT = 'fedplane: finds the triggers of events'
  const DELIVERIES = 'fedplane: posts events to the targets of triggers'
  const SELECTORS = 'fedplane: has clusters join and leave by selectors'

  const rulesOf = (functionId: string): Fields[] =>
    resources(events, 'AWS::Events::Rule')
      .map(([, rule]) => rule.Properties)
      .filter((rule) => JSON.stringify(rule.Targets).includes(`"${functionId}"`))

  const CLOUD_CALLS = 'fedplane: has clusters observed that were changed at AWS'

  it('runs each function but those behind the stream and rules every minute', () => {
    for (const [id, it] of resources(events, 'AWS::Lambda::Function')) {
      if ([FORWARDER, FAN_OUT, CLOUD_CALLS].includes(String(it.Properties.Description))) continue
      expect(rulesOf(id).map((rule) => rule.ScheduleExpression)).toContain('rate(1 minute)')
    }
  })

  it('runs what the clock runs once for each event, and keeps none for longer than a minute', () => {
    const behindTheStream = [FORWARDER, FAN_OUT]
    const workers = resources(events, 'AWS::Lambda::Function').filter(
      ([, it]) => !behindTheStream.includes(String(it.Properties.Description)),
    )
    const configs = resources(events, 'AWS::Lambda::EventInvokeConfig').map(([, config]) => config.Properties)
    for (const [id] of workers) {
      expect(configs.find((config) => JSON.stringify(config.FunctionName).includes(`"${id}"`))).toMatchObject({
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 60,
      })
    }
    expect(configs).toHaveLength(workers.length)
  })

  it('keeps what the bus could not encrypt, in a queue that does not need that key', () => {
    const [[, bus]] = resources(events, 'AWS::Events::EventBus') as [[string, Resource]]
    const { Arn } = bus.Properties.DeadLetterConfig as { Arn: { 'Fn::GetAtt': [string, string] } }
    const [id] = Arn['Fn::GetAtt']
    const queue = resources(events, 'AWS::SQS::Queue').find(([name]) => name === id)
    expect(queue?.[1].Properties).toMatchObject({ SqsManagedSseEnabled: true })
    expect(queue?.[1].Properties).not.toHaveProperty('KmsMasterKeyId')
    const policies = JSON.stringify(resources(events, 'AWS::SQS::QueuePolicy').map(([, it]) => it.Properties))
    expect(policies).toMatch(new RegExp(`events\\.amazonaws\\.com.*${id}`))
  })

  it('tells the reconciler of executions of our flows that ended badly', () => {
    const [id] = one(events, 'AWS::Lambda::Function', RECONCILER)
    const pattern = rulesOf(id).find((rule) => rule.EventPattern)?.EventPattern as {
      detail: { stateMachineArn: unknown[] }
    }
    expect(pattern).toMatchObject({ source: ['aws.states'], detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'] } })
    expect(pattern.detail.stateMachineArn).toHaveLength(FLOWS.length)
  })

  const sourceOf = (functionId: string): Resource => {
    const sources = resources(events, 'AWS::Lambda::EventSourceMapping').map(([, source]) => source)
    return sources.find(({ Properties }) => JSON.stringify(Properties.FunctionName).includes(`"${functionId}"`))!
  }

  it('gives who finds triggers what comes into feeds, new deliveries and requests to observe, and three functions to hand them on to', () => {
    const [id, fanOut] = one(events, 'AWS::Lambda::Function', FAN_OUT)
    const filters = sourceOf(id).Properties.FilterCriteria as { Filters: { Pattern: string }[] }
    expect(filters.Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
      { eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ prefix: 'FEED#' }] } } } },
      { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'DELIVERY#' }] } } } },
      {
        dynamodb: {
          Keys: { sk: { S: [{ prefix: 'OBSERVE#' }] } },
          NewImage: { askedAt: { S: [{ exists: true }] } },
        },
      },
    ])
    const invoked = statementsOf(events, roleOf(fanOut, 'Role')).filter(({ actions }) =>
      actions.includes('lambda:InvokeFunction'),
    )
    const arns = [DELIVERIES, SWEEP, SELECTORS].map((it) => ({
      'Fn::GetAtt': [one(events, 'AWS::Lambda::Function', it)[0], 'Arn'],
    }))
    expect(invoked.map(({ statement }) => statement.Resource)).toEqual([expect.arrayContaining(arns)])
    expect(invoked[0]?.statement.Resource).toHaveLength(arns.length)
  })

  it('gives the forwarder new events of the stream alone, and notes what it could not deliver', () => {
    const [id, forwarder] = one(events, 'AWS::Lambda::Function', FORWARDER)
    const source = sourceOf(id)
    const filters = source.Properties.FilterCriteria as { Filters: { Pattern: string }[] }
    expect(filters.Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
      { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'EVENT#' }] } } } },
    ])
    expect(source.Properties).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: { OnFailure: expect.anything() },
    })
    expect(actionsOf(events, forwarder)).toContain('events:PutEvents')
    const items = statementsOf(events, roleOf(forwarder, 'Role')).filter(({ actions }) =>
      actions.some((action) => /^dynamodb:.*(Item|Query|Scan)/.test(action)),
    )
    expect(items.map(({ actions, statement }) => [actions, statement.Condition])).toEqual([
      [['dynamodb:PutItem'], { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['FEED#*'] } }],
    ])
  })

  it('lets sweep, deliveries and selectors open what is sealed and seal nothing, and others do neither', () => {
    for (const [, it] of resources(events, 'AWS::Lambda::Function')) {
      expect(sealingOf(events, it)).toEqual(
        [SWEEP, DELIVERIES, SELECTORS].includes(String(it.Properties.Description)) ? ['kms:Decrypt'] : [],
      )
    }
  })

  it('lets each worker start operations, and the reconciler alone check executions and stop them', () => {
    const ofExecutions = (description: string): string[] =>
      actionsOf(events, one(events, 'AWS::Lambda::Function', description)[1])
        .filter((action) => action.startsWith('states:'))
        .toSorted()
    expect(ofExecutions(RECONCILER)).toEqual(
      ['DescribeExecution', 'GetExecutionHistory', 'StartExecution', 'StopExecution'].map((it) => `states:${it}`),
    )
    expect(ofExecutions('fedplane: starts due credential rotations')).toEqual(['states:StartExecution'])
    // A cluster that was not to be reached at first is taken up by the sweep.
    expect(ofExecutions(SWEEP)).toEqual(['states:StartExecution'])
    expect(ofExecutions(SELECTORS)).toEqual(['states:StartExecution'])
    expect(ofExecutions(FORWARDER)).toEqual([])
  })

  it.each([
    [RECONCILER, reconcilerEnv],
    ['fedplane: starts due credential rotations', reconcilerEnv],
    [SWEEP, workerEnv],
    [FORWARDER, outboxEnv],
    [FAN_OUT, fanOutEnv],
    [DELIVERIES, deliveriesEnv],
    [SELECTORS, selectorsEnv],
    [CLOUD_CALLS, reconcilerEnv],
  ])('gives "%s" exactly the settings that it reads', (description, schema) => {
    const [, it] = one(events, 'AWS::Lambda::Function', description)
    expect(Object.keys(environmentOf(it)).sort()).toEqual(settingsOf(schema))
  })
})

describe('guard stack', () => {
  it('checks keys only, and is destroyed before any other', () => {
    const [, guard] = one(
      all.guard,
      'AWS::Lambda::Function',
      'fedplane: refuses to be destroyed while there are federations or clusters',
    )
    expect(Object.keys(environmentOf(guard)).sort()).toEqual(settingsOf(destroyGuardEnv))
    expect(actionsOf(all.guard, guard).filter((action) => action.startsWith('dynamodb:'))).toEqual(['dynamodb:Query'])
    expect(sealingOf(all.guard, guard)).toEqual([])
    const [[, standIn]] = resources(all.guard, 'Custom::FedplaneDestroyGuard') as [[string, Resource]]
    expect(standIn.Properties.Enforce).toBe('true')
  })
})

describe('reserved concurrency', () => {
  const reserving = (template: Template) => {
    const [, resource] = one(
      template,
      'AWS::Lambda::Function',
      'fedplane: reserves concurrency for the API where the account has room',
    )
    const [[, asked]] = resources(template, 'Custom::FedplaneReservedConcurrency') as [[string, Resource]]
    const functions = asked.Properties.Functions as { Kind: string; Wanted: string }[]
    return { resource, asked, wanted: Object.fromEntries(functions.map(({ Kind, Wanted }) => [Kind, Wanted])) }
  }
  const concurrencyRights = (template: Template) =>
    statementsIn(template)
      .map(({ statement }) => statement)
      .filter(
        (statement) =>
          JSON.stringify(statement.Action).includes('lambda:') &&
          actionsIn(statement).some((it) => /Concurrency/.test(it)),
      )

  it('is asked for the API and the authorizer, by default, with rights on these', () => {
    const { resource, wanted } = reserving(api)
    expect(wanted).toEqual({ table: '100', keys: '50', authorizer: '100' })
    expect(Object.keys(environmentOf(resource))).toEqual(settingsOf(reserveConcurrencyEnv))
    const [statement, ...others] = concurrencyRights(api)
    expect(others).toEqual([])
    expect(actionsIn(statement!)).toEqual(['Delete', 'Get', 'Put'].map((verb) => `lambda:${verb}FunctionConcurrency`))
    const arns = ['API routes without rights on keys', 'API routes that seal or open credentials', 'token to principal']
      .map((text) => one(api, 'AWS::Lambda::Function', `fedplane: ${text}`)[0])
      .map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }))
    expect([statement!.Resource].flat()).toHaveLength(arns.length)
    expect(statement!.Resource).toEqual(expect.arrayContaining(arns))
    expect(Object.keys(api.findOutputs('concurrency'))).toEqual(['concurrency'])
  })

  it('is asked again when a function has another version', () => {
    expect(reserving(api).asked.Properties.Versions).toHaveLength(3)
  })

  it('leaves kinds alone that the settings have', () => {
    const config = { reservedConcurrency: { table: 5, authorizer: 7 } }
    const own = templatesOf({ routes: FEW_ROUTES, config }).api
    expect(reserving(own).wanted).toEqual({ keys: '50' })
    const [id] = one(own, 'AWS::Lambda::Function', 'fedplane: API routes that seal or open credentials')
    expect(concurrencyRights(own).map(({ Resource }) => Resource)).toEqual([{ 'Fn::GetAtt': [id, 'Arn'] }])
  })

  it('is given up when the operator wants none', () => {
    const off = templatesOf({ routes: FEW_ROUTES, config: { reserveConcurrency: false } }).api
    expect(reserving(off).wanted).toEqual({ table: 'none', keys: 'none', authorizer: 'none' })
  })
})
