import { beforeAll, describe, expect, it } from 'vitest'
import { FEW_ROUTES, type Resource, resourcesIn, type Templates, templatesOf } from '../support/infra/synthesised.ts'

let careful: Templates
let atOnce: Templates
beforeAll(() => {
  careful = templatesOf({ routes: FEW_ROUTES })
  atOnce = templatesOf({ routes: FEW_ROUTES, config: { stage: 'dev' } })
})

const aliases = ({ api }: Templates): [string, Resource & { UpdatePolicy?: unknown }][] =>
  resourcesIn(api, 'AWS::Lambda::Alias')

describe('functions of the API', () => {
  it('are called by the version that is live', () => {
    for (const templates of [careful, atOnce]) {
      const ids = aliases(templates).map(([id]) => id)
      expect(ids.map((id) => id.replace(/live.*/, '')).toSorted()).toEqual(['authorizer', 'keys', 'table'])
      const called = [
        ...resourcesIn(templates.api, 'AWS::ApiGatewayV2::Integration').map(([, it]) => it.Properties.IntegrationUri),
        ...resourcesIn(templates.api, 'AWS::ApiGatewayV2::Authorizer').map(([, it]) => it.Properties.AuthorizerUri),
      ]
      for (const uri of called) expect(ids.some((id) => JSON.stringify(uri).includes(`"${id}"`))).toBe(true)
      const permitted = resourcesIn(templates.api, 'AWS::Lambda::Permission').map(
        ([, it]) => it.Properties.FunctionName,
      )
      for (const name of permitted) expect(ids.some((id) => JSON.stringify(name).includes(`"${id}"`))).toBe(true)
    }
  })

  it('keep the versions of before, to go back to, but none that was rolled back: the same could not be deployed again', () => {
    const versions = resourcesIn(careful.api, 'AWS::Lambda::Version')
    expect(versions).toHaveLength(3)
    for (const [, { DeletionPolicy }] of versions) expect(DeletionPolicy).toBe('RetainExceptOnCreate')
  })

  it('get a new version step by step on prod, and back when it fails', () => {
    const groups = resourcesIn(careful.api, 'AWS::CodeDeploy::DeploymentGroup')
    const failing = resourcesIn(careful.api, 'AWS::CloudWatch::Alarm').filter(([, it]) =>
      /deployment-failed/.test(String(it.Properties.AlarmName)),
    )
    expect(groups).toHaveLength(3)
    expect(failing).toHaveLength(3)
    for (const [, { Properties }] of groups) {
      expect(Properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes')
      expect(Properties.AlarmConfiguration).toMatchObject({ Enabled: true })
      expect(failing.some(([id]) => JSON.stringify(Properties.AlarmConfiguration).includes(`"${id}"`))).toBe(true)
      expect(Properties.AutoRollbackConfiguration).toMatchObject({
        Enabled: true,
        Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
      })
    }
    for (const [, { UpdatePolicy }] of aliases(careful)) {
      expect(UpdatePolicy).toHaveProperty('CodeDeployLambdaAliasUpdate')
    }
  })

  it('get it at once elsewhere, or where the setting says so', () => {
    const told = templatesOf({ routes: FEW_ROUTES, config: { deployment: 'at-once' } })
    for (const templates of [atOnce, told]) {
      expect(resourcesIn(templates.api, 'AWS::CodeDeploy::DeploymentGroup')).toEqual([])
      for (const [, { UpdatePolicy }] of aliases(templates)) expect(UpdatePolicy).toBeUndefined()
    }
  })
})

describe('a domain of one’s own', () => {
  it('leads to the stage, and is what links name', () => {
    const { api } = templatesOf({
      routes: FEW_ROUTES,
      config: {
        domainName: 'fedplane.example.org',
        certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0f0e0d0c-1111-2222-3333-444455556666',
      },
    })
    api.hasResourceProperties('AWS::ApiGatewayV2::DomainName', { DomainName: 'fedplane.example.org' })
    api.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1)
    const urls = resourcesIn(api, 'AWS::Lambda::Function').flatMap(
      ([, it]) =>
        (it.Properties.Environment as { Variables: { PUBLIC_URL?: string } } | undefined)?.Variables.PUBLIC_URL ?? [],
    )
    expect(urls).toEqual(['https://fedplane.example.org', 'https://fedplane.example.org'])
    expect(JSON.stringify(api.findOutputs('domaintarget'))).toContain('RegionalDomainName')
    api.hasResourceProperties('AWS::ApiGatewayV2::Api', { Name: 'fedplane', DisableExecuteApiEndpoint: false })
  })

  it('can be the only way in', () => {
    const { api } = templatesOf({
      routes: FEW_ROUTES,
      config: {
        domainName: 'fedplane.example.org',
        certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0f0e0d0c-1111-2222-3333-444455556666',
        closeEndpoint: true,
      },
    })
    api.hasResourceProperties('AWS::ApiGatewayV2::Api', { Name: 'fedplane', DisableExecuteApiEndpoint: true })
  })
})

describe('permissions of the gateway', () => {
  it('are one for each function, however many routes there are: a policy of Lambda has 20 KB', () => {
    const { api } = templatesOf()
    const permissions = resourcesIn(api, 'AWS::Lambda::Permission').filter(([, it]) =>
      JSON.stringify(it.Properties.Principal).includes('apigateway'),
    )
    const functions = permissions.map(([, it]) => JSON.stringify(it.Properties.FunctionName))
    expect(new Set(functions).size).toBe(functions.length)
    expect(functions).toHaveLength(3)
  })
})

describe('settings of all functions', () => {
  it('are those of the operator', () => {
    const templates = templatesOf({
      routes: FEW_ROUTES,
      config: {
        tracing: false,
        logRetentionDays: 90,
        reservedConcurrency: { step: 7 },
        clusterDrivers: ['external@1'],
        stage: 'dev',
      },
    })
    const functions = Object.values(templates).flatMap((template) => resourcesIn(template, 'AWS::Lambda::Function'))
    const steps = functions.filter(([, it]) => /steps of all flows/.test(String(it.Properties.Description)))
    expect(functions.filter(([, it]) => it.Properties.TracingConfig !== undefined)).toEqual([])
    expect(functions.filter(([, it]) => it.Properties.ReservedConcurrentExecutions === 7)).toEqual(steps)
    const drivers = functions.map(
      ([, it]) =>
        (it.Properties.Environment as { Variables: Record<string, string> } | undefined)?.Variables.CLUSTER_DRIVERS,
    )
    expect([...new Set(drivers)].toSorted()).toEqual(['external@1', undefined])
    for (const [, it] of functions) {
      expect(it.Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] })
      expect(it.Properties.LoggingConfig).toBeDefined()
    }
    for (const template of Object.values(templates)) {
      for (const [, it] of resourcesIn(template, 'AWS::Logs::LogGroup')) expect(it.Properties.RetentionInDays).toBe(90)
    }
  })
})
