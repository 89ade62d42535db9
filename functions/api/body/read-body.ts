import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Json } from '../../core/values/json.ts'
import { quote } from '../../core/values/wording.ts'
import { InvalidRequest, RequestTooLarge, UnsupportedMediaType } from '../errors.ts'
import { readJson } from './json-reader.ts'

/** Bodies of most requests, bytes: room for 64 KiB of properties with their escapes. */
export const BODY_BYTES_MAX = 128 * 1024

/** Bodies that carry a kubeconfig, bytes: 256 KiB of YAML, escaped into a JSON string, twice over, and the other fields. */
export const KUBECONFIG_BODY_BYTES_MAX = 640 * 1024

const JSON_TYPE = /^application\/(?:json|json-patch\+json|[a-z0-9.-]+\+json)$/

const mediaTypeOf = (event: APIGatewayProxyEventV2): string | undefined =>
  event.headers['content-type']?.split(';')[0]?.trim().toLowerCase() || undefined

/** Compressed bodies are not unpacked: a small one may hide a huge one. @throws UnsupportedMediaType */
const demandPlain = (event: APIGatewayProxyEventV2): void => {
  const encoding = event.headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return
  throw new UnsupportedMediaType(
    `The body has the Content-Encoding ${quote(encoding)}, which is not understood. Send it plain, without that header.`,
  )
}

const bytesOf = (event: APIGatewayProxyEventV2): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')

const decode = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new InvalidRequest('The body is not valid UTF-8. Send JSON as UTF-8.', { cause })
  }
}

/**
 * The JSON body of a request; undefined when there is none. A body without Content-Type is taken as JSON; without a body any
 * Content-Type is fine, because clients send one on every request (magnum-rest.md section 0 rule 9).
 *
 * @throws RequestTooLarge, UnsupportedMediaType, InvalidRequest
 */
export const readBody = (event: APIGatewayProxyEventV2, bytesMax: number): Json | undefined => {
  const bytes = bytesOf(event)
  if (bytes.length === 0) return undefined
  if (bytes.length > bytesMax) {
    throw new RequestTooLarge(`The body has ${bytes.length} bytes; at most ${bytesMax} are allowed here.`)
  }
  demandPlain(event)
  const type = mediaTypeOf(event)
  if (type !== undefined && !JSON_TYPE.test(type)) {
    throw new UnsupportedMediaType(`The content type ${quote(type)} is not understood. Send "application/json".`)
  }
  const text = decode(bytes)
  return text.trim() === '' ? undefined : readJson(text)
}
