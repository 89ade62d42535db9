import { type AppError, type ErrorKind, isAppError } from '../core/values/app-error.ts'
import { AnswerNotAcceptable, FrameworkError, MicroversionUnsupported, Unauthenticated } from './errors.ts'
import { MINOR_MAX, MINOR_MIN } from './negotiation.ts'
import type { ApiResponse } from './route.ts'

/** The one place where the kind of an error becomes an HTTP status (magnum-rest.md section 3). */
const STATUS: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  throttled: 429,
  unavailable: 503,
  internal: 500,
}

export const httpStatusOf = (kind: ErrorKind): number => STATUS[kind]

/** Characters of a title: some eight lines of a terminal, room for what was wrong and for what to do about it. */
const TITLE_MAX = 600

/** As many whole sentences as fit; empty when not one does. */
const wholeSentences = (text: string): string => /^.*[.!?](?= [A-Z"])/s.exec(text.slice(0, TITLE_MAX + 2))?.[0] ?? ''

/** As many whole words as fit, with a mark that something is missing. */
const wholeWords = (text: string): string => {
  const cut = text.slice(0, TITLE_MAX - 2)
  return `${/^.*\S(?=\s)/s.exec(cut)?.[0] ?? cut} …`
}

/**
 * Clients print only the title (magnum-rest.md section 3), so it is the whole message where that is not very long: Magnum's cut at the first
 * full stop takes away what helps. Of a longer one it is what fits, to the end of a sentence, else of a word.
 */
export const titleOf = (detail: string): string => {
  if (detail.length <= TITLE_MAX) return detail
  return wholeSentences(detail) || wholeWords(detail)
}

const codeOf = (error: AppError, status: number): string => {
  if (error instanceof FrameworkError) return ''
  return status < 500 ? 'client' : 'server'
}

/** Element of `errors`, with exactly Magnum's keys. */
const element = (code: string, status: number, detail: string, title = titleOf(detail)) => ({
  request_id: '',
  code,
  status,
  title,
  detail,
  links: [],
})

const internal = (): ApiResponse => ({
  status: 500,
  body: {
    errors: [element('server', 500, 'The server failed to answer. The request id leads to the cause in its log.')],
  },
})

const unauthenticated = (error: Unauthenticated, authUrl: string): ApiResponse => ({
  status: 401,
  headers: { 'WWW-Authenticate': `Keystone uri="${authUrl}"` },
  body: { error: { code: 401, title: 'Unauthorized', message: error.message } },
})

const microversion = (error: MicroversionUnsupported, baseUrl: string): ApiResponse => ({
  status: 406,
  body: {
    errors: [
      {
        code: 'magnum.microversion-unsupported',
        title: 'Requested microversion is unsupported',
        description: error.message,
        min_version: `1.${MINOR_MIN}`,
        max_version: `1.${MINOR_MAX}`,
        links: [{ rel: 'help', href: `${baseUrl}/v1/` }],
      },
    ],
  },
})

const refusal = (error: AppError): ApiResponse => {
  const status = httpStatusOf(error.kind)
  const title = error instanceof AnswerNotAcceptable ? '' : titleOf(error.message)
  const { allow, retryAfterSeconds } = error.details
  const headers = {
    ...(typeof allow === 'string' ? { Allow: allow } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { 'Retry-After': String(retryAfterSeconds) } : {}),
  }
  return {
    status,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    body: { errors: [element(codeOf(error, status), status, error.message, title)] },
  }
}

/**
 * The answer to an error (magnum-rest.md section 3). Only messages of our own errors are shown; of everything else, and of internal
 * faults, nothing.
 */
export const errorResponse = (error: unknown, where: { baseUrl: string; authUrl: string }): ApiResponse => {
  if (!isAppError(error) || error.kind === 'internal') return internal()
  if (error instanceof Unauthenticated) return unauthenticated(error, where.authUrl)
  if (error instanceof MicroversionUnsupported) return microversion(error, where.baseUrl)
  return refusal(error)
}
