import { defaultProvider } from '@aws-sdk/credential-provider-node'
import { Secret } from '../core/values/secret.ts'
import type { AwsAccess, AwsCredentials, AwsGrants } from '../drivers/contract/aws-access.ts'
import { AwsCredentialsMissing } from '../drivers/contract/errors.ts'
import { awsEndpoints } from './env.ts'

/** What the SDK's chain of providers gives; it renews what expires. */
type Provider = () => Promise<{
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  expiration?: Date | undefined
}>

/**
 * The process's own way into AWS: what the SDK's default chain finds (in Lambda the role's credentials, by `infra/lambda-credentials.ts`), and
 * the SDK's settings of endpoints. Looks for nothing until it is asked.
 *
 * @param grants what projects may use through these credentials
 */
export const awsAccess = (
  grants: AwsGrants,
  provider: Provider = defaultProvider(),
  endpoints = awsEndpoints(),
): AwsAccess => ({
  grants,
  credentials: async (): Promise<AwsCredentials> => {
    const found = await provider().catch((cause: unknown) => {
      throw new AwsCredentialsMissing(
        'There are no AWS credentials in this process, and without them no EKS cluster can be reached. Give it some as for the AWS CLI: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE with "aws sso login", then start it again.',
        { cause },
      )
    })
    return {
      accessKeyId: found.accessKeyId,
      secretAccessKey: new Secret(found.secretAccessKey),
      ...(found.sessionToken === undefined ? {} : { sessionToken: new Secret(found.sessionToken) }),
      ...(found.expiration === undefined ? {} : { expiresAt: found.expiration }),
    }
  },
  endpoint: (service) => endpoints[service],
})
