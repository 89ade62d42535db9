import { type HttpAnswer, httpCall } from '../../http/http-call.ts'
import { CanaryRefused } from './errors.ts'

/** For one request with its answer, milliseconds: the gateway gives up at 30 s. */
const REQUEST_MS = 30_000
/** A federation with all that it shows is some 10 KiB; a token with a large catalog some 100. */
const ANSWER_BYTES_MAX = 1024 * 1024
/** Of what an answer that is no success says, characters. */
const SAID_MAX = 500

export type CanaryRequest = {
  method?: 'GET' | 'POST' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
  signal: AbortSignal
}

/**
 * A successful answer with its text.
 *
 * @param quotes whether the answer's text may be shown; not where it may hold a token
 * @throws CanaryRefused for any other, and when there is none
 */
export const request = async (
  { method = 'GET', url, headers = {}, body, signal }: CanaryRequest,
  quotes = true,
): Promise<{ headers: HttpAnswer['headers']; text: string }> => {
  const asked = `${method} ${new URL(url).pathname}`
  const answer = await httpCall({
    method,
    url: new URL(url),
    headers,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
    answerBytesMax: ANSWER_BYTES_MAX,
  }).catch((cause: unknown) => {
    throw new CanaryRefused(`${asked} has no answer.`, { cause })
  })
  const { status, body: text } = answer
  if (status >= 200 && status < 300) return { headers: answer.headers, text }
  const said = quotes && text !== '' ? `: ${text.slice(0, SAID_MAX)}` : '.'
  throw new CanaryRefused(`${asked} was answered ${status}${said}`, { details: { status } })
}
