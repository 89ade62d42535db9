import { createHash, createHmac } from 'node:crypto'

/** What of a request is signed (Signature Version 4), as it came over the wire. */
export type SignedParts = {
  method: string
  path: string
  query: readonly (readonly [string, string])[]
  /** Those that are signed, by lower-case name. */
  headers: Readonly<Record<string, string>>
  body: string
  /** `20261128T120000Z` */
  date: string
  /** `20261128/eu-central-1/sts/aws4_request` */
  scope: string
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Written from the specification, not with the signer that it checks. */
export const signatureOf = (parts: SignedParts, secretAccessKey: string): string => {
  const { method, path, query, headers, body, date, scope } = parts
  const names = Object.keys(headers).sort()
  const canonical = [
    method,
    path,
    query
      .map(([key, value]) => `${encode(key)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${headers[name]?.trim().replaceAll(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((at, part) => hmac(at, part), `AWS4${secretAccessKey}`)
  return hmac(key, toSign).toString('hex')
}
