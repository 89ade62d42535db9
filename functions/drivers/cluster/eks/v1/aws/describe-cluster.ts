import type { ClusterEndpoint } from '../../../../../core/cluster/cluster.ts'
import { jsonOrNothing } from '../../../../../core/values/bounded-json.ts'
import type { AwsCredentials } from '../../../../contract/aws-access.ts'
import { AwsRequestRefused, EksClusterNotFound } from '../errors.ts'
import { DescribeClusterAnswer } from './aws.schema.ts'
import { type AwsSite, awsCall } from './call.ts'
import { codeOf } from './refusal.ts'

/** What EKS says of a cluster; `at` is null until it has an API server. */
export type DescribedCluster = { status: string; at: Pick<ClusterEndpoint, 'server' | 'caPem'> | null }

/** A description has some 100 values. */
const VALUES_MAX = 5_000

const parse = (text: string): DescribedCluster => {
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
    return parse(await awsCall(aws, call, credentials))
  } catch (error) {
    if (codeOf(error) !== 'ResourceNotFoundException') throw error
    throw new EksClusterNotFound(
      `There is no EKS cluster ${name} in ${region}, in the account whose credentials are used. Check name and Region; for a cluster of another account register it with the "role_arn" of a role there.`,
      { cause: error },
    )
  }
}
