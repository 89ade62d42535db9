import type { IncomingMessage } from 'node:http'

/** The body is over the limit; what is left of it is unread. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
}

/** The client went away before its request was whole. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted'
}

/** True when the request announces a body over the limit. */
export const announcesTooMuch = (message: IncomingMessage, bytesMax: number): boolean =>
  Number(message.headers['content-length'] ?? 0) > bytesMax

/**
 * The whole body, holding at most `bytesMax` in memory.
 *
 * @throws BodyTooLarge, RequestAborted
 */
export const readBody = (message: IncomingMessage, bytesMax: number): Promise<Buffer> => {
  if (announcesTooMuch(message, bytesMax)) return Promise.reject(new BodyTooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const take = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes <= bytesMax) {
        chunks.push(chunk)
        return
      }
      message.off('data', take)
      reject(new BodyTooLarge())
    }
    message.on('data', take)
    message.once('end', () => resolve(Buffer.concat(chunks)))
    message.once('close', () => reject(new RequestAborted()))
    message.once('error', () => reject(new RequestAborted()))
  })
}
