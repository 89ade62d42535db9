import * as z from 'zod'
import { DEFAULT_CLUSTER_ROLES } from '../core/values/identity.ts'
import { PROJECT_LIMITS } from '../core/values/quota.ts'
import { EnvironmentInvalid } from './errors.ts'

const text = z.string().min(1)

/**
 * Settings of Lambda functions, by kind. infra sets exactly these (a test compares), so that a function never looks for what nobody
 * gives it. All are text, none is secret.
 */
const base = {
  /** Set by Lambda itself. */
  AWS_REGION: text,
  /** Name of the DynamoDB table. */
  TABLE_NAME: text,
  /** ARN of the flows' state machines up to the flow's name: `arn:…:stateMachine:fedplane-`. */
  STATE_MACHINE_ARN_PREFIX: z.string().regex(/^arn:[^:]+:states:[^:]+:[0-9]{12}:stateMachine:[A-Za-z0-9-]+-$/),
  /** Enabled federation drivers, ids separated by commas, the first one the default. Default: all but memory@1. */
  FEDERATION_DRIVERS: z.string().default(''),
  /** Enabled cluster drivers, likewise. */
  CLUSTER_DRIVERS: z.string().default(''),
}

const clusters = {
  /** Networks in which clusters may be beyond public addresses: CIDRs separated by commas. Default: none. */
  ALLOWED_NETWORKS: z.string().default(''),
  /** Roles and EKS clusters that projects may use: `<project>=<ARN>` or `<ARN>`, separated by commas. Default: none. */
  EKS_GRANTS: z.string().default(''),
}

/** Buses that triggers may name: `<project>=<ARN>` or `<ARN>`, separated by commas. Default: none. */
const TRIGGER_BUSES = z.string().default('')

const limit = (usual: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/)
    .default(String(usual))

const api = {
  ...base,
  /** Base URL of the API as clients see it, without `/v1`. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
  /** Clusters that a project without a quota of its own may have. Default: Magnum's 20. */
  CLUSTERS_PER_PROJECT: limit(20),
  /** What else a project may have. Defaults: `PROJECT_LIMITS`. */
  FEDERATIONS_PER_PROJECT: limit(PROJECT_LIMITS.federations),
  TEMPLATES_PER_PROJECT: limit(PROJECT_LIMITS.templates),
  OPERATIONS_PER_PROJECT: limit(PROJECT_LIMITS.operations),
  GRANTS_PER_PROJECT: limit(PROJECT_LIMITS.grants),
  /** Requests a second, of each instance; 0: any number. */
  REQUESTS_PER_PROJECT: limit(0),
  REQUESTS_PER_PRINCIPAL: limit(0),
  /** URL of Keystone. Default: none. */
  KEYSTONE_URL: z.string().default(''),
  /** Where clients log in, named to those that must. Default: none, which names the API itself. */
  AUTH_URL: z.string().default(''),
  /** Who callers with credentials of AWS are: `<project>:<role>=<ARN>`, separated by blanks. Default: nobody. */
  AWS_CALLERS: z.string().default(''),
}

const keys = {
  /** ARN of the KMS key that wraps the projects' data keys. */
  KMS_KEY_ARN: z.string().regex(/^arn:[^:]+:kms:/),
}

const cloud = {
  /** URL of Keystone, which makes the application credentials of clusters. Default: none, and no cluster that needs some. */
  KEYSTONE_URL: z.string().default(''),
  /** Region of the cloud's catalog. Default: the only one there is. */
  KEYSTONE_REGION: z.string().default(''),
  /** PEM of the only authorities that may vouch for Keystone and the cloud's other endpoints. Default: those that everybody trusts. */
  KEYSTONE_CA_PEM: z.string().default(''),
  /** Names of the roles that clusters get in their application credentials, separated by commas. */
  KEYSTONE_CLUSTER_ROLES: z.string().default(DEFAULT_CLUSTER_ROLES.join(',')),
}

/** The API function without key rights. It says where events are streamed (a function's URL), if they are. */
export const tableEnv = z.object({ ...api, EVENT_STREAM_URL: z.string().default('') })
/** The API function that handles kubeconfigs and certificates. */
export const keysEnv = z.object({ ...api, ...clusters, ...keys, ...cloud, TRIGGER_BUSES })
/** Functions of the flows, and of events that talk to clusters. */
export const workerEnv = z.object({ ...base, ...clusters, ...keys, ...cloud })
/** Who sends events to the targets of triggers: table, keys of their secrets, and where they may be. */
export const deliveriesEnv = z.object({ ...base, ...keys, ALLOWED_NETWORKS: clusters.ALLOWED_NETWORKS, TRIGGER_BUSES })
/** Who follows selectors: table, executions, and keys of what proves that items are fedplane's. */
export const selectorsEnv = z.object({ ...base, ...keys })
/** The reconciler: table and executions only. */
export const reconcilerEnv = z.object(base)
/** The forwarder of events: reads what the stream gives it, and writes to the feeds and to the bus. */
export const outboxEnv = z.object({ AWS_REGION: text, TABLE_NAME: text, EVENT_BUS_NAME: text })
/** Who finds what events are for: table, and the functions that deliver them, observe clusters and follow selectors. */
export const fanOutEnv = z.object({
  ...base,
  DELIVERIES_FUNCTION: text,
  SWEEP_FUNCTION: text,
  SELECTORS_FUNCTION: text,
})

/** The canary: where it finds the API, its token, and its secret. */
export const canaryEnv = z.object({
  AWS_REGION: text,
  PUBLIC_URL: api.PUBLIC_URL,
  /** URLs of who gives tokens to callers, empty where there is none. */
  KEYSTONE_URL: z.string().default(''),
  OIDC_ISSUER: z.string().default(''),
  /** ARN of the Secrets Manager secret with its credential and kubeconfigs. The secret itself is never here. */
  CANARY_SECRET_ARN: z.string().regex(/^arn:[^:]+:secretsmanager:/),
})

/** The guard of `cdk destroy`: checks what there is. */
export const destroyGuardEnv = z.object({ AWS_REGION: text, TABLE_NAME: text })

/** What reserves concurrency: its functions are named by CloudFormation's requests. */
export const reserveConcurrencyEnv = z.object({ AWS_REGION: text })

/** What infra sets of an environment: all but what Lambda sets itself. */
export type Settings<Env> = Omit<Env, 'AWS_REGION'>

export type TableEnv = z.infer<typeof tableEnv>
export type KeysEnv = z.infer<typeof keysEnv>
export type DeliveriesEnv = z.infer<typeof deliveriesEnv>
export type SelectorsEnv = z.infer<typeof selectorsEnv>
export type WorkerEnv = z.infer<typeof workerEnv>
export type ReconcilerEnv = z.infer<typeof reconcilerEnv>
export type OutboxEnv = z.infer<typeof outboxEnv>
export type FanOutEnv = z.infer<typeof fanOutEnv>
export type CanaryEnv = z.infer<typeof canaryEnv>
export type DestroyGuardEnv = z.infer<typeof destroyGuardEnv>
export type ReserveConcurrencyEnv = z.infer<typeof reserveConcurrencyEnv>

/** Base URLs in place of those of AWS, by the names that its SDKs know (VPC endpoints, emulators). Absent or empty: AWS's own. */
export const awsEndpoints = (
  source: Record<string, string | undefined> = process.env,
): { eks: string | undefined; sts: string | undefined } => {
  const of = (service: string): string | undefined =>
    source[`AWS_ENDPOINT_URL_${service}`] || source.AWS_ENDPOINT_URL || undefined
  return { eks: of('EKS'), sts: of('STS') }
}

/**
 * Parses the environment.
 *
 * @throws EnvironmentInvalid naming the settings at fault, without their values
 */
export const readEnv = <T>(schema: z.ZodType<T>, source: Record<string, string | undefined> = process.env): T => {
  const parsed = schema.safeParse(source)
  if (parsed.success) return parsed.data
  const settings = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))].sort()
  throw new EnvironmentInvalid(
    `These environment variables are missing or malformed: ${settings.join(', ')}; the stacks in infra/ set them.`,
    { details: { settings } },
  )
}
