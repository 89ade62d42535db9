import type { ClusterEndpoint } from '../../../../../core/cluster/cluster.ts'
import { jsonOrNothing } from '../../../../../core/values/json.ts'
import { Secret } from '../../../../../core/values/secret.ts'
import type { AwsCredentials } from '../../../../contract/aws-access.ts'
import { AwsAccessDenied, AwsRequestRefused, EksClusterNotFound } from '../errors.ts'
import { type AwsSite, awsCall } from './call.ts'
import { codeOf, DescribeClusterAnswer, elementOf } from './refusal.ts'

/** Seconds: what AWS allows at most when the credentials that assume a role are a role's themselves, as in Lambda. */
const SESSION_SECONDS = 3600

/** Which role, for whom. */
export type DesiredRole = {
  roleArn: string
  externalId: Secret | null
  /** Shows in the account's CloudTrail, and in `sts:RoleSessionName` of the role's trust policy. */
  sessionName: string
  /** Whose STS is asked. */
  region: string
}

const formOf = ({ roleArn, externalId, sessionName }: DesiredRole): string =>
  new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    DurationSeconds: String(SESSION_SECONDS),
    ...(externalId === null ? {} : { ExternalId: externalId.reveal() }),
  }).toString()

const parse = (xml: string): AwsCredentials => {
  const [accessKeyId, secret, token] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((element) =>
    elementOf(xml, element),
  )
  const expiresAt = new Date(elementOf(xml, 'Expiration') ?? Number.NaN)
  if (!(accessKeyId && secret && token) || Number.isNaN(expiresAt.getTime())) {
    throw new AwsRequestRefused(
      'What answers sts:AssumeRole is not STS: the answer has no credentials. Check the setting AWS_ENDPOINT_URL_STS.',
    )
  }
  return { accessKeyId, secretAccessKey: new Secret(secret), sessionToken: new Secret(token), expiresAt }
}

/**
 * Credentials of a role, for an hour.
 *
 * @throws AwsAccessDenied, AwsCredentialsRejected, AwsRequestRefused, AwsUnavailable
 */
export const assumeRole = async (
  aws: AwsSite,
  desired: DesiredRole,
  credentials: AwsCredentials,
): Promise<AwsCredentials> => {
  const { roleArn, region, sessionName } = desired
  const call = {
    service: 'sts',
    region,
    action: 'sts:AssumeRole',
    method: 'POST',
    path: '/',
    body: formOf(desired),
  } as const
  try {
    return parse(await awsCall(aws, call, credentials))
  } catch (error) {
    if (!(error instanceof AwsAccessDenied)) throw error
    throw new AwsAccessDenied(
      `fedplane may not assume the role ${roleArn} (session name ${sessionName}). Its trust policy must allow sts:AssumeRole to fedplane's own role, with the external ID if it asks for one; and fedplane's operator must have listed the role. ${error.message}`,
      { cause: error, details: error.details },
    )
  }
}

/** What EKS says of a cluster; `at` is null until it has an API server. */
export type DescribedCluster = { status: string; at: Pick<ClusterEndpoint, 'server' | 'caPem'> | null }

/** A description has some 100 values. */
const VALUES_MAX = 5_000

const parseCluster = (text: string): DescribedCluster => {
  const parsed = DescribeClusterAnswer.safeParse(jsonOrNothing(text, VALUES_MAX))
  if (!parsed.success) {
    throw new AwsRequestRefused(
      'What answers eks:DescribeCluster is not EKS: the answer has no cluster with a status. Check the setting AWS_ENDPOINT_URL_EKS.',
    )
  }
  const { status, endpoint, certificateAuthority: authority } = parsed.data.cluster
  if (endpoint === undefined || authority === undefined) return { status, at: null }
  const server = endpoint.replace(/\/+$/, '')
  return { status, at: { server, caPem: Buffer.from(authority.data, 'base64').toString('utf8') } }
}

/**
 * Asks EKS for a cluster.
 *
 * @throws EksClusterNotFound, AwsAccessDenied, AwsCredentialsRejected, AwsRequestRefused, AwsUnavailable
 */
export const describeCluster = async (
  aws: AwsSite,
  { name, region }: { name: string; region: string },
  credentials: AwsCredentials,
): Promise<DescribedCluster> => {
  const path = `/clusters/${encodeURIComponent(name)}`
  const call = { service: 'eks', region, action: 'eks:DescribeCluster', method: 'GET', path } as const
  try {
    return parseCluster(await awsCall(aws, call, credentials))
  } catch (error) {
    if (codeOf(error) !== 'ResourceNotFoundException') throw error
    throw new EksClusterNotFound(
      `There is no EKS cluster ${name} in ${region}, in the account whose credentials are used. Check name and Region; for a cluster of another account register it with the "role_arn" of a role there.`,
      { cause: error },
    )
  }
}
