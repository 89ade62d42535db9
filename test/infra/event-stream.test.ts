import { describe, expect, it } from 'vitest'
import { authorizerEnv } from '../../functions/authorizer/env.schema.ts'
import { readEnv, tableEnv } from '../../functions/runtime/env.ts'
import { FEW_ROUTES, type Fields, resourcesIn, templatesOf } from '../support/infra/synthesised.ts'

const OIDC = { oidcIssuer: 'https://login.example.org', oidcAudience: 'fedplane' }

describe('the function that streams events', () => {
  const { api } = templatesOf({ routes: FEW_ROUTES, config: { ...OIDC, eventStream: true } })
  const described = (words: string): Fields =>
    resourcesIn(api, 'AWS::Lambda::Function').find(([, { Properties }]) =>
      String(Properties.Description).includes(words),
    )?.[1].Properties ?? {}
  const variablesOf = ({ Environment }: Fields): Fields => (Environment as { Variables: Fields }).Variables
  const stream = described('streams events')

  it('is not there unless the operator wants it', () => {
    expect(resourcesIn(templatesOf({ routes: FEW_ROUTES }).api, 'AWS::Lambda::Url')).toEqual([])
  })

  it('has a URL that streams, and bounded executions that outlast a stream', () => {
    const [url] = resourcesIn(api, 'AWS::Lambda::Url')
    expect(url?.[1].Properties).toMatchObject({ InvokeMode: 'RESPONSE_STREAM', AuthType: 'NONE' })
    expect(stream).toMatchObject({ ReservedConcurrentExecutions: 50, Timeout: 330 })
    const less = { ...OIDC, eventStream: true, reservedConcurrency: { stream: 5 } }
    const reserved = resourcesIn(templatesOf({ routes: FEW_ROUTES, config: less }).api, 'AWS::Lambda::Function').map(
      ([, { Properties }]) => Properties.ReservedConcurrentExecutions,
    )
    expect(reserved).toContain(5)
  })

  it('reads its environment as an API and as an authorizer', () => {
    const text = Object.fromEntries(
      Object.entries(variablesOf(stream)).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : `<${name}>`,
      ]),
    )
    const arn = 'arn:aws:states:eu-central-1:111122223333:stateMachine:fedplane-'
    const env = { ...text, AWS_REGION: 'eu-central-1', STATE_MACHINE_ARN_PREFIX: arn, PUBLIC_URL: 'https://x.example' }
    expect(readEnv(authorizerEnv, env)).toMatchObject({ OIDC_ISSUER: OIDC.oidcIssuer })
    expect(readEnv(tableEnv, env)).toMatchObject({ EVENT_STREAM_URL: '' })
  })

  it('is named to the API, and by that to callers', () => {
    const { EVENT_STREAM_URL: url } = variablesOf(described('without rights on keys'))
    expect(JSON.stringify(url)).toContain('FunctionUrl')
  })
})

describe('permissions of its URL', () => {
  it('let callers in, by both rights that Lambda asks for since 2025', () => {
    const { api } = templatesOf({ routes: FEW_ROUTES, config: { ...OIDC, eventStream: true } })
    const open = resourcesIn(api, 'AWS::Lambda::Permission')
      .map(([, { Properties }]) => Properties)
      .filter(({ Principal }) => Principal === '*')
    expect(open.map(({ Action }) => Action).toSorted()).toEqual(['lambda:InvokeFunction', 'lambda:InvokeFunctionUrl'])
    expect(open).toContainEqual(expect.objectContaining({ InvokedViaFunctionUrl: true }))
  })
})
