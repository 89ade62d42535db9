import type { AwsAccess } from '../../../functions/drivers/contract/aws-access.ts'

/** For drivers that are only checked. */
export const noAws: AwsAccess = {
  grants: 'everything',
  credentials: () => Promise.reject(new Error('AWS was asked for credentials')),
  endpoint: () => 'http://127.0.0.1:1',
}
