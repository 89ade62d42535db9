import { AppError } from '../core/values/app-error.ts'
import { AWS_TIME_OUTS } from '../http/aws-time-outs.ts'

/**
 * For calls to services in our own Region that answer in milliseconds: three attempts of at most 3 s stay within a request's time
 * (API Gateway gives up at 30 s).
 */
export const AWS_CLIENT_OPTIONS = {
  maxAttempts: 3,
  requestHandler: AWS_TIME_OUTS,
} as const

/** CloudFormation did not take an answer about a resource of ours. */
export class StackAnswerRefused extends AppError {
  override readonly name = 'StackAnswerRefused'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** Puts an answer where CloudFormation waits for it. @throws StackAnswerRefused without the URL, which is signed */
export const putAnswer = async (url: string, body: string): Promise<void> => {
  // S3 signed it for a request without content type.
  const { ok, status } = await fetch(url, { method: 'PUT', body, headers: { 'content-type': '' } })
  if (!ok) throw new StackAnswerRefused(`The answer to CloudFormation was refused with ${status}. It is sent again.`)
}
