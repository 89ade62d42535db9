import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { identityEnv } from '../../functions/identity-api/env.schema.ts'
import { parseSettings } from '../../infra/settings/read-settings.ts'
import type { DeploymentConfig } from '../../infra/settings/settings.schema.ts'
import {
  actionsIn,
  FEW_ROUTES,
  resourcesIn,
  type Statement,
  statementsIn,
  templatesOf,
} from '../support/infra/synthesised.ts'

const ACCOUNT = '111122223333'
const USERS = `arn:aws:secretsmanager:eu-central-1:${ACCOUNT}:secret:fedplane/users-a1B2c3`
const DEPLOYER = `arn:aws:iam::${ACCOUNT}:role/deployer`
const FACADE = { identityUsersSecretArn: USERS }

const add = (config: DeploymentConfig): Template => templatesOf({ config, routes: FEW_ROUTES }).api

/** A function by its description, with its environment. */
const functionOf = (template: Template, description: RegExp) => {
  const found = resourcesIn(template, 'AWS::Lambda::Function').find(([, { Properties }]) =>
    description.test(String(Properties.Description)),
  )
  const [id = '', resource] = found ?? []
  const properties = resource?.Properties as
    | { Environment: { Variables: Record<string, unknown> }; Timeout: number; MemorySize: number; Role: unknown }
    | undefined
  return { id, properties, variables: properties?.Environment.Variables ?? {} }
}

/** What the role of a function may do beyond logs and traces. */
const rightsOf = (template: Template, role: RegExp): Statement[] =>
  statementsIn(template)
    .filter(({ roles }) => roles.some((name) => role.test(name)))
    .map(({ statement }) => statement)
    .filter((statement) => !actionsIn(statement).some((action) => /^(logs|xray):/.test(action)))

const routesOf = (template: Template): Record<string, unknown> =>
  Object.fromEntries(
    resourcesIn(template, 'AWS::ApiGatewayV2::Route').map(([, { Properties }]) => [
      `${JSON.stringify(Properties.ApiId)} ${Properties.RouteKey}`,
      Properties.AuthorizationType,
    ]),
  )

describe('the identity facade', () => {
  it('is not there by default: no function, no route, no secret', () => {
    const template = add({})
    expect(functionOf(template, /Keystone/).properties).toBeUndefined()
    expect(resourcesIn(template, 'AWS::SecretsManager::Secret')).toEqual([])
    expect(JSON.stringify(routesOf(template))).not.toContain('/identity')
  })

  it('is a function of its own, whose settings are those that it reads', () => {
    const { variables, properties } = functionOf(add(FACADE), /Keystone/)
    expect(Object.keys(variables).sort()).toEqual(Object.keys(identityEnv.shape).sort())
    expect(variables.IDENTITY_USERS_ARN).toBe(USERS)
    expect(properties).toMatchObject({ Timeout: 20, MemorySize: 1769 })
  })

  it('may read its two secrets, and read and write items of its own alone', () => {
    const rights = rightsOf(add(FACADE), /facadeidentity/)
    const ofTable = rights.filter((statement) => actionsIn(statement).some((action) => action.startsWith('dynamodb:')))
    expect(ofTable).toHaveLength(1)
    expect(ofTable[0]?.Condition).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['IDENTITY#*'] } })
    const ofSecrets = rights.filter((statement) => actionsIn(statement).includes('secretsmanager:GetSecretValue'))
    expect(ofSecrets.flatMap(({ Resource }) => Resource)).toEqual([
      USERS,
      { 'Fn::GetAtt': [expect.stringMatching(/tokenkey/), 'Id'] },
    ])
    expect(rights.flatMap(actionsIn).filter((action) => /^(states|lambda|sts|eks):/.test(action))).toEqual([])
  })

  it('has its tokens checked by the authorizer, which may write nothing', () => {
    const template = add(FACADE)
    const { variables } = functionOf(template, /token to principal/)
    expect(variables).toMatchObject({ IDENTITY_USERS_ARN: USERS })
    expect([variables.IDENTITY_TOKEN_KEY_ARN, variables.TABLE_NAME]).not.toContain('')
    const actions = rightsOf(template, /^authorizer/).flatMap(actionsIn)
    expect([...new Set(actions)].toSorted()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'kms:Decrypt',
      'kms:DescribeKey',
      'secretsmanager:GetSecretValue',
    ])
  })

  it('is reached without a token, at few logins a second', () => {
    const template = add(FACADE)
    const open = Object.entries(routesOf(template)).filter(([key]) => key.includes('/identity'))
    expect(open.map(([, type]) => type)).toEqual(['NONE', 'NONE'])
    const [[, stage] = []] = resourcesIn(template, 'AWS::ApiGatewayV2::Stage')
    const limit = { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 }
    expect(stage?.Properties).toMatchObject({
      RouteSettings: { 'ANY /identity': limit, 'ANY /identity/{proxy+}': limit },
    })
  })

  it('is where clients are sent that have no token', () => {
    for (const name of [/without rights on keys/, /seal or open/]) {
      const { AUTH_URL: url } = functionOf(add(FACADE), name).variables
      expect(JSON.stringify(url)).toMatch(/\/identity\/v3"/)
    }
  })

  it('excludes Keystone, in whose place it stands', () => {
    const keystone = {
      keystoneUrl: 'https://keystone.example.org',
      keystoneSecretArn: USERS.replace('users', 'keystone'),
    }
    expect(() => parseSettings({ ...FACADE, ...keystone })).toThrow(/identityUsersSecretArn.*excludes keystoneUrl/)
  })
})

describe('callers with credentials of AWS', () => {
  const config = { awsCallers: [`shop:member=${DEPLOYER}`, `shop:reader=${DEPLOYER}`] }

  it('have no API by default', () => {
    expect(resourcesIn(add({}), 'AWS::ApiGatewayV2::Api')).toHaveLength(1)
    expect(functionOf(add({}), /without rights on keys/).variables.AWS_CALLERS).toBe('')
  })

  it('have one whose every route IAM authorises', () => {
    const template = add(config)
    const types = Object.entries(routesOf(template))
      .filter(([key]) => /signed/.test(key))
      .map(([, type]) => type)
    expect(types.length).toBeGreaterThanOrEqual(2)
    expect(new Set(types)).toEqual(new Set(['AWS_IAM']))
    const keys = Object.keys(routesOf(template)).filter((key) => /signed/.test(key))
    expect(keys.some((key) => key.endsWith('$default'))).toBe(true)
  })

  it('leave the other API as it is: IAM authorises nothing there', () => {
    const others = Object.entries(routesOf(add(config))).filter(([key]) => !/signed/.test(key))
    expect(others.map(([, type]) => type)).not.toContain('AWS_IAM')
  })

  it('are felt by the alarms of the API like all others', () => {
    const alarms = resourcesIn(add(config), 'AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
      JSON.stringify(Properties),
    )
    for (const name of ['api-errors', 'api-latency']) {
      const [alarm = ''] = alarms.filter((text) => text.includes(name))
      expect(new Set(alarm.match(/"Name":"ApiId","Value":\{"Ref":"\w+"/g))).toHaveProperty('size', 2)
    }
  })

  it('are told to both functions by the mapping', () => {
    for (const name of [/without rights on keys/, /seal or open/]) {
      expect(functionOf(add(config), name).variables.AWS_CALLERS).toBe(config.awsCallers.join(' '))
    }
  })

  it.each([
    ['shop=arn:aws:iam::111122223333:role/x', /must be <project>:<role>=/],
    ['shop:root=arn:aws:iam::111122223333:role/x', /must be <project>:<role>=/],
    ['shop:member=arn:aws:iam::111122223333:root', /must be <project>:<role>=/],
    ['shop:member=arn:aws:iam::*:role/x', /must be <project>:<role>=/],
    ['shop:member=arn:aws:iam::111122223333:role/*', /must be <project>:<role>=/],
  ])('are no others than users and roles of an account: %s', (entry, message) => {
    expect(() => parseSettings({ awsCallers: [entry] })).toThrow(message)
  })

  it('are of one project each', () => {
    const awsCallers = [`shop:member=${DEPLOYER}`, `lab:member=${DEPLOYER}`]
    expect(() => parseSettings({ awsCallers })).toThrow(/has two projects for/)
  })
})

describe('identity: cognito', () => {
  const template = () => add({ identity: 'cognito' })

  it('makes the pool the issuer of the authorizer', () => {
    const { variables } = functionOf(template(), /token to principal/)
    expect(JSON.stringify(variables.OIDC_ISSUER)).toMatch(/cognito-idp/)
    expect(variables).toMatchObject({ OIDC_PROJECT_CLAIM: 'custom:project_id', OIDC_ROLES_CLAIM: 'cognito:groups' })
  })

  it('lets nobody sign up, or choose their project', () => {
    template().hasResourceProperties('AWS::Cognito::UserPool', {
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      DeletionProtection: 'ACTIVE',
    })
    template().hasResourceProperties('AWS::Cognito::UserPoolClient', {
      WriteAttributes: ['email'],
      ReadAttributes: ['custom:project_id', 'email'],
    })
  })

  it('has a group for each role', () => {
    const groups = resourcesIn(template(), 'AWS::Cognito::UserPoolGroup').map(
      ([, { Properties }]) => Properties.GroupName,
    )
    expect(groups.toSorted()).toEqual(['admin', 'member', 'reader'])
  })

  it('excludes another issuer', () => {
    const config = { identity: 'cognito' as const, oidcIssuer: 'https://login.example.org', oidcAudience: 'fedplane' }
    expect(() => parseSettings(config)).toThrow(/identity.*excludes oidcIssuer/)
  })
})
