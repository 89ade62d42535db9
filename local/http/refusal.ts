import { STATUS_CODES } from 'node:http'

/** An answer that the server gives itself, where API Gateway would: the functions are not asked. */
export type Refusal = { status: number; title: string; detail: string }

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024)

export const REFUSALS = {
  bodyTooLarge: (bytesMax: number): Refusal => ({
    status: 413,
    title: 'The body is too large.',
    detail: `The body is too large: at most ${mebibytes(bytesMax)} MiB are accepted.`,
  }),
  foreign: (): Refusal => ({
    status: 403,
    title: 'Requests of web pages and for other hosts are refused.',
    detail:
      'Requests of web pages and for other hosts or ports are refused, because without tokens everybody is admin here. Call 127.0.0.1 or ' +
      'localhost with the port that fedplane listens on, without Origin and Sec-Fetch headers; give tokens with FEDPLANE_TOKENS; or name the ' +
      'proxy or forwarded port in front with FEDPLANE_PUBLIC_URL.',
  }),
  otherUser: (): Refusal => ({
    status: 403,
    title: 'Requests of other users of this machine are refused.',
    detail:
      'Requests of other users of this machine are refused, because without tokens everybody is admin here. Call as the user who runs fedplane, or as ' +
      'root; give tokens with FEDPLANE_TOKENS; or, where a proxy of yours runs as another user, set FEDPLANE_ALLOW_OTHER_USERS=true.',
  }),
  bodyUndeclared: (): Refusal => ({
    status: 415,
    title: 'The body does not say that it is JSON.',
    detail:
      'The body does not say that it is JSON, which a web page could send without being asked. Send the header Content-Type: application/json ' +
      '(curl: --json in place of -d).',
  }),
  pathMalformed: (): Refusal => ({
    status: 400,
    title: 'The path holds a broken percent escape.',
    detail: 'The path holds a broken percent escape. Escape % itself as %25.',
  }),
  requestMalformed: (): Refusal => ({
    status: 400,
    title: 'The request is not HTTP.',
    detail: 'The request is not HTTP. Send HTTP/1.1.',
  }),
  headersTooLarge: (bytesMax: number): Refusal => ({
    status: 431,
    title: 'The request line and headers are too large.',
    detail: `The request line and headers are too large: at most ${bytesMax} bytes are accepted.`,
  }),
  requestTooSlow: (): Refusal => ({
    status: 408,
    title: 'The request did not arrive in time.',
    detail: 'The request did not arrive in time. Send it again.',
  }),
  timedOut: (milliseconds: number): Refusal => ({
    status: 504,
    title: 'Endpoint request timed out.',
    detail: `There was no answer within ${milliseconds / 1000} seconds. What was asked for may still happen: look before you repeat it.`,
  }),
  failed: (): Refusal => ({
    status: 500,
    title: 'Internal server error.',
    detail: 'Internal server error. The log has more under the request id of this answer.',
  }),
} as const

/** Body of a refusal in Magnum's error envelope (magnum-rest.md section 3), so that its clients show the title. */
export const refusalBody = ({ status, title, detail }: Refusal): string =>
  JSON.stringify({
    errors: [{ request_id: '', code: status < 500 ? 'client' : 'server', status, title, detail, links: [] }],
  })

/** A whole answer as text, for connections without a request to answer. Ends the connection. */
export const rawRefusal = (refusal: Refusal): string => {
  const body = refusalBody(refusal)
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
