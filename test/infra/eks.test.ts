import { beforeAll, describe, expect, it } from 'vitest'
import type { DeploymentConfig } from '../../infra/settings/settings.schema.ts'
import { EKS_CALL_SAMPLES, eksCallEvent, matches } from '../support/eks/cloudtrail.ts'
import { actionsIn, FEW_ROUTES, resourcesIn, statementsIn, templatesOf } from '../support/infra/synthesised.ts'

const ROLE = 'arn:aws:iam::444455556666:role/fedplane-*'
const CLUSTER = 'arn:aws:eks:eu-central-1:111122223333:cluster/shop'
let usual: string[]
let listed: string[]

beforeAll(() => {
  usual = rightsWith({})
  listed = rightsWith({
    eksRoles: [ROLE, `blue=${ROLE}`, 'red=arn:aws:iam::777788889999:role/edge'],
    eksClusters: [CLUSTER],
  })
})

/** `role: action → resources` of every statement about EKS and STS, in all stacks. */
const rightsWith = (config: DeploymentConfig): string[] =>
  Object.values(templatesOf({ config, routes: FEW_ROUTES }))
    .flatMap(statementsIn)
    .filter(({ statement }) => actionsIn(statement).some((action) => /^(sts|eks):/.test(action)))
    .map(
      ({ roles, statement }) =>
        `${roles[0]?.replace(/role[0-9A-F]{8}$/, '')}: ${statement.Action} → ${[statement.Resource].flat()}`,
    )

describe('rights for EKS', () => {
  it('are nobody’s unless the operator lists roles or clusters', () => {
    expect(usual).toEqual([])
  })

  it('are those of the functions that talk to clusters, on exactly what is listed', () => {
    const talkers = ['keys', 'healthsweep', 'step']
    expect(listed.toSorted()).toEqual(
      talkers
        .flatMap((name) => [
          `${name}: sts:AssumeRole → ${ROLE},arn:aws:iam::777788889999:role/edge`,
          `${name}: eks:DescribeCluster → ${CLUSTER}`,
        ])
        .toSorted(),
    )
  })
})

describe('rules for calls of EKS', () => {
  const rulesWith = (config: DeploymentConfig) =>
    resourcesIn(templatesOf({ config, routes: FEW_ROUTES }).events, 'AWS::Events::Rule')
      .map(([, { Properties }]) => Properties)
      .filter(({ EventPattern }) => JSON.stringify(EventPattern ?? '').includes('aws.eks'))

  it('are on the default bus and on ours, for what others forward there', () => {
    const rules = rulesWith({})
    expect(rules.map(({ EventBusName }) => EventBusName !== undefined).toSorted()).toEqual([false, true])
    expect(new Set(rules.map(({ EventPattern }) => JSON.stringify(EventPattern))).size).toBe(1)
  })

  it('are there only where eks@1 is enabled', () => {
    expect(rulesWith({ clusterDrivers: ['external@1'] })).toEqual([])
    expect(rulesWith({ clusterDrivers: ['external@1', 'eks@1'] })).toHaveLength(2)
  })

  it('take the events as AWS publishes them, and none of calls that failed or that change nothing', () => {
    const pattern = rulesWith({})[0]?.EventPattern as Parameters<typeof matches>[0]
    for (const event of EKS_CALL_SAMPLES) expect(matches(pattern, event), String(event.detail.eventName)).toBe(true)
    const deletion = eksCallEvent({ eventName: 'DeleteCluster', requestParameters: { name: 'shop-1' } })
    const others = [
      { ...deletion, detail: { ...deletion.detail, errorCode: 'AccessDenied' } },
      { ...deletion, source: 'fedplane' },
      { ...deletion, 'detail-type': 'EKS Addon Creation Failed' },
      eksCallEvent({ eventName: 'DescribeCluster', requestParameters: { name: 'shop-1' } }),
    ]
    for (const event of others) expect(matches(pattern, event)).toBe(false)
  })
})
