import { createHmac } from 'node:crypto'
import { isAppError } from '../../core/values/app-error.ts'
import type { Secret } from '../../core/values/secret.ts'
import { httpCall, NoWholeAnswer } from '../../http/http-call.ts'
import {
  type AddressPolicy,
  guardedLookup,
  hostOf,
  isLoopbackAddress,
  type Resolver,
} from '../../kubernetes/address-guard.ts'
import { pinnedTo } from '../../kubernetes/target.ts'

/** From the name's lookup to the end of the answer, milliseconds. */
const ANSWER_MS = 10_000
/** Of an answer only the status counts; a little of its body is told to the owner. */
const ANSWER_BYTES_MAX = 64 * 1024

/** A message to a receiver. */
export type Message = { id: string; at: Date; payload: string; url: string; secrets: readonly Secret[] }

/** What came of it. `status` is null when there was no answer. */
export type Posted = { status: number | null; message: string; retryAfterSeconds: number | null }

/** A signature for each secret, so that a receiver with either takes it (Standard Webhooks, signature scheme). */
const signatures = ({ id, payload, secrets }: Message, timestamp: string): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.reveal().replace(/^whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`
    })
    .join(' ')

const headersOf = (message: Message): Record<string, string> => {
  const timestamp = String(Math.floor(message.at.getTime() / 1000))
  return {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures(message, timestamp),
  }
}

/** Where a message may be sent, and how names are looked up. */
export type Sending = { policy: AddressPolicy; resolver: Resolver }

/** Checked addresses. Without TLS they must be of this machine. @throws AddressForbidden, NoWholeAnswer, and the resolver's error */
const addressesOf = async (url: URL, { policy, resolver }: Sending) => {
  const addresses = await guardedLookup(policy, resolver).addresses(hostOf(url))
  if (url.protocol !== 'https:' && !addresses.every(({ address }) => isLoopbackAddress(address))) {
    throw new NoWholeAnswer('Plain http is for receivers on this machine only; use https.', { host: url.host })
  }
  return addresses
}

const reasonOf = (error: unknown): string => {
  if (isAppError(error) || error instanceof NoWholeAnswer) return error.message
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code'
  return `The name of the receiver was not found (${code}).`
}

const outcomeOf = (status: number): string => {
  if (status >= 200 && status < 300) return `The receiver answered ${status}.`
  return status >= 300 && status < 400
    ? `The receiver answered ${status}: redirects are not followed, so the trigger needs the final URL.`
    : `The receiver answered ${status}.`
}

/** Seconds of a `Retry-After`; null for none and for a date. */
const retryAfterOf = (value: string | undefined): number | null =>
  value !== undefined && /^[0-9]{1,6}$/.test(value) ? Number(value) : null

/** Posts a message, signed as Standard Webhooks say. Never throws for what the other side does; redirects are not followed. */
export const post = async (message: Message, sending: Sending): Promise<Posted> => {
  const signal = AbortSignal.timeout(ANSWER_MS)
  const url = new URL(message.url)
  try {
    const lookup = pinnedTo(await addressesOf(url, sending))
    const { status, headers } = await httpCall({
      method: 'POST',
      url,
      headers: headersOf(message),
      body: message.payload,
      signal,
      lookup,
      answerBytesMax: ANSWER_BYTES_MAX,
    })
    return { status, message: outcomeOf(status), retryAfterSeconds: retryAfterOf(headers['retry-after']) }
  } catch (error) {
    return { status: null, message: reasonOf(error), retryAfterSeconds: null }
  }
}
