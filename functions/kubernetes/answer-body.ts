import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { AnswerTooLarge } from './errors.ts'
import { type Asked, describeAsked } from './network-errors.ts'

/** Largest answer, before and after decompression: 16 MiB. A page of 500 Secrets of average size is 2 MiB. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024

export type BodyLimit = { asked: Asked; maxBytes: number }

const counted = (maxBytes: number, asked: Asked) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > maxBytes) {
        throw new AnswerTooLarge(
          `The answer to ${describeAsked(asked)} is larger than ${maxBytes} bytes; check that the address is that of an API server.`,
          { details: { ...asked, maxBytes } },
        )
      }
      yield chunk
    }
  }

/**
 * Reads the whole answer as UTF-8, gunzipping it (several gzip members too).
 *
 * @throws AnswerTooLarge, or the stream's own error (cut off, bad gzip)
 */
export const readBody = async (answer: IncomingMessage, { asked, maxBytes }: BodyLimit): Promise<string> => {
  const chunks: Buffer[] = []
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) chunks.push(chunk)
  }
  if (answer.headers['content-encoding']?.toLowerCase() === 'gzip') {
    await pipeline(answer, counted(maxBytes, asked), createGunzip(), counted(maxBytes, asked), collect)
  } else {
    await pipeline(answer, counted(maxBytes, asked), collect)
  }
  return Buffer.concat(chunks).toString('utf8')
}
