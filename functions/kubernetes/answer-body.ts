import type { IncomingMessage } from 'node:http'
import { quote } from '../core/values/wording.ts'
import { ANSWER_BOUNDS } from './bounds.ts'
import { AnswerTooLarge, NotKubernetes } from './errors.ts'
import { type Asked, describeAsked } from './network-errors.ts'

export type BodyLimit = { asked: Asked; maxBytes: number }

const tooLarge = (asked: Asked, maxBytes: number): AnswerTooLarge =>
  new AnswerTooLarge(
    `The answer to ${describeAsked(asked)} is larger than ${maxBytes} bytes; check that the address is that of an API server.`,
    { details: { ...asked, maxBytes } },
  )

/** We ask for answers as they are (docs/decisions/0027): a few KiB of gzip can be gigabytes. */
const checkEncoding = ({ headers }: IncomingMessage, asked: Asked): void => {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return
  throw new NotKubernetes(
    `The answer to ${describeAsked(asked)} is encoded (${quote(encoding)}) although we ask for none (Accept-Encoding: identity); check what answers in the place of the API server, such as a proxy that compresses.`,
    { details: asked },
  )
}

/** What is said of itself may be wrong in either direction; a length that is over the limit is believed. */
const checkLength = ({ headers }: IncomingMessage, { asked, maxBytes }: BodyLimit): void => {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(asked, maxBytes)
}

const readAll = async (answer: IncomingMessage, { asked, maxBytes }: BodyLimit): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(asked, maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Reads the whole answer as UTF-8 and counts while it reads. One that refuses what was asked may have no more than a Status has.
 *
 * @throws AnswerTooLarge, NotKubernetes for an encoded one, or the stream's own error (cut off)
 */
export const readBody = async (answer: IncomingMessage, limit: BodyLimit): Promise<string> => {
  const isFailure = (answer.statusCode ?? 0) >= 300
  const maxBytes = isFailure ? Math.min(limit.maxBytes, ANSWER_BOUNDS.failure.bytes) : limit.maxBytes
  checkEncoding(answer, limit.asked)
  checkLength(answer, { ...limit, maxBytes })
  return readAll(answer, { ...limit, maxBytes })
}
