import { AppError } from '../core/values/app-error.ts'

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
