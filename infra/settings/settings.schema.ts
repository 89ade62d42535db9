import * as z from 'zod'
import { CANARY_DRIVERS, SWEEP_PARTS_MAX } from '../../functions/core/values/workers.ts'
import { TIMEOUT_SECONDS } from '../limits.ts'
import { identityFaults, identityFields, KEY_ARN, matching, SECRET_ARN } from './identity.schema.ts'
import { useOfNetwork } from './networks.ts'
import { eksEnvironmentFaults, projectLimits } from './project.schema.ts'

const listOf = <T extends z.ZodType>(item: T, error: string) => z.array(item, error).default([])
const yesOrNo = (error = 'must be true or false') => z.boolean(error)

const DRIVER_ID = /^[a-z][a-z0-9-]*@[1-9][0-9]*$/
const driverIds = () =>
  z
    .array(matching(DRIVER_ID, 'must be the id of a driver, for example karmada@1'), 'must be a list of driver ids')
    .min(1, 'must name at least one driver')
    .refine((ids) => new Set(ids).size === ids.length, 'must name each driver once')

const PUBLIC_URL = 'must be an http or https URL without user, query, fragment, /v1 and a slash at its end'
/** Links are it, `/v1` and a path. */
const isPublicUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username + password === '' && !/[?#]|\/$|\/v1$/.test(text)
}

const CIDR = 'must be a network with its prefix length, for example 10.0.0.0/8 or fd00::/8'
/** An account is always named: a role of "any account" would be anybody's. */
const EKS_ROLE = /^(?:[^\s,=]+=)?arn:aws(-[a-z]+)*:iam::[0-9]{12}:role\/[\w+=,.@/*-]+$/
const EKS_CLUSTER = /^(?:[^\s,=]+=)?arn:aws(-[a-z]+)*:eks:([a-z0-9-]+|\*):[0-9]{12}:cluster\/[\w*-]+$/
const EVENT_BUS = /^(?:[^\s,=]+=)?arn:aws(-[a-z]+)*:events:[a-z0-9-]+:[0-9]{12}:event-bus\/[\w./-]{1,256}$/
const CERTIFICATE_ARN = /^arn:[^:]+:acm:[a-z0-9-]+:[0-9]{12}:certificate\/[A-Za-z0-9-]+$/
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/
const PACKAGE = /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/

/** Days that CloudWatch Logs can keep a log. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]

/** Kinds of functions, as their limits list them. */
const FUNCTION_KINDS = Object.keys(TIMEOUT_SECONDS) as [
  keyof typeof TIMEOUT_SECONDS,
  ...(keyof typeof TIMEOUT_SECONDS)[],
]
export type FunctionKind = keyof typeof TIMEOUT_SECONDS

/** `[a, b]`: a makes no sense without b. */
const PAIRS = [
  ['domainName', 'certificateArn'],
  ['certificateArn', 'domainName'],
  ['keystoneUrl', 'keystoneSecretArn'],
  ['keystoneSecretArn', 'keystoneUrl'],
  ['keystoneSecretKeyArn', 'keystoneSecretArn'],
  ['keystoneCa', 'keystoneUrl'],
  ['keystoneRegion', 'keystoneUrl'],
  ['identityUsersSecretKeyArn', 'identityUsersSecretArn'],
  ['oidcIssuer', 'oidcAudience'],
  ['oidcAudience', 'oidcIssuer'],
  ['canarySecretKeyArn', 'canarySecretArn'],
  ['vpcId', 'subnetIds'],
  ['dualStack', 'vpcId'],
  ['closeEndpoint', 'domainName'],
  ['subnetIds', 'vpcId'],
] as const

/** Descriptions are the table in docs/settings.md, which a test compares. */
const fields = {
  stage: matching(/^[a-z][a-z0-9-]{0,19}$/, 'must be 1 to 20 small letters, digits and hyphens, for example prod')
    .default('prod')
    .describe('name of the stage, a tag on everything'),
  deployment: z
    .enum(['canary', 'at-once'], 'must be canary or at-once')
    .optional()
    .describe(
      'how new code of the API gets its traffic: canary (a tenth for five minutes, back when an alarm rings) or at-once; default canary on stage prod, else at-once',
    ),

  domainName: matching(DOMAIN, 'must be a domain name in small letters, for example fedplane.example.org')
    .optional()
    .describe('domain name of the API, with certificateArn; point a DNS record at the output `domaintarget`'),
  certificateArn: matching(CERTIFICATE_ARN, 'must be the ARN of an ACM certificate in the Region of the deployment')
    .optional()
    .describe('ARN of the ACM certificate of that domain, in the same Region'),
  closeEndpoint: yesOrNo()
    .default(false)
    .describe(
      "true closes the gateway's own endpoint, so that the API is reached by domainName only, and what is in front of that",
    ),
  eventStream: yesOrNo()
    .default(false)
    .describe(
      'true makes a function with a URL of its own that [streams events](api/events.md#the-feed-of-a-project): 50 at a time, each some $9 a month',
    ),
  publicUrl: z
    .string(PUBLIC_URL)
    .refine(isPublicUrl, PUBLIC_URL)
    .optional()
    .describe("base URL in links, without /v1, for a proxy in front; default the domain, else the API's own endpoint"),

  ...identityFields,

  federationDrivers: driverIds()
    .optional()
    .describe('enabled federation drivers, the first one the default; default all but memory@1'),
  clusterDrivers: driverIds().optional().describe('enabled cluster drivers; default all but memory@1'),
  driverPackages: listOf(
    matching(PACKAGE, 'must be the name of an npm package'),
    'must be a list of npm packages',
  ).describe('npm packages with [drivers of your own](drivers/out-of-tree.md), installed beside fedplane'),
  ...projectLimits,

  sweepParts: z
    .int('must be an integer from 1 to 16')
    .min(1, 'must be an integer from 1 to 16')
    .max(SWEEP_PARTS_MAX, 'must be an integer from 1 to 16')
    .default(1)
    .describe(
      'functions that share the [health sweep](benchmarks.md#the-health-sweep) of each minute; one for each 2,500 clusters',
    ),

  allowedNetworks: listOf(
    z
      .union([z.cidrv4(), z.cidrv6()], CIDR)
      .refine((cidr) => useOfNetwork(cidr) !== 'useless', 'has addresses only that are never connected to'),
    'must be a list of networks',
  ).describe('networks (CIDRs) in which clusters may be beyond public addresses'),
  eksRoles: listOf(
    matching(
      EKS_ROLE,
      'must be the ARN of a role with its account, for example arn:aws:iam::111122223333:role/fedplane-*, or <project>=<ARN>',
    ),
    'must be a list of ARNs',
  ).describe(
    'ARNs of the roles that may be assumed to reach EKS clusters; `*` in names at most; `<project>=<ARN>` for one project only',
  ),
  eksClusters: listOf(
    matching(
      EKS_CLUSTER,
      'must be the ARN of an EKS cluster with its account, for example arn:aws:eks:eu-central-1:111122223333:cluster/shop, or <project>=<ARN>',
    ),
    'must be a list of ARNs',
  ).describe("ARNs of the EKS clusters that fedplane's own roles may describe; `<project>=<ARN>` for one project only"),
  triggerBuses: listOf(
    matching(
      EVENT_BUS,
      'must be the ARN of an EventBridge bus, for example arn:aws:events:eu-central-1:111122223333:event-bus/shop, or <project>=<ARN>',
    ),
    'must be a list of ARNs',
  ).describe(
    'ARNs of the EventBridge buses that [triggers](api/events.md#triggers) may name; `<project>=<ARN>` for one project only',
  ),
  vpcId: matching(/^vpc-[0-9a-f]{8,17}$/, 'must be the id of a VPC, for example vpc-0123456789abcdef0')
    .optional()
    .describe('VPC from which functions reach clusters, with subnetIds; default none'),
  subnetIds: z
    .array(matching(/^subnet-[0-9a-f]{8,17}$/, 'must be the id of a subnet'), 'must be a list of subnets')
    .default([])
    .describe(
      'private subnets of that VPC, whose route to the internet is a NAT gateway: its address is the one that clusters see',
    ),

  dualStack: yesOrNo().default(false).describe('true for dual-stack subnets: functions reach clusters by IPv6, too'),

  alarmEmail: z
    .email('must be an e-mail address')
    .optional()
    .describe('e-mail address that is informed of alarms; default nobody'),
  runbookUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .optional()
    .describe(
      'where the articles of docs/runbook can be read, for links in alarms; default their path in this repository',
    ),
  canarySecretArn: matching(
    SECRET_ARN,
    'must be the complete ARN of a Secrets Manager secret, with the six characters at its end',
  )
    .optional()
    .describe('complete ARN of the secret of the [canary](runbook/canary-failed.md); default no canary'),
  canarySecretKeyArn: matching(KEY_ARN, 'must be the ARN of a KMS key')
    .optional()
    .describe("ARN of that secret's KMS key, when it is not AWS's own"),
  canaryMinutes: z
    .int('must be a number of minutes from 10 to 720')
    .min(10, 'must be a number of minutes from 10 to 720')
    .max(720, 'must be a number of minutes from 10 to 720')
    .default(30)
    .describe('minutes between runs of the canary'),
  removalPolicy: z
    .enum(['retain', 'destroy'], 'must be retain or destroy')
    .default('retain')
    .describe(
      '`retain` keeps table and keys when the stack goes, and protects them; `destroy` is for installations that are thrown away',
    ),
  destroyGuard: yesOrNo()
    .default(true)
    .describe('`cdk destroy` fails while there are federations or clusters; false, deployed before, lets it go'),
  reservedConcurrency: z
    .partialRecord(
      z.enum(FUNCTION_KINDS, `must be by kind of function: ${FUNCTION_KINDS.join(', ')}`),
      z.int('must be an integer of 1 or more').min(1, 'must be an integer of 1 or more'),
      `must be numbers by kind of function (${FUNCTION_KINDS.join(', ')})`,
    )
    .default({})
    .describe(
      `reserved concurrency of each function of a kind (${FUNCTION_KINDS.join(', ')}); default none but that of reserveConcurrency`,
    ),
  reserveConcurrency: yesOrNo()
    .default(true)
    .describe(
      'reserves 100, 50 and 100 concurrent executions for table, keys and authorizer where the account has room, but for kinds in reservedConcurrency; the output `concurrency` says what was done',
    ),
  tracing: yesOrNo().default(true).describe('traces of functions and state machines in X-Ray'),
  logRetentionDays: z
    .int('must be a number of days')
    .refine((days) => RETENTION_DAYS.includes(days), `must be one of ${RETENTION_DAYS.join(', ')}`)
    .default(30)
    .describe('days that logs are kept'),
  demandAssets: yesOrNo().default(false).describe('fail without the files that drivers need (`npm run assets`)'),
}

type NetworkSettings = {
  allowedNetworks: readonly string[]
  keystoneUrl?: string | undefined
  oidcIssuer?: string | undefined
}

/** On AWS, loopback is Lambda's Runtime API. An identity provider on loopback (plain http) is one that only an emulator of AWS can have. */
const loopbackFaults = ({ allowedNetworks, keystoneUrl, oidcIssuer }: NetworkSettings): [string, string][] => {
  const emulated = [keystoneUrl, oidcIssuer].some((url) => url?.startsWith('http:'))
  return !emulated && allowedNetworks.some((cidr) => useOfNetwork(cidr) === 'loopback')
    ? [['allowedNetworks', 'has loopback addresses, at which Lambda itself listens: no cluster is there']]
    : []
}

type CanarySettings = {
  keystoneCa?: string | undefined
  canarySecretArn?: string | undefined
  keystoneUrl?: string | undefined
  oidcIssuer?: string | undefined
  federationDrivers?: readonly string[] | undefined
  clusterDrivers?: readonly string[] | undefined
}

/** What the canary lacks: setting and message. */
const canaryFaults = (settings: CanarySettings): [setting: string, message: string][] => {
  if (settings.canarySecretArn === undefined) return []
  const { federation, cluster } = CANARY_DRIVERS
  const demanded = [
    ['federationDrivers', federation, settings.federationDrivers],
    ['clusterDrivers', cluster, settings.clusterDrivers],
  ] as const
  const lacking = demanded.flatMap(([name, driver, enabled]): [string, string][] =>
    enabled === undefined || enabled.includes(driver) ? [] : [[name, `lacks ${driver}: the canary needs it`]],
  )
  if (settings.keystoneCa !== undefined && settings.oidcIssuer === undefined) {
    const message =
      'needs oidcIssuer beside keystoneCa: the canary trusts public authorities only, so not this Keystone'
    lacking.push(['canarySecretArn', message])
  }
  return settings.keystoneUrl === undefined && settings.oidcIssuer === undefined
    ? [...lacking, ['canarySecretArn', 'needs keystoneUrl or oidcIssuer, where the canary gets its token']]
    : lacking
}

/** What an installation on AWS can be told: in `fedplane.config.ts` or as context, under the same names (docs/settings.md). */
export const DeploymentSettings = z
  .strictObject(fields, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? 'is not known' : 'must be an object'),
  })
  .superRefine((settings, context) => {
    for (const [name, other] of PAIRS) {
      const isSet = (it: keyof typeof settings): boolean => ![undefined, '', 'false'].includes(settings[it]?.toString())
      if (isSet(name) && !isSet(other)) {
        context.addIssue({ code: 'custom', path: [other], message: `is missing: ${name} needs it` })
      }
    }
    const faults = [
      ...identityFaults(settings),
      ...loopbackFaults(settings),
      ...canaryFaults(settings),
      ...eksEnvironmentFaults(settings),
    ]
    for (const [path, message] of faults) context.addIssue({ code: 'custom', path: [path], message })
  })
/** Settings as given: everything is optional. */
export type DeploymentConfig = z.input<typeof DeploymentSettings>
/** Settings with their defaults: what stacks get. */
export type DeploymentSettings = z.output<typeof DeploymentSettings>
