import { beforeAll, describe, expect, it } from 'vitest'
import type { DeploymentConfig } from '../../infra/settings/settings.schema.ts'
import { actionsIn, FEW_ROUTES, statementsIn, templatesOf } from '../support/infra/synthesised.ts'

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
