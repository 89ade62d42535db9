import { httpCall } from '../../../../../http/http-call.ts'
import type { AwsAccess, AwsCredentials, AwsService } from '../../../../contract/aws-access.ts'
import { AwsUnavailable } from '../errors.ts'
import { hostOfService } from '../fields.ts'
import { refusalOf } from './refusal.ts'
import { signerOf } from './signer.ts'

/** One call, its answer included, milliseconds: these are answered in some tens. */
const CALL_MS = 5_000

/** The description of a cluster is some 3 KB. */
const ANSWER_BYTES_MAX = 512 * 1024

/** A call that may be made again: the first one may have met a connection that was closed meanwhile, or a server that is going. */
const ATTEMPTS = 2

/** Where AWS is, and what time it is for signatures. */
export type AwsSite = Pick<AwsAccess, 'endpoint'> & { now(): Date }

export type AwsCall = {
  service: AwsService
  region: string
  /** What is done, for messages: `eks:DescribeCluster`. */
  action: string
  method: 'GET' | 'POST'
  /** Encoded already. */
  path: string
  /** Form; absent for GET. */
  body?: string
}

const unavailable = ({ action, region }: AwsCall, why: string, cause?: unknown): AwsUnavailable =>
  new AwsUnavailable(
    `${action} in ${region} failed: ${why}. Try again later; check that the Region exists and that fedplane can reach it.`,
    { cause },
  )

type Signing = { credentials: AwsCredentials; signingDate: Date }

type Answer = { status: number; errorType: string | null; text: string }

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }

const send = async (call: AwsCall, url: URL, { credentials, signingDate }: Signing): Promise<Answer> => {
  const { service, region, method, body } = call
  const request = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    headers: { host: url.host, ...(body === undefined ? {} : FORM) },
    ...(body === undefined ? {} : { body }),
  }
  const signed = await signerOf(credentials, service, region).sign(request, { signingDate })
  // `host` is in the signature, and the call sets the same.
  const { host: _, ...headers } = signed.headers
  const answer = await httpCall({
    method,
    url,
    headers,
    body,
    signal: AbortSignal.timeout(CALL_MS),
    answerBytesMax: ANSWER_BYTES_MAX,
  })
  // AWS redirects none of these calls: something else answers.
  if (answer.status >= 300 && answer.status < 400) throw new TypeError(`a redirect (${answer.status})`)
  const errorType = answer.headers['x-amzn-errortype']
  return { status: answer.status, errorType: typeof errorType === 'string' ? errorType : null, text: answer.body }
}

/** One that tells nothing of the request: it is worth asking again, whoever failed. */
const isFailure = ({ status }: Answer): boolean => status >= 500

const sendAgain = async (call: AwsCall, url: URL, signing: Signing): Promise<Answer> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await send(call, url, signing)
      if (attempt === ATTEMPTS || !isFailure(answer)) return answer
    } catch (error) {
      if (attempt === ATTEMPTS) throw unavailable(call, 'there was no whole answer', error)
    }
  }
}

/**
 * Makes a signed call to AWS, twice at most.
 *
 * @returns the text of a successful answer
 * @throws AwsUnavailable, and what `refusalOf` makes of a refusal
 */
export const awsCall = async (aws: AwsSite, call: AwsCall, credentials: AwsCredentials): Promise<string> => {
  const { service, region, path } = call
  const base = (aws.endpoint(service) ?? `https://${hostOfService(service, region)}`).replace(/\/+$/, '')
  const answer = await sendAgain(call, new URL(`${base}${path}`), {
    credentials,
    signingDate: aws.now(),
  })
  if (answer.status === 200) return answer.text
  throw refusalOf(call, answer)
}
