import * as z from 'zod'
import type { AppError } from '../core/values/app-error.ts'
import { jsonOrNothing } from '../core/values/json.ts'
import { ANSWER_BOUNDS } from './bounds.ts'
import {
  ApiThrottled,
  ApiUnavailable,
  CredentialRejected,
  NotKubernetes,
  ObjectConflict,
  ObjectInvalid,
  ObjectNotFound,
  PermissionDenied,
} from './errors.ts'
import { describeAsked } from './network-errors.ts'
import type { TransportAnswer } from './target.ts'

/** Longest text of an API server that goes into a message, characters. */
const MAX_TEXT = 300
/** Most seconds that a Retry-After is believed: 5 minutes. */
const MAX_RETRY_AFTER_SECONDS = 300
/** A clock difference that is worth telling with a 401, seconds (cases/JN-19). */
const SKEW_SECONDS = 60

/** `meta.k8s.io/v1 Status`, what we use of it. */
const Status = z.object({
  kind: z.literal('Status'),
  reason: z.string().catch(''),
  message: z.string().catch(''),
  details: z
    .object({
      kind: z.string().catch(''),
      name: z.string().catch(''),
      retryAfterSeconds: z.number().optional().catch(undefined),
      causes: z
        .array(z.object({ reason: z.string().catch(''), field: z.string().catch(''), message: z.string().catch('') }))
        .catch([])
        .default([]),
    })
    .catch({ kind: '', name: '', causes: [] })
    .default({ kind: '', name: '', causes: [] }),
})
type Status = z.infer<typeof Status>

export type AnswerContext = {
  /** Values that must not appear in a message, for example the bearer token. */
  secrets: readonly string[]
  /** The request carried secret values (a Secret): the API server's text may quote them, so it is left out. */
  isSecretBody: boolean
}

/** What a Status may be read of; undefined for everything else. */
const failureBody = ({ body }: Pick<TransportAnswer, 'body'>): unknown =>
  jsonOrNothing(body, ANSWER_BOUNDS.failure.values)

/**
 * The error that an answer of 300 or more means, from its status and its Status body. `details.said` has the API server's own words, without what was
 * asked of whom; empty when it gives none.
 */
export const answerError = (answer: TransportAnswer, context: AnswerContext): AppError => {
  const parsed = Status.safeParse(failureBody(answer))
  const status = parsed.success ? parsed.data : undefined
  const { host, method, path } = answer.asked
  const said = textOf(status, context)
  const facts = { host, method, path, status: answer.status, reason: reasonOf(status), said }
  const details = { ...facts, ...retryAfter(answer, status) }
  const reported = said === '' ? '' : `: ${said}`
  const sentence = (what: string): string => `${describeAsked(answer.asked)} ${what} (${answer.status})${reported}.`
  return errorFor({ answer, status, details, sentence })
}

type Failed = {
  answer: TransportAnswer
  status: Status | undefined
  details: Readonly<Record<string, unknown>>
  sentence: (what: string) => string
}

const errorFor = ({ answer, status, details, sentence }: Failed): AppError => {
  if (answer.status < 400)
    return new NotKubernetes(sentence('was answered with a redirect, which is not followed'), { details })
  if (answer.status >= 500) return new ApiUnavailable(sentence('failed in the API server'), { details })
  if (answer.status === 401) {
    const skew = clockSkew(answer)
    return new CredentialRejected(sentence(`was refused: the cluster does not accept the credential${skew.text}`), {
      details: { ...details, ...skew.details },
    })
  }
  if (status !== undefined && isTerminating(status)) {
    return new ObjectConflict(sentence('was refused: the namespace is being deleted'), {
      details: { ...details, reason: 'NamespaceTerminating' },
    })
  }
  return clientError({ answer, status, details, sentence })
}

const clientError = ({ answer, status, details, sentence }: Failed): AppError => {
  switch (answer.status) {
    case 403:
      return new PermissionDenied(sentence('was refused: the credential may not do this'), { details })
    case 404:
      return status === undefined && isHtml(answer)
        ? new NotKubernetes(sentence('was answered by something that is not a Kubernetes API server'), { details })
        : new ObjectNotFound(sentence('was answered: not found'), {
            details: { ...details, missing: missingOf(status) },
          })
    case 409:
    case 410:
      return new ObjectConflict(sentence('is in conflict with what is there'), { details })
    case 429:
      return new ApiThrottled(sentence('was put off: the API server asks to slow down'), { details })
    default:
      return new ObjectInvalid(sentence('was refused as invalid'), { details })
  }
}

/** True for what an API server says when something is not there: a Status, or plain text for an unknown group. */
export const isNotFound = (answer: TransportAnswer): boolean =>
  answer.status === 404 && (Status.safeParse(failureBody(answer)).success || !isHtml(answer))

const isHtml = ({ headers, body }: TransportAnswer): boolean =>
  (headers['content-type'] ?? '').includes('html') || /^\s*</.test(body)

const isTerminating = ({ details }: Status): boolean =>
  details.causes.some(({ reason }) => reason === 'NamespaceTerminating')

const reasonOf = (status: Status | undefined): string =>
  /^\w{1,60}$/.test(status?.reason ?? '') ? (status?.reason ?? '') : ''

/** Plural of the object that is not there; empty where none is named, which is said of kinds that are not served. */
const missingOf = (status: Status | undefined): string =>
  status === undefined || status.details.name === '' ? '' : status.details.kind

/** What is wrong, and where. A long message begins with names of webhook and object, and would be cut before it says that: then each cause by itself. */
const wordsOf = ({ message, details: { causes } }: Status): string => {
  const reported = causes.filter((cause) => cause.message !== '')
  if (message.length <= MAX_TEXT || reported.length === 0) return message
  return reported.map((cause) => (cause.field === '' ? cause.message : `${cause.field}: ${cause.message}`)).join('; ')
}

const textOf = (status: Status | undefined, { secrets, isSecretBody }: AnswerContext): string => {
  if (status === undefined) return ''
  const fields = status.details.causes.map(({ field }) => field).filter((field) => field !== '')
  const text = isSecretBody ? [reasonOf(status), ...fields].join(' ') : wordsOf(status)
  const clean = secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '***')), text)
  const line = clean.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  const cut = line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT - 1)}…` : line
  return cut.replace(/\.$/, '')
}

/** `Retry-After` in seconds or as a date, else what the Status says. */
const retryAfter = (answer: TransportAnswer, status: Status | undefined): { retryAfterSeconds?: number } => {
  if (answer.status !== 429 && answer.status < 500) return {}
  const seconds = headerSeconds(answer.headers['retry-after']) ?? status?.details.retryAfterSeconds
  if (seconds === undefined || Number.isNaN(seconds)) return {}
  return { retryAfterSeconds: Math.min(Math.max(0, Math.ceil(seconds)), MAX_RETRY_AFTER_SECONDS) }
}

const headerSeconds = (header: string | undefined): number | undefined => {
  if (header === undefined) return
  return /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
}

/** How far the server's clock is from ours, when that may be why a credential is refused. */
const clockSkew = ({ headers }: TransportAnswer): { text: string; details: { clockSkewSeconds?: number } } => {
  const seconds = Math.round((Date.parse(headers.date ?? '') - Date.now()) / 1000)
  if (Number.isNaN(seconds) || Math.abs(seconds) < SKEW_SECONDS) return { text: '', details: {} }
  return { text: `; its clock differs from ours by ${seconds} s`, details: { clockSkewSeconds: seconds } }
}
