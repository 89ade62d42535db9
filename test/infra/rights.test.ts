import { beforeAll, describe, expect, it } from 'vitest'
import {
  actionsIn,
  FEW_ROUTES,
  resourcesIn,
  type Statement,
  statementsIn,
  type Templates,
  templatesOf,
} from '../support/infra/synthesised.ts'

const ACCOUNT = '111122223333'

/** Rights on `*`, each with its reason. Nothing else may have them. */
const ON_EVERYTHING: ReadonlyMap<string, string> = new Map([
  ['xray:PutTraceSegments', 'takes no resource'],
  ['xray:PutTelemetryRecords', 'takes no resource'],
  ['xray:GetSamplingRules', 'takes no resource'],
  ['xray:GetSamplingTargets', 'takes no resource'],
  ['dynamodb:ListStreams', 'takes no resource'],
  ['lambda:GetAccountSettings', 'takes no resource'],
  ['logs:CreateLogDelivery', 'delivery of logs by Step Functions takes no resource'],
  ['logs:GetLogDelivery', 'as above'],
  ['logs:UpdateLogDelivery', 'as above'],
  ['logs:DeleteLogDelivery', 'as above'],
  ['logs:ListLogDeliveries', 'as above'],
  ['logs:PutResourcePolicy', 'as above'],
  ['logs:DescribeResourcePolicies', 'as above'],
  ['logs:DescribeLogGroups', 'as above'],
])

/** Rights on `*` of functions in a VPC: Lambda makes interfaces that have no name before. Their code is denied the same. */
const NETWORK = [
  'AssignPrivateIpAddresses',
  'CreateNetworkInterface',
  'DeleteNetworkInterface',
  'DescribeNetworkInterfaces',
  'DescribeSubnets',
  'UnassignPrivateIpAddresses',
].map((action) => `ec2:${action}`)

let usual: Templates
/** With all that can be switched on. */
let full: Templates

beforeAll(() => {
  usual = templatesOf({ routes: FEW_ROUTES })
  full = templatesOf({
    routes: FEW_ROUTES,
    config: {
      vpcId: 'vpc-0123456789abcdef0',
      subnetIds: ['subnet-0123456789abcdef0', 'subnet-0fedcba9876543210'],
      eksRoles: [`arn:aws:iam::${ACCOUNT}:role/fedplane-*`],
      eksClusters: [`arn:aws:eks:*:${ACCOUNT}:cluster/*`],
      keystoneUrl: 'https://keystone.example.org',
      keystoneSecretArn: `arn:aws:secretsmanager:eu-central-1:${ACCOUNT}:secret:fedplane/keystone-a1B2c3`,
      alarmEmail: 'ops@example.org',
    },
  })
})

const resourcesOf = ({ Resource }: Statement): unknown[] => [Resource].flat()

const allowed = (templates: Templates): Statement[] =>
  Object.values(templates)
    .flatMap(statementsIn)
    .map(({ statement }) => statement)
    .filter(({ Effect }) => Effect === 'Allow')

const onEverything = (templates: Templates): string[] =>
  allowed(templates)
    .filter(({ Resource }) => [Resource].flat().includes('*'))
    .flatMap(actionsIn)

describe('the network of functions in a VPC', () => {
  const networks = (templates: Templates) =>
    Object.values(templates).flatMap((template) =>
      resourcesIn(template, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => Properties.VpcConfig ?? []),
    )

  it('use IPv6 only where the operator says that the subnets have it', () => {
    expect(networks(full).length).toBeGreaterThan(2)
    for (const network of networks(full)) expect(network).not.toHaveProperty('Ipv6AllowedForDualStack')
    const config = {
      vpcId: 'vpc-0123456789abcdef0',
      subnetIds: ['subnet-0123456789abcdef0'],
      dualStack: true,
    }
    for (const network of networks(templatesOf({ routes: FEW_ROUTES, config }))) {
      expect(network).toMatchObject({ Ipv6AllowedForDualStack: true })
    }
  })

  it('ask DNS servers of the VPC, which answer by UDP', () => {
    const groups = Object.values(full).flatMap((template) => resourcesIn(template, 'AWS::EC2::SecurityGroup'))
    expect(groups.length).toBeGreaterThan(0)
    for (const [, { Properties }] of groups) {
      const dns = (Properties.SecurityGroupEgress as { IpProtocol: string; FromPort: number }[]).filter(
        ({ IpProtocol, FromPort }) => IpProtocol === 'udp' && FromPort === 53,
      )
      expect(dns).toHaveLength(2)
    }
  })
})

describe('rights of functions and state machines', () => {
  it('never have every action, of a service or at all', () => {
    const wild = allowed(full)
      .flatMap(actionsIn)
      .filter((action) => action.includes('*'))
    expect(wild).toEqual([])
  })

  it('are on everything only where there is nothing smaller', () => {
    expect(onEverything(usual).filter((action) => !ON_EVERYTHING.has(action))).toEqual([])
    const more = onEverything(full).filter((action) => !ON_EVERYTHING.has(action))
    expect([...new Set(more)].toSorted()).toEqual(NETWORK)
  })

  it('have no use for exceptions that nobody needs', () => {
    const used = new Set(onEverything(usual))
    expect([...ON_EVERYTHING.keys()].filter((action) => !used.has(action))).toEqual([])
  })

  it('put events of triggers on buses that the operator lists, and on no other', () => {
    const bus = `arn:aws:events:eu-west-1:${ACCOUNT}:event-bus/shop`
    const config = { triggerBuses: [`blue=${bus}`, `red=${bus}`] }
    const putting = (templates: Templates) =>
      statementsIn(templates.events)
        .filter(({ statement }) => actionsIn(statement).includes('events:PutEvents'))
        .map(({ roles, statement }) => [roles[0]?.replace(/role[0-9A-F]{8}$/, ''), resourcesOf(statement)])
        .filter(([role]) => !String(role).startsWith('outbox'))
    expect(putting(usual)).toEqual([])
    expect(putting(templatesOf({ routes: FEW_ROUTES, config }))).toEqual([['triggerdeliveries', [bus]]])
  })

  it('are one role each, that nobody else may assume', () => {
    for (const template of Object.values(full)) {
      const functions = resourcesIn(template, 'AWS::Lambda::Function')
      const roles = functions.map(([, { Properties }]) => JSON.stringify(Properties.Role))
      expect(new Set(roles).size).toBe(functions.length)
    }
  })

  it('come from no managed policy', () => {
    const attached = Object.values(usual)
      .flatMap((template) => resourcesIn(template, 'AWS::IAM::Role'))
      .filter(([, role]) => role.Properties.ManagedPolicyArns !== undefined)
      .map(([id, role]) => `${id}: ${JSON.stringify(role.Properties.ManagedPolicyArns)}`)
    // CDK attaches it to the role of each deployment group (CodeDeploy's own, for aliases and alarms).
    const others = attached.filter((text) => !/deployment.*AWSCodeDeployRoleForLambdaLimited/.test(text))
    expect(others).toEqual([])
  })

  it('never include a scan, a change of the table itself, or an index beyond those of the definition', () => {
    const ofTables = allowed(full)
      .flatMap(actionsIn)
      .filter((action) => action.startsWith('dynamodb:'))
    expect([...new Set(ofTables)].toSorted()).toEqual(
      [
        'BatchGetItem',
        'ConditionCheckItem',
        'DeleteItem',
        'DescribeStream',
        'GetItem',
        'GetRecords',
        'GetShardIterator',
        'ListStreams',
        'PutItem',
        'Query',
        'UpdateItem',
      ].map((name) => `dynamodb:${name}`),
    )
    expect(JSON.stringify(allowed(full))).not.toMatch(/index\/\*/)
  })
})

describe('functions in a VPC', () => {
  const inVpc = (templates: Templates): string[] =>
    Object.values(templates)
      .flatMap((template) => resourcesIn(template, 'AWS::Lambda::Function'))
      .filter(([, { Properties }]) => Properties.VpcConfig !== undefined)
      .map(([, { Properties }]) => String(Properties.Description))

  it('are those that talk to clusters, and none without the setting', () => {
    expect(inVpc(usual)).toEqual([])
    expect(
      inVpc(full)
        .filter((it) => !/^fedplane: steps of all flows/.test(it))
        .toSorted(),
    ).toEqual([
      'fedplane: API routes that seal or open credentials',
      'fedplane: checks the health of clusters',
      'fedplane: posts events to the targets of triggers',
    ])
  })

  it('can be made at once, since their role has the rights before', () => {
    const [, keys] = resourcesIn(full.api, 'AWS::Lambda::Function').find(([, it]) =>
      /seal/.test(String(it.Properties.Description)),
    )!
    const [policy] = resourcesIn(full.api, 'AWS::IAM::Policy').find(
      ([id, it]) => JSON.stringify(it.Properties).includes('CreateNetworkInterface') && id.startsWith('keys'),
    )!
    expect(keys.DependsOn).toContain(policy)
  })

  it('may not make interfaces by their own code', () => {
    const denied = Object.values(full)
      .flatMap(statementsIn)
      .filter(({ statement }) => statement.Effect === 'Deny')
    expect(denied).toHaveLength(inVpc(full).length)
    for (const { statement } of denied) {
      expect(actionsIn(statement).toSorted()).toEqual(NETWORK)
      expect(JSON.stringify(statement.Condition)).toContain('lambda:SourceFunctionArn')
    }
  })

  it('let nothing in', () => {
    const groups = Object.values(full).flatMap((template) => resourcesIn(template, 'AWS::EC2::SecurityGroup'))
    expect(groups).toHaveLength(3)
    for (const [, { Properties }] of groups) expect(Properties.SecurityGroupIngress).toBeUndefined()
  })
})
