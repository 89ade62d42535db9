import { rmSync } from 'node:fs'
import { Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import type { IConstruct } from 'constructs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeploymentConfig } from '../../infra/settings/settings.schema.ts'
import { bundleStandIn, FEW_ROUTES, fedplaneApp } from '../support/infra/synthesised.ts'

const secret = (name: string): string =>
  `arn:aws:secretsmanager:eu-central-1:111122223333:secret:fedplane/${name}-a1B2c3`

/** With all that can be switched on. */
const FULL: DeploymentConfig = {
  domainName: 'fedplane.example.org',
  certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0f0e0d0c-1111-2222-3333-444455556666',
  keystoneUrl: 'https://keystone.example.org',
  keystoneSecretArn: secret('keystone'),
  canarySecretArn: secret('canary'),
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: ['subnet-0123456789abcdef0'],
  eksRoles: ['arn:aws:iam::111122223333:role/fedplane-*'],
  eventStream: true,
  sweepParts: 6,
  triggerBuses: ['arn:aws:events:eu-central-1:111122223333:event-bus/shop'],
  eksClusters: ['arn:aws:eks:*:111122223333:cluster/*'],
  alarmEmail: 'ops@example.org',
}
/** For a first user, who has neither Keystone nor an identity provider. */
const FIRST_USER: DeploymentConfig = {
  identity: 'cognito',
  identityUsersSecretArn: secret('users'),
  awsCallers: ['shop:member=arn:aws:iam::111122223333:role/deployer'],
}
const THROWN_AWAY: DeploymentConfig = { stage: 'dev', removalPolicy: 'destroy', tracing: false }

let folder: string
beforeAll(() => {
  folder = bundleStandIn()
})
afterAll(() => rmSync(folder, { recursive: true }))

const synthesised = (config: DeploymentConfig) => {
  const { app } = fedplaneApp(folder, { config, routes: FEW_ROUTES })
  // Aspects and lazy values come with it; what it validates is asked below.
  app.synth({ skipValidation: true })
  return app
}

const acknowledgedIn = (construct: IConstruct): Record<string, string>[] => [
  ...construct.node.metadata
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .map(({ data }) => data as Record<string, string>),
  ...construct.node.children.flatMap(acknowledgedIn),
]

describe('cdk-nag', () => {
  it.each([
    ['nothing set', {}],
    ['everything set', FULL],
    ['all that a first user needs', FIRST_USER],
    ['an installation to be thrown away', THROWN_AWAY],
  ])('finds nothing with %s', (_, config: DeploymentConfig) => {
    const app = synthesised(config)
    const findings = [new AwsSolutionsChecks(), new ServerlessChecks()].flatMap((pack) =>
      pack.validateScope(app).violations.map(({ ruleName, violatingResources }) => ({
        ruleName,
        at: violatingResources.map(({ constructPath }) => constructPath),
      })),
    )
    expect(findings).toEqual([])
  })

  it('is told why whatever is accepted does not fit', () => {
    const reasons = acknowledgedIn(synthesised(FULL)).flatMap((entry) => Object.values(entry))
    expect(reasons.length).toBeGreaterThan(20)
    expect(reasons.filter((reason) => !/^[A-Z].{20,}\.$/.test(reason))).toEqual([])
  })
})
