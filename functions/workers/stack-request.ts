import * as z from 'zod'

const text = z.string().min(1)

/** What CloudFormation sends about any custom resource. What is not used is not checked. */
export const StackRequest = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  /** Where the answer is put: a signed URL, which is a secret. */
  ResponseURL: z.url(),
  StackId: text,
  RequestId: text,
  LogicalResourceId: text,
})
export type StackRequest = z.infer<typeof StackRequest>

type Answer = {
  Status: 'SUCCESS' | 'FAILED'
  Reason: string
  PhysicalResourceId: string
  Data?: Record<string, string>
}

/**
 * What CloudFormation wants to read about a request of its own.
 *
 * @param answer its `PhysicalResourceId` is always the same: another would make CloudFormation delete the one of before
 */
export const stackAnswer = ({ StackId, RequestId, LogicalResourceId }: StackRequest, answer: Answer): string =>
  JSON.stringify({ ...answer, StackId, RequestId, LogicalResourceId })
