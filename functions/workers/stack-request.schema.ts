import * as z from 'zod'

const text = z.string().min(1)

/** What CloudFormation sends about any custom resource. What is not used is not looked at. */
export const StackRequest = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  /** Where the answer is put: a signed URL, which is a secret. */
  ResponseURL: z.url(),
  StackId: text,
  RequestId: text,
  LogicalResourceId: text,
})
