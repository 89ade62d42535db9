import * as z from 'zod'
import { IdentityUrl } from '../../functions/authorizer/settings.schema.ts'
import { DEFAULT_CLAIMS } from '../../functions/authorizer/settings.ts'
import { clusterRoles } from './project.schema.ts'

export const matching = (pattern: RegExp, error: string) => z.string(error).regex(pattern, error)

export const SECRET_ARN = /^arn:[^:]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/
export const KEY_ARN = /^arn:[^:]+:kms:[a-z0-9-]+:[0-9]{12}:key\/[A-Za-z0-9-]+$/
const IDENTITY_URL = 'must be an https URL without user, query and fragment (http on loopback only)'
const claim = (name: string) => z.string().min(1, 'must be the name of a claim').default(name)

/** A caller is an IAM user or role of an account: nobody is by being in an account. */
const AWS_CALLER = /^[^\s,=]{1,255}:(admin|member|reader)=(arn:aws(-[a-z]+)*:iam::[0-9]{12}:(role|user)\/[\w+=.@/-]+)$/
const AWS_CALLER_FORM =
  'must be <project>:<role>=<ARN of an IAM role or user>, for example shop:member=arn:aws:iam::111122223333:role/deploy'

/** Who vouches for callers. */
export const identityFields = {
  keystoneUrl: z.string(IDENTITY_URL).pipe(IdentityUrl).optional().describe('Keystone, with or without /v3'),
  keystoneSecretArn: matching(
    SECRET_ARN,
    'must be the complete ARN of a Secrets Manager secret, with the six characters at its end',
  )
    .optional()
    .describe('complete ARN of the Secrets Manager secret with the service credential'),
  keystoneSecretKeyArn: matching(KEY_ARN, 'must be the ARN of a KMS key')
    .optional()
    .describe("ARN of that secret's KMS key, when it is not AWS's own"),
  keystoneCa: matching(
    /^-----BEGIN CERTIFICATE-----[\s\S]{1,2900}-----END CERTIFICATE-----\s*$/,
    "must be the PEM of certificates, of at most 2,900 characters: a function's environment holds no more",
  )
    .optional()
    .describe("PEM of the authorities of Keystone and the cloud's other endpoints, when they are not public ones"),
  keystoneRegion: matching(/^[\w.-]{1,255}$/, "must be the name of a region in Keystone's catalog")
    .optional()
    .describe('region of the cloud in which clusters have their machines; default the only one there is'),
  keystoneClusterRoles: clusterRoles(),
  identityUsersSecretArn: matching(
    SECRET_ARN,
    'must be the complete ARN of a Secrets Manager secret, with the six characters at its end',
  )
    .optional()
    .describe(
      'complete ARN of the secret with the users of the [identity facade](authentication.md#identity-facade), in the place of Keystone; default no facade',
    ),
  identityUsersSecretKeyArn: matching(KEY_ARN, 'must be the ARN of a KMS key')
    .optional()
    .describe("ARN of that secret's KMS key, when it is not AWS's own"),
  identity: z
    .enum(['cognito'], 'must be cognito')
    .optional()
    .describe(
      'cognito: the stack makes a [Cognito user pool](authentication.md#cognito), which is the OIDC issuer; default none',
    ),
  awsCallers: z
    .array(matching(AWS_CALLER, AWS_CALLER_FORM), 'must be a list of callers')
    .default([])
    .describe(
      '[callers with credentials of AWS](authentication.md#credentials-of-aws), as `<project>:<role>=<ARN>`: a second API takes their signatures (SigV4); default none, and no such API',
    ),
  oidcIssuer: z
    .string(IDENTITY_URL)
    .pipe(IdentityUrl)
    .optional()
    .describe('issuer of JWTs, exactly as it stands in them'),
  oidcAudience: matching(/^\S(.*\S)?$/, 'must be the audience of tokens, without blanks around it')
    .optional()
    .describe('audience that JWTs must have'),
  oidcUserClaim: claim(DEFAULT_CLAIMS.user).describe('claim with the user'),
  oidcProjectClaim: claim(DEFAULT_CLAIMS.project).describe('claim with the project'),
  oidcRolesClaim: claim(DEFAULT_CLAIMS.roles).describe('claim with the roles'),
}

type IdentitySettings = {
  keystoneUrl?: string | undefined
  identityUsersSecretArn?: string | undefined
  identity?: 'cognito' | undefined
  oidcIssuer?: string | undefined
  awsCallers: readonly string[]
}

/** Characters of a function's environment (4 KB) for callers, beside what else is in it. */
const CALLERS_MAX = 1_500

/** Settings that exclude each other: both would answer to the same header. */
const exclusions = ({
  keystoneUrl,
  identityUsersSecretArn,
  identity,
  oidcIssuer,
}: IdentitySettings): [string, string][] => [
  ...(keystoneUrl !== undefined && identityUsersSecretArn !== undefined
    ? [pair('identityUsersSecretArn', 'excludes keystoneUrl: the identity facade stands in the place of Keystone')]
    : []),
  ...(identity !== undefined && oidcIssuer !== undefined
    ? [pair('identity', 'excludes oidcIssuer: the user pool is the issuer then')]
    : []),
]

const pair = (setting: string, message: string): [string, string] => [setting, message]

/** Callers that would be of two projects, and more of them than fit. */
const callerFaults = ({ awsCallers }: IdentitySettings): [string, string][] => {
  const projects = new Map<string, string>()
  const faults: [string, string][] = []
  for (const entry of awsCallers) {
    const [, who = '', arn = ''] = /^([^=]*)=(.*)$/.exec(entry) ?? []
    const project = who.slice(0, who.lastIndexOf(':'))
    if ((projects.get(arn) ?? project) !== project) faults.push(pair('awsCallers', `has two projects for ${arn}`))
    projects.set(arn, project)
  }
  return awsCallers.join(' ').length > CALLERS_MAX
    ? [
        ...faults,
        pair('awsCallers', `has more than ${CALLERS_MAX} characters, which a function's environment has for it`),
      ]
    : faults
}

/** What is wrong between settings of identity: setting and message. */
export const identityFaults = (settings: IdentitySettings): [string, string][] => [
  ...exclusions(settings),
  ...callerFaults(settings),
]
