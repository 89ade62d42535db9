import { CanaryRefused } from './errors.ts'

/** For one request with its answer, milliseconds: the gateway gives up at 30 s. */
const REQUEST_MS = 30_000
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
): Promise<{ headers: Headers; text: string }> => {
  const asked = `${method} ${new URL(url).pathname}`
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
    ...(body === undefined ? {} : { body }),
  }).catch((cause: unknown) => {
    throw new CanaryRefused(`${asked} has no answer.`, { cause })
  })
  const text = await answer.text()
  if (answer.ok) return { headers: answer.headers, text }
  const said = quotes && text !== '' ? `: ${text.slice(0, SAID_MAX)}` : '.'
  throw new CanaryRefused(`${asked} was answered ${answer.status}${said}`, { details: { status: answer.status } })
}
