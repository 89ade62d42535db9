import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { App, type Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../functions/api/routes.ts'
import { FLOWS } from '../../functions/core/operation/operation.ts'
import { METRIC_DIMENSIONS, METRIC_NAMES, METRIC_NAMESPACE } from '../../functions/core/values/metrics.ts'
import { canaryEnv } from '../../functions/runtime/env.ts'
import { addFedplane, type Fedplane } from '../../infra/fedplane.ts'
import { mergeSettings } from '../../infra/settings/read-settings.ts'
import { FIXED } from '../cost/bill.ts'

const SECRET = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:fedplane/canary-a1B2c3'
const RUNBOOK = path.join(import.meta.dirname, '../../docs/runbook')
const WITH_CANARY = {
  oidcIssuer: 'https://login.example.org',
  oidcAudience: 'fedplane',
  canarySecretArn: SECRET,
  canaryMinutes: '20',
  alarmEmail: 'ops@example.org',
  runbookUrl: 'https://git.example.org/fedplane/docs/runbook/',
}

type Fields = Record<string, unknown>
type Alarm = {
  AlarmName: string
  AlarmDescription: string
  AlarmActions?: unknown[]
  OKActions?: unknown[]
  InsufficientDataActions?: unknown[]
  AlarmRule?: unknown
  TreatMissingData?: string
  Metrics?: { MetricStat?: { Metric: Fields } }[]
  Namespace?: string
  MetricName?: string
  Dimensions?: Fields[]
}

let folder: string
let templates: Template[]
let usual: Template[]

const synthesise = (settings: Record<string, string>): Template[] => {
  const app = new App({ analyticsReporting: false, context: JSON.parse(readFileSync('cdk.json', 'utf8')).context })
  // What is left of the gateway's routes takes seconds to synthesise, and has no alarms of its own.
  const routes = ROUTES.filter(({ access }) => access === 'keys').slice(0, 1)
  const fedplane: Fedplane = addFedplane(app, { folderOf: () => folder, routes, settings: mergeSettings(settings) })
  return (Object.values(fedplane) as Stack[]).map((stack) => Template.fromStack(stack))
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-alarms-'))
  writeFileSync(path.join(folder, 'index.js'), 'exports.handler = async () => ({})')
  templates = synthesise(WITH_CANARY)
  usual = synthesise({ stage: 'test' })
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

const propertiesOf = <T = Fields>(stacks: readonly Template[], type: string): T[] =>
  stacks.flatMap((template) => Object.values(template.findResources(type)).map(({ Properties }) => Properties as T))

const alarmsOf = (stacks: readonly Template[]): Alarm[] => [
  ...propertiesOf<Alarm>(stacks, 'AWS::CloudWatch::Alarm'),
  ...propertiesOf<Alarm>(stacks, 'AWS::CloudWatch::CompositeAlarm'),
]

const articleOf = ({ AlarmDescription }: Alarm): string => path.basename(AlarmDescription.split('Runbook: ')[1] ?? '')

const composite = (stacks: readonly Template[]): Alarm => {
  const [found, ...more] = propertiesOf<Alarm>(stacks, 'AWS::CloudWatch::CompositeAlarm')
  expect(more).toEqual([])
  return found as Alarm
}

/** Ids of the alarms that a composite one is made of. */
const partsOf = ({ AlarmRule }: Alarm): string[] =>
  [...JSON.stringify(AlarmRule).matchAll(/"Fn::GetAtt":\["(\w+)","Arn"\]/g)].map(([, id = '']) => id)

const nameOf = (stacks: readonly Template[], id: string): unknown =>
  stacks.flatMap((template) => template.findResources('AWS::CloudWatch::Alarm')[id] ?? [])[0]?.Properties.AlarmName

/** Metrics of our namespace that alarms check. */
const ownMetrics = (alarm: Alarm): Fields[] =>
  [alarm as Fields, ...(alarm.Metrics ?? []).map((it) => it.MetricStat?.Metric ?? {})].filter(
    ({ Namespace }) => Namespace === METRIC_NAMESPACE,
  )

describe('alarms', () => {
  it('have an article of the runbook each, and each article has an alarm', () => {
    const articles = readdirSync(RUNBOOK).filter((name) => name !== 'README.md')
    expect([...new Set(alarmsOf(templates).map(articleOf))].sort()).toEqual(articles.sort())
  })

  it('have articles that name log groups by beginnings that there are', () => {
    const stacks = ['data', 'flows', 'api', 'events', 'operations', 'guard']
    const groups = templates.flatMap((template, index) =>
      Object.keys(template.findResources('AWS::Logs::LogGroup')).map((id) => `fedplane-${stacks[index]}-${id}`),
    )
    const text = readdirSync(RUNBOOK)
      .map((name) => readFileSync(path.join(RUNBOOK, name), 'utf8'))
      .join('\n')
    const workers = /for worker in ([a-z ]+);/.exec(text)?.[1]?.split(' ') ?? []
    const named = [...text.matchAll(/logs (fedplane-[^ `]+)/g)]
      .flatMap(([, name = '']) => workers.map((worker) => name.replace(/\$\{worker\}/, worker)))
      .filter((name) => !groups.some((group) => group.slice(0, -8) === name))
    expect(named).toEqual([])
    expect(workers.length).toBeGreaterThan(0)
    expect(text).not.toContain('logs <group')
  })

  it('say what is wrong in a sentence, with a link to the article', () => {
    for (const { AlarmDescription } of alarmsOf(templates)) {
      expect(AlarmDescription).toMatch(
        /^[A-Z].*[.] Runbook: https:\/\/git\.example\.org\/fedplane\/docs\/runbook\/[a-z0-9-]+\.md$/,
      )
    }
    expect(alarmsOf(usual)[0]?.AlarmDescription).toMatch(/ Runbook: docs\/runbook\/[a-z0-9-]+\.md$/)
  })

  it('are named, by names that are distinguished', () => {
    const names = alarmsOf(templates).map(({ AlarmName }) => AlarmName)
    expect(names.filter((name) => !/^fedplane-[a-z-]+$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  it('tell the topic, when they ring and when they end, unless another alarm does or a deployment is rolled back', () => {
    const told = partsOf(composite(templates)).map((id) => nameOf(templates, id))
    const silent = alarmsOf(templates).filter(({ AlarmActions }) => AlarmActions === undefined)
    const untold = silent.filter(({ AlarmName }) => !told.includes(AlarmName))
    expect(untold.map(articleOf)).toEqual(untold.map(() => 'deployment-failed.md'))
    for (const { AlarmActions, OKActions } of alarmsOf(templates)) {
      expect(OKActions).toEqual(AlarmActions)
      if (AlarmActions !== undefined) expect(JSON.stringify(AlarmActions)).toContain(':fedplane-alarms"')
    }
  })

  it('are named by the one that is made of others as resources of its stack, so that CloudFormation knows what needs what', () => {
    const [stack, ...more] = templates.filter(
      (template) => Object.keys(template.findResources('AWS::CloudWatch::CompositeAlarm')).length > 0,
    )
    expect(more).toEqual([])
    const ids = Object.keys(stack!.findResources('AWS::CloudWatch::Alarm'))
    const named = partsOf(composite(templates))
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((id) => !ids.includes(id))).toEqual([])
  })

  it('check metrics of our own that functions or logs write, by their dimensions', () => {
    const written = new Set<unknown>([
      ...METRIC_NAMES,
      ...propertiesOf<{ MetricTransformations: { MetricName: string }[] }>(templates, 'AWS::Logs::MetricFilter').map(
        ({ MetricTransformations }) => MetricTransformations[0]?.MetricName,
      ),
    ])
    const looked = alarmsOf(templates).flatMap(ownMetrics)
    expect(looked.map(({ MetricName }) => MetricName).filter((name) => !written.has(name))).toEqual([])
    expect(METRIC_NAMES.filter((name) => !looked.some(({ MetricName }) => MetricName === name))).toEqual([])
    const [[name, value]] = Object.entries(METRIC_DIMENSIONS) as [[string, string]]
    for (const { MetricName, Dimensions } of looked) {
      const dimensions = METRIC_NAMES.includes(MetricName as never) ? [{ Name: name, Value: value }] : undefined
      expect(Dimensions).toEqual(dimensions)
    }
  })

  it('watch every flow, worker, index and queue', () => {
    const metricsOf = (name: string): string =>
      JSON.stringify(alarmsOf(templates).find(({ AlarmName }) => AlarmName === `fedplane-${name}`))
    const statistics = (name: string): number => metricsOf(name).split('"MetricStat"').length - 1
    expect(statistics('flow-failed')).toBe(FLOWS.length)
    expect(statistics('flow-timed-out')).toBe(FLOWS.length)
    expect(statistics('worker-errors')).toBe(8)
    for (const index of ['open-work', 'renewals', 'kinds']) expect(metricsOf('table-throttled')).toContain(`"${index}"`)
    const queues = propertiesOf(templates, 'AWS::SQS::Queue')
    expect(queues).toHaveLength(2)
    expect(metricsOf('events-undelivered').split('ApproximateNumberOfMessagesVisible')).toHaveLength(3)
    for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
      expect(metricsOf('table-throttled').split(metric)).toHaveLength(5)
    }
    expect(metricsOf('flow-throttled')).toContain('StateTransition')
  })

  it('tell when the writer of their metric is silent, where silence is the fault, and not before it first wrote', () => {
    const silence = alarmsOf(templates).filter(({ InsufficientDataActions }) => InsufficientDataActions !== undefined)
    expect(silence.map(({ AlarmName }) => AlarmName).sort()).toEqual([
      'fedplane-canary-failed',
      'fedplane-workers-stale',
    ])
    for (const { InsufficientDataActions, AlarmActions, TreatMissingData } of silence) {
      expect(InsufficientDataActions).toEqual(AlarmActions)
      expect(TreatMissingData).toBe('missing')
    }
    // Missing data that counts as bad rings at the first deployment.
    expect(alarmsOf(templates).filter(({ TreatMissingData }) => TreatMissingData === 'breaching')).toEqual([])
  })
})

describe('what docs/cost.md takes for fixed', () => {
  it('is what there is, besides the canary', () => {
    const alarms = alarmsOf(templates).filter((alarm) => articleOf(alarm) !== 'canary-failed.md')
    const metricsOf = ({ AlarmRule, Metrics }: Alarm): number => {
      if (AlarmRule !== undefined) return 0
      return Metrics === undefined ? 1 : Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length
    }
    const always = METRIC_NAMES.filter((name) => name.endsWith('Seconds') && name !== 'CanarySeconds')
    expect({
      ...FIXED,
      keys: propertiesOf(templates, 'AWS::KMS::Key').length,
      alarmMetrics: alarms.map(metricsOf).reduce((sum, count) => sum + count, 0),
      composites: propertiesOf(templates, 'AWS::CloudWatch::CompositeAlarm').length,
      dashboards: propertiesOf(templates, 'AWS::CloudWatch::Dashboard').length,
      ownMetrics: always.length,
    }).toEqual(FIXED)
  })
})

describe('the topic of alarms', () => {
  const topicStatements = (): Fields[] =>
    propertiesOf<{ PolicyDocument: { Statement: Fields[] } }>(templates, 'AWS::SNS::TopicPolicy').flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    )

  it('is reported by the alarms of this account, and by nobody else', () => {
    const allowed = topicStatements().filter(({ Effect }) => Effect === 'Allow')
    expect(allowed).toEqual([
      {
        Sid: 'AlarmsTell',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: expect.anything(),
        Condition: {
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
          ArnLike: { 'aws:SourceArn': expect.anything() },
        },
      },
    ])
    expect(JSON.stringify(allowed[0]?.Condition)).toContain(':alarm:*')
  })

  it('is encrypted by our key, refuses plain connections, and has the e-mail address of the settings', () => {
    expect(propertiesOf(templates, 'AWS::SNS::Topic')).toMatchObject([
      { TopicName: 'fedplane-alarms', KmsMasterKeyId: expect.anything() },
    ])
    expect(JSON.stringify(topicStatements())).toContain('"aws:SecureTransport":"false"')
    expect(propertiesOf(templates, 'AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: 'ops@example.org' },
    ])
    expect(propertiesOf(usual, 'AWS::SNS::Subscription')).toEqual([])
  })
})

describe('the dashboard', () => {
  it('shows every alarm, and all metrics of our own', () => {
    const [dashboard] = propertiesOf(templates, 'AWS::CloudWatch::Dashboard')
    const body = JSON.stringify(dashboard)
    const shown = alarmsOf(templates).filter((alarm) => articleOf(alarm) !== 'deployment-failed.md')
    expect(shown.map(({ AlarmName }) => AlarmName).filter((name) => !body.includes(`:alarm:${name}`))).toEqual([])
    expect(METRIC_NAMES.filter((name) => !body.includes(name))).toEqual([])
  })
})

describe('the canary', () => {
  const canaryOf = (stacks: readonly Template[]) =>
    propertiesOf(stacks, 'AWS::Lambda::Function').filter(
      ({ Description }) => Description === 'fedplane: walks the main path',
    )

  it('is there only with a secret', () => {
    expect(canaryOf(usual)).toEqual([])
    expect(canaryOf(templates)).toHaveLength(1)
  })

  it('gets exactly the settings that it reads, runs as often as it should, and may read its secret alone', () => {
    const [canary] = canaryOf(templates) as { Environment: { Variables: Fields } }[]
    const settings = Object.keys(canaryEnv.shape).filter((name) => name !== 'AWS_REGION')
    expect(Object.keys(canary?.Environment.Variables ?? {}).sort()).toEqual(settings.sort())
    const rules = propertiesOf(templates, 'AWS::Events::Rule').filter((rule) =>
      JSON.stringify(rule.Targets).includes('canary'),
    )
    expect(rules.map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(['rate(20 minutes)'])
    const statements = propertiesOf(templates, 'AWS::IAM::Policy')
      .filter((policy) => JSON.stringify(policy.Roles).includes('canary'))
      .flatMap(({ PolicyDocument }) => (PolicyDocument as { Statement: Fields[] }).Statement)
      .filter(({ Action }) => !/^(logs|xray):/.test([Action].flat().join()))
    expect(statements).toEqual([{ Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: SECRET }])
  })

  it.each([
    [{ canarySecretArn: SECRET }, /canarySecretArn needs keystoneUrl or oidcIssuer/],
    [
      {
        canarySecretArn: SECRET,
        keystoneUrl: 'https://keystone.example.org',
        keystoneSecretArn: SECRET,
        keystoneCa: '-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----',
      },
      /canarySecretArn needs oidcIssuer beside keystoneCa/,
    ],
    [{ ...WITH_CANARY, federationDrivers: 'karmada@1' }, /federationDrivers lacks clusterprofile@1: the canary/],
    [{ ...WITH_CANARY, clusterDrivers: 'eks@1' }, /clusterDrivers lacks external@1: the canary/],
    [{ ...WITH_CANARY, canaryMinutes: '5' }, /canaryMinutes must be a number of minutes from 10 to 720/],
    [{ ...WITH_CANARY, canarySecretArn: 'fedplane/canary' }, /canarySecretArn must be the complete ARN/],
  ])('fails the synthesis in a sentence when it can not run (%j)', (settings, message) => {
    expect(() => mergeSettings(settings)).toThrow(message)
  })
})
