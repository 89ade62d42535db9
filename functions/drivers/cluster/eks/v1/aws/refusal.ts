import * as z from 'zod'
import type { AppError } from '../../../../../core/values/app-error.ts'
import { jsonOrNothing } from '../../../../../core/values/json.ts'
import { AwsAccessDenied, AwsCredentialsRejected, AwsRequestRefused, AwsUnavailable } from '../errors.ts'

/** What we read of EKS's DescribeCluster. Endpoint and authority are there once the cluster is ACTIVE. */
export const DescribeClusterAnswer = z.object({
  cluster: z.object({
    status: z.string().max(64),
    endpoint: z.string().startsWith('https://').max(2048).optional(),
    certificateAuthority: z
      .object({
        data: z
          .string()
          .min(1)
          .max(64 * 1024),
      })
      .optional(),
  }),
})

/** An error in JSON: the services do not agree on its keys. */
const ErrorAnswer = z.object({
  __type: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  Message: z.string().optional(),
})

/** Codes as the services write them, without the ending `Exception` that some of them add. */
const DENIED = ['AccessDenied', 'Forbidden', 'NotAuthorized']
const CREDENTIALS = [
  'ExpiredToken',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'InvalidSignature',
  'MissingAuthenticationToken',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'UnrecognizedClient',
]
const BUSY = ['RequestLimitExceeded', 'ServiceUnavailable', 'Throttling', 'TooManyRequests']

/** Longest text of AWS in a message of ours. */
const TOLD_MAX = 400

/** What a refused call says: EKS in JSON, STS in XML. */
type Refusal = { status: number; errorType: string | null; text: string }

/** Values of a refusal. */
const VALUES_MAX = 1_000

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
}

/** Text of an element of STS's answers, which have each of those that we read once. */
export const elementOf = (xml: string, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]+)</${element}>`)
    .exec(xml)?.[1]
    ?.replaceAll(/&(lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity)

const read = ({ errorType, text }: Refusal): { code: string; message: string } => {
  const body = ErrorAnswer.safeParse(jsonOrNothing(text, VALUES_MAX)).data ?? {}
  const code = errorType ?? body.__type ?? body.code ?? elementOf(text, 'Code') ?? 'no code'
  const message = body.message ?? body.Message ?? elementOf(text, 'Message') ?? ''
  // `com.amazon…#AccessDeniedException:http://…` in some answers.
  return { code: code.replace(/^.*#/, '').replace(/:.*$/, ''), message }
}

/** Code of a refusal, as in the documentation of the API. */
export const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof AwsRequestRefused)) return undefined
  const { code } = error.details
  return typeof code === 'string' ? code : undefined
}

/** AWS's own words, which name who may not do what to which resource. */
const reported = (message: string): string => {
  const plain = message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, TOLD_MAX)
  return plain === '' ? '' : ` AWS says: ${plain.replace(/\.?$/, '.')}`
}

/**
 * What a refusal means for us. AWS's message is passed on for missing rights only: those about signatures repeat the request, with the session
 * token in it.
 */
export const refusalOf = ({ action, region }: { action: string; region: string }, refusal: Refusal): AppError => {
  const { code, message } = read(refusal)
  const { status } = refusal
  const plain = code.replace(/Exception$/, '')
  const what = `${action} in ${region}`
  const details = { code, status }
  if (status >= 500 || status === 429 || BUSY.includes(plain)) {
    return new AwsUnavailable(`${what} failed: AWS answers ${status} ${code}. Try again later.`, { details })
  }
  if (CREDENTIALS.includes(plain)) {
    return new AwsCredentialsRejected(
      `${what} was refused: AWS does not accept the credentials (${code}). Renew them, and check the clock of this machine.`,
      { details },
    )
  }
  if (DENIED.includes(plain)) {
    return new AwsAccessDenied(`${what} was refused: ${code}.${reported(message)}`, { details })
  }
  return new AwsRequestRefused(`${what} was refused: AWS answers ${status} ${code}.${reported(message)}`, { details })
}
