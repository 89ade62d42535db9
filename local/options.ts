import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Rates } from '../functions/api/settings.ts'
import type { IdentitySettings } from '../functions/authorizer/settings.ts'
import { PROJECT_LIMITS, type ProjectLimits } from '../functions/core/values/quota.ts'
import { type AwsGrant, awsGrants } from '../functions/drivers/contract/aws-access.ts'
import type { RegistryOptions } from '../functions/drivers/enabled.ts'
import { IDENTITY_HELP, identityOptions } from './authorizer/identity-options.ts'
import { LOG_LEVELS, type LogLevel } from './logger.ts'
import { OptionInvalid } from './option-invalid.ts'
import { publicUrlOf, trustForwardedOf } from './public-url.ts'

/** Where fedplane listens unless told otherwise; Magnum's own port. */
const DEFAULT_PORT = 9511
const DEFAULT_DATA_DIR = '.fedplane'
/** Magnum's default quota. */
const DEFAULT_CLUSTERS_PER_PROJECT = 20

/** On one machine the drivers that only play are there too, to try the API without a cluster; a template that names no driver gets the first that makes nodes. */
const LOCAL_FEDERATION_DRIVERS = 'karmada@1,clusterprofile@1,memory@1'
const LOCAL_CLUSTER_DRIVERS = 'external@1,eks@1,memory@1,capi@1'

/** @param start how this program was started */
export const helpOf = (start: string): string => `Usage: ${start} [options]

Runs fedplane on this machine: the API on http://127.0.0.1:${DEFAULT_PORT}/v1, with an embedded database and embedded state machines.

Options (the environment variable in parentheses does the same):
  --port PORT      port on 127.0.0.1; 0 takes a free one (FEDPLANE_PORT; default ${DEFAULT_PORT})
  --data-dir DIR   where everything is kept (FEDPLANE_DATA_DIR; default ${DEFAULT_DATA_DIR})
  --version        the version of fedplane
  --help           this text

Environment:
  FEDPLANE_TOKENS             JSON file: token → {userId, projectId, roles}; without it everybody is admin of project "local"
  FEDPLANE_USERS              YAML file of users with passwords, who log in at /identity/v3 as at Keystone (docs/authentication.md)
${IDENTITY_HELP}
  FEDPLANE_POLICIES           Cedar file, or folder of them, that adds to who may do what (docs/policies.md)
  FEDPLANE_PUBLIC_URL         scheme, host and mount path as clients see them behind a proxy, for links (default http://127.0.0.1:<port>)
  FEDPLANE_TRUST_FORWARDED    true: X-Forwarded-Host, -Proto and -Prefix of a proxy say where links point (default false)
  FEDPLANE_ALLOW_OTHER_USERS  true: without tokens other users of this machine are let in, as administrators (Linux; default false)
  FEDPLANE_CLUSTERS_PER_PROJECT  clusters that a project without a quota of its own may have (default 20)
  FEDPLANE_FEDERATIONS_PER_PROJECT, FEDPLANE_TEMPLATES_PER_PROJECT, FEDPLANE_OPERATIONS_PER_PROJECT,
  FEDPLANE_GRANTS_PER_PROJECT
                              what else a project may have: federations, cluster templates, operations in progress, grants (default 100 each)
  FEDPLANE_EKS_GRANTS         with tokens: what projects may use of your AWS credentials, <project>=<ARN of a role or EKS cluster>,… (default nothing)
  FEDPLANE_LOG_LEVEL          ${LOG_LEVELS.join(', ')} (default warn); lines of JSON on standard error
  FEDPLANE_DYNAMODB_ENDPOINT  URL of a DynamoDB to use instead of the embedded one
  FEDPLANE_KARMADA_CRDS       folder, tar archive or URL of the CRDs of Karmada's release; needed once, unless npm run assets was run
  FEDPLANE_FEDERATION_DRIVERS enabled federation drivers, the first one the default (default ${LOCAL_FEDERATION_DRIVERS})
  FEDPLANE_CLUSTER_DRIVERS    enabled cluster drivers (default ${LOCAL_CLUSTER_DRIVERS})
`

export type LocalOptions = {
  port: number
  dataDir: string
  tokensFile: string | undefined
  usersFile: string | undefined
  /** Undefined: no Keystone and no OIDC issuer vouches for callers. */
  identity: IdentitySettings | undefined
  /** File or folder of the operator's own. */
  policies: string | undefined
  /** Undefined: the address that it listens on. */
  publicUrl: string | undefined
  trustForwarded: boolean
  allowOtherUsers: boolean
  clustersPerProject: number
  projectLimits: ProjectLimits
  /** Requests a second; 0: any number. */
  rates: Rates
  logLevel: LogLevel
  /** Folder, tar archive or URL. */
  karmadaCrds: string | undefined
  /** Undefined starts the embedded one. */
  dynamodbEndpoint: string | undefined
  drivers: RegistryOptions
  /** Undefined: everything without tokens, else nothing. */
  eksGrants: AwsGrant[] | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const portOf = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new OptionInvalid(
    `The port ${JSON.stringify(text)} is not a number from 0 to 65535. Correct --port or FEDPLANE_PORT.`,
  )
}

const countOf = (environment: Environment, name: string, usual: number): number => {
  const text = setting(environment, name) ?? String(usual)
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new OptionInvalid(`${name} is ${JSON.stringify(text)}. Set it to an integer of 0 or more.`)
}

const limitsOf = (environment: Environment): ProjectLimits => ({
  ...PROJECT_LIMITS,
  federations: countOf(environment, 'FEDPLANE_FEDERATIONS_PER_PROJECT', PROJECT_LIMITS.federations),
  templates: countOf(environment, 'FEDPLANE_TEMPLATES_PER_PROJECT', PROJECT_LIMITS.templates),
  operations: countOf(environment, 'FEDPLANE_OPERATIONS_PER_PROJECT', PROJECT_LIMITS.operations),
  grants: countOf(environment, 'FEDPLANE_GRANTS_PER_PROJECT', PROJECT_LIMITS.grants),
})

const levelOf = (text: string): LogLevel => {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level) return level
  throw new OptionInvalid(`FEDPLANE_LOG_LEVEL is ${JSON.stringify(text)}. Set it to one of ${LOG_LEVELS.join(', ')}.`)
}

const endpointOf = (text: string): string => {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text
  throw new OptionInvalid('FEDPLANE_DYNAMODB_ENDPOINT is no URL. Give it one like http://127.0.0.1:8000.')
}

const OPTIONS = {
  port: { type: 'string' },
  'data-dir': { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message.split('. ')[0] : ''
    throw new OptionInvalid(`${fault}. Run it with --help to see what there is.`, { cause })
  }
}

/** An empty setting is an absent one. */
const setting = (environment: Environment, name: string): string | undefined => environment[name] || undefined

const pathOf = (text: string | undefined): string | undefined => text && path.resolve(text)

const crdsOf = (text: string | undefined): string | undefined =>
  text && /^https?:\/\//.test(text) ? text : pathOf(text)

const listOf = (text: string | undefined): string[] => (text ?? '').split(',').flatMap((part) => part.trim() || [])

const driversOf = (environment: Environment): RegistryOptions => {
  const federation = listOf(setting(environment, 'FEDPLANE_FEDERATION_DRIVERS') ?? LOCAL_FEDERATION_DRIVERS)
  const [first] = federation
  return {
    enabledFederation: federation,
    ...(first === undefined ? {} : { defaultFederation: first }),
    enabledCluster: listOf(setting(environment, 'FEDPLANE_CLUSTER_DRIVERS') ?? LOCAL_CLUSTER_DRIVERS),
  }
}

const allowOtherUsersOf = (text: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new OptionInvalid(
    `FEDPLANE_ALLOW_OTHER_USERS is ${JSON.stringify(text)}. Set it to true to let other users of this machine in without tokens, as administrators; else to false.`,
  )
}

const grantsOf = (text: string | undefined): AwsGrant[] | undefined => {
  if (text === undefined) return
  try {
    return awsGrants(text)
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : ''
    throw new OptionInvalid(`FEDPLANE_EKS_GRANTS is wrong: ${words} Separate entries by commas.`, { cause })
  }
}

const usersOf = (environment: Environment): string | undefined => {
  const file = pathOf(setting(environment, 'FEDPLANE_USERS'))
  if (file === undefined || setting(environment, 'FEDPLANE_KEYSTONE_URL') === undefined) return file
  throw new OptionInvalid(
    'FEDPLANE_USERS and FEDPLANE_KEYSTONE_URL exclude each other: the identity facade stands in the place of Keystone. Set one of them.',
  )
}

/**
 * Options from the command line, then the environment, then defaults; `help` or `version` when that is all that is asked for.
 *
 * @throws OptionInvalid
 */
export const readOptions = (args: readonly string[], environment: Environment): LocalOptions | 'help' | 'version' => {
  const given = parse(args)
  if (given.help) return 'help'
  if (given.version) return 'version'
  const endpoint = setting(environment, 'FEDPLANE_DYNAMODB_ENDPOINT')
  const publicUrl = setting(environment, 'FEDPLANE_PUBLIC_URL')
  return {
    port: portOf(given.port ?? setting(environment, 'FEDPLANE_PORT') ?? String(DEFAULT_PORT)),
    dataDir: path.resolve(given['data-dir'] || setting(environment, 'FEDPLANE_DATA_DIR') || DEFAULT_DATA_DIR),
    tokensFile: pathOf(setting(environment, 'FEDPLANE_TOKENS')),
    usersFile: usersOf(environment),
    identity: identityOptions((name) => setting(environment, name)),
    policies: pathOf(setting(environment, 'FEDPLANE_POLICIES')),
    publicUrl: publicUrl && publicUrlOf(publicUrl),
    allowOtherUsers: allowOtherUsersOf(setting(environment, 'FEDPLANE_ALLOW_OTHER_USERS') ?? 'false'),
    trustForwarded: trustForwardedOf(setting(environment, 'FEDPLANE_TRUST_FORWARDED') ?? 'false'),
    clustersPerProject: countOf(environment, 'FEDPLANE_CLUSTERS_PER_PROJECT', DEFAULT_CLUSTERS_PER_PROJECT),
    projectLimits: limitsOf(environment),
    rates: {
      perProject: countOf(environment, 'FEDPLANE_REQUESTS_PER_PROJECT', 0),
      perPrincipal: countOf(environment, 'FEDPLANE_REQUESTS_PER_PRINCIPAL', 0),
    },
    logLevel: levelOf(setting(environment, 'FEDPLANE_LOG_LEVEL') ?? 'warn'),
    dynamodbEndpoint: endpoint && endpointOf(endpoint),
    karmadaCrds: crdsOf(setting(environment, 'FEDPLANE_KARMADA_CRDS')),
    drivers: driversOf(environment),
    eksGrants: grantsOf(setting(environment, 'FEDPLANE_EKS_GRANTS')),
  }
}
