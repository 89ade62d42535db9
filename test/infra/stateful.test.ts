import { rmSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DeploymentConfig } from '../../infra/settings/settings.schema.ts'
import {
  bundleStandIn,
  FEW_ROUTES,
  fedplaneApp,
  type Resource,
  resourcesIn,
  type Templates,
  templatesOf,
} from '../support/infra/synthesised.ts'

/**
 * Logical ids of what holds data, and of what others know by its address. Another id makes CloudFormation put a new, empty one in its place: a
 * change of this list is a migration, not a correction.
 */
const STATEFUL = {
  data: {
    'AWS::DynamoDB::Table': ['table8235A42E'],
    'AWS::KMS::Key': ['datakeykey3BD20361', 'storagekey48BCF728'],
  },
  events: {
    'AWS::Events::EventBus': ['outboxbusAAA1C5F4'],
    'AWS::SQS::Queue': ['outboxrefusedE43E6FD1', 'outboxundelivered04F7A215'],
  },
  api: { 'AWS::ApiGatewayV2::Api': ['apiC8550315'] },
} as const

let usual: Templates
let throwAway: Templates
beforeAll(() => {
  usual = templatesOf({ routes: FEW_ROUTES })
  throwAway = templatesOf({ routes: FEW_ROUTES, config: { removalPolicy: 'destroy', stage: 'dev' } })
})

const kept = (templates: Templates): Resource[] =>
  ['AWS::DynamoDB::Table', 'AWS::KMS::Key'].flatMap((type) => resourcesIn(templates.data, type).map(([, it]) => it))

describe('stateful resources', () => {
  it.each(
    Object.entries(STATEFUL).flatMap(([stack, types]) =>
      Object.entries(types).map(([type, ids]) => [stack as keyof Templates, type, ids as readonly string[]] as const),
    ),
  )('of %s, %s, have the ids that they have always had', (stack, type, ids) => {
    for (const templates of [usual, throwAway]) {
      expect(
        resourcesIn(templates[stack], type)
          .map(([id]) => id)
          .toSorted(),
      ).toEqual(ids)
    }
  })

  it('are in the data stack, but for queues, bus and API', () => {
    const elsewhere = Object.entries(usual)
      .filter(([stack]) => stack !== 'data')
      .flatMap(([, template]) =>
        Object.keys(template.findResources('AWS::DynamoDB::Table')).concat(
          Object.keys(template.findResources('AWS::KMS::Key')),
        ),
      )
    expect(elsewhere).toEqual([])
  })

  it('stay when their stack goes, unless the installation is to be thrown away', () => {
    expect(kept(usual).map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(['Retain', 'Retain', 'Retain'])
    expect(kept(throwAway).map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(['Delete', 'Delete', 'Delete'])
    throwAway.data.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false })
  })

  it('are in a stack that nobody deletes by mistake, and that goes last, after the guard', () => {
    const folder = bundleStandIn()
    const stacksOf = (config: DeploymentConfig) => fedplaneApp(folder, { config, routes: FEW_ROUTES }).stacks
    const { data, guard, ...others } = stacksOf({})
    expect(data.terminationProtection).toBe(true)
    expect(stacksOf({ removalPolicy: 'destroy' }).data.terminationProtection).toBe(false)
    expect(guard.dependencies).toEqual(expect.arrayContaining([data, ...Object.values(others)]))
    for (const other of Object.values(others)) expect(other.dependencies).not.toContain(guard)
    rmSync(folder, { recursive: true })
  })
})
