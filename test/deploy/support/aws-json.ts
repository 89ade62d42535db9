import type { Emulator } from './emulator.ts'

/** The emulator does not check the signature of its own account's key, but at the service that it is for. */
const credential = (service: string): string =>
  `AWS4-HMAC-SHA256 Credential=test/20260101/eu-central-1/${service}/aws4_request, SignedHeaders=host, Signature=0`

type Sent = { service: string; path?: string; type?: string; target?: string; body: string }

const send = async (emulator: Emulator, { service, path = '', type, target, body }: Sent): Promise<string> => {
  const answer = await fetch(`${emulator.environment.AWS_ENDPOINT_URL}${path}`, {
    method: 'POST',
    headers: {
      authorization: credential(service),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(target === undefined ? {} : { 'x-amz-target': target }),
    },
    body,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${service} ${target ?? path}${body} was answered ${answer.status}: ${text}`)
  return text
}

/** By the beginning of a target. */
const SERVICES: Readonly<Record<string, { service: string; minor: 0 | 1 }>> = {
  AmazonSQS: { service: 'sqs', minor: 0 },
  GraniteServiceVersion20100801: { service: 'monitoring', minor: 0 },
  Logs_20140328: { service: 'logs', minor: 1 },
}

/** One call of a service of the JSON protocol whose client is no dependency. `target` is for example `AmazonSQS.CreateQueue`. */
export const askJson = async <T>(emulator: Emulator, target: string, input: object): Promise<T> => {
  const known = SERVICES[target.split('.')[0] ?? '']
  if (known === undefined) throw new Error(`Who answers ${target}?`)
  const type = `application/x-amz-json-1.${known.minor}`
  return JSON.parse(await send(emulator, { service: known.service, type, target, body: JSON.stringify(input) })) as T
}

/** Calls a function, and waits for its answer. */
export const invoke = async <T>(emulator: Emulator, name: string): Promise<T> =>
  JSON.parse(
    await send(emulator, { service: 'lambda', path: `/2015-03-31/functions/${name}/invocations`, body: '{}' }),
  ) as T

/** One call of a service of the query protocol; what it answers is XML. */
export const askQuery = (emulator: Emulator, service: 'iam' | 'sts', input: Record<string, string>): Promise<string> =>
  send(emulator, {
    service,
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ Version: service === 'iam' ? '2010-05-08' : '2011-06-15', ...input }).toString(),
  })
