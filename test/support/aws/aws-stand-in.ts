import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { AwsAccess, AwsCredentials, AwsGrants } from '../../../functions/drivers/contract/aws-access.ts'
import { bodyOf, type Loopback, makeTrouble, sendJson, startLoopback, type Trouble } from '../authorizer/loopback.ts'
import { signatureOf } from './sigv4.ts'

export const REGION = 'eu-central-1'
const MINUTE_MS = 60_000

type Key = { secret: string; token?: string; arn: string; expiresAt?: Date }
type Role = { externalId?: string; sessionName?: string }

export type StandInCluster = { status: string; endpoint?: string; caPem?: string }

/** Who signed, or the code of the refusal. */
type Caller = { arn: string } | { code: string }

/** ARNs of a role's sessions up to their names. */
const sessionsOf = (roleArn: string): string => roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')

const timeOf = (date: string): Date =>
  new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const answerJson = (response: ServerResponse, make: () => object): void => {
  try {
    sendJson(response, 200, make())
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const headers = { 'x-amzn-errortype': `${error.code}:http://internal.amazon.com/` }
    sendJson(response, error.status, { message: error.message }, headers)
  }
}

const answerXml = (response: ServerResponse, make: () => string): void => {
  const send = (status: number, text: string): void => {
    response.writeHead(status, { 'content-type': 'text/xml' }).end(text)
  }
  try {
    send(200, make())
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { status, code, message } = error
    send(status, `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`)
  }
}

/**
 * Stands in for EKS's DescribeCluster and STS's AssumeRole: made for tests, with its own accounts. It checks every signature as AWS does, and counts
 * what it is asked. The clock is the tests'.
 */
export class AwsStandIn {
  readonly clusters = new Map<string, StandInCluster>()
  /** Roles that there are, by ARN, with what their trust policies ask for. */
  readonly roles = new Map<string, Role>()
  /** ARNs that may describe clusters; undefined: everybody. */
  mayDescribe: readonly string[] | undefined
  /** Each of the next calls answers so. */
  trouble: Trouble | undefined
  /** Code of a refusal in place of the right answers of EKS. */
  refusal: { status: number; code: string } | undefined
  now: () => Date = () => new Date()
  readonly calls: string[] = []
  readonly sessionNames: string[] = []
  readonly #keys = new Map<string, Key>()
  #server: Loopback | undefined

  async start(): Promise<void> {
    this.#server = await startLoopback((message, response) => this.#answer(message, response))
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }

  /** New credentials of somebody. */
  issue(arn: string, expiresAt?: Date): AwsCredentials {
    const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`
    const key: Key = {
      arn,
      secret: randomBytes(20).toString('base64'),
      token: `${randomBytes(24).toString('base64')}==`,
    }
    this.#keys.set(accessKeyId, expiresAt === undefined ? key : { ...key, expiresAt })
    return {
      accessKeyId,
      secretAccessKey: new Secret(key.secret),
      sessionToken: new Secret(key.token ?? ''),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
  }

  /** Ends the sessions of a role before their time. */
  endSessions(roleArn: string): void {
    for (const key of this.#keys.values()) {
      if (key.arn.startsWith(sessionsOf(roleArn))) key.expiresAt = new Date(0)
    }
  }

  /** A process with these credentials, which projects may use so. */
  accessOf(credentials: () => AwsCredentials, grants: AwsGrants = 'everything'): AwsAccess {
    return { grants, credentials: async () => credentials(), endpoint: () => this.url }
  }

  /** What the presigned URL of a token says to EKS's authenticator: who signed it for this cluster. */
  identify(url: URL, clusterName: string): Caller {
    const query = [...url.searchParams]
    const of = (name: string): string => url.searchParams.get(name) ?? ''
    const [accessKeyId = '', ...scope] = of('X-Amz-Credential').split('/')
    const headers = { host: url.host, 'x-k8s-aws-id': clusterName }
    return this.#caller(accessKeyId, {
      isSigned: (secret) =>
        of('X-Amz-SignedHeaders') === 'host;x-k8s-aws-id' &&
        url.pathname === '/' &&
        of('Action') === 'GetCallerIdentity' &&
        of('X-Amz-Signature') ===
          signatureOf(
            {
              method: 'GET',
              path: '/',
              query: query.filter(([name]) => name !== 'X-Amz-Signature'),
              headers,
              body: '',
              date: of('X-Amz-Date'),
              scope: scope.join('/'),
            },
            secret,
          ),
      token: of('X-Amz-Security-Token'),
      age: this.now().getTime() - timeOf(of('X-Amz-Date')).getTime(),
    })
  }

  #caller(
    accessKeyId: string,
    { isSigned, token, age }: { isSigned(secret: string): boolean; token: string; age: number },
  ): Caller {
    const key = this.#keys.get(accessKeyId)
    if (key === undefined || (key.token ?? '') !== token) return { code: 'UnrecognizedClientException' }
    if (key.expiresAt !== undefined && key.expiresAt <= this.now()) return { code: 'ExpiredTokenException' }
    if (!isSigned(key.secret) || Math.abs(age) > 15 * MINUTE_MS) return { code: 'InvalidSignatureException' }
    return { arn: key.arn }
  }

  #callerOf(message: IncomingMessage, service: string, body: string): Caller {
    const { authorization = '', 'x-amz-date': date } = message.headers
    const [, accessKeyId = '', scope = '', signed = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]+)$/.exec(
        authorization,
      ) ?? []
    const url = new URL(message.url ?? '/', this.url)
    const headers = Object.fromEntries(signed.split(';').map((name) => [name, String(message.headers[name] ?? '')]))
    return this.#caller(accessKeyId, {
      isSigned: (secret) =>
        scope.endsWith(`/${REGION}/${service}/aws4_request`) &&
        'host' in headers &&
        signature ===
          signatureOf(
            { method: message.method ?? '', path: url.pathname, query: [], headers, body, date: String(date), scope },
            secret,
          ),
      token: String(message.headers['x-amz-security-token'] ?? ''),
      age: this.now().getTime() - timeOf(String(date)).getTime(),
    })
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(message)
    const name = /^\/clusters\/([^/?]+)$/.exec(message.url ?? '')?.[1]
    this.calls.push(name === undefined ? 'AssumeRole' : 'DescribeCluster')
    if (this.trouble !== undefined) {
      makeTrouble(this.trouble, response, { status: 200, body: {} }, `${this.url}/elsewhere`)
    } else if (name === undefined) answerXml(response, () => this.#assumeRole(message, body))
    else answerJson(response, () => this.#describe(message, decodeURIComponent(name)))
  }

  #describe(message: IncomingMessage, name: string): object {
    if (this.refusal !== undefined) throw new Refused(this.refusal.status, this.refusal.code, 'told to refuse')
    const caller = this.#callerOf(message, 'eks', '')
    // AWS repeats the request in such a message.
    if ('code' in caller) throw new Refused(403, caller.code, `The request was ${JSON.stringify(message.headers)}`)
    const { arn } = caller
    if (this.mayDescribe?.includes(arn) === false) {
      throw new Refused(403, 'AccessDeniedException', `User: ${arn} is not authorized to perform: eks:DescribeCluster`)
    }
    const cluster = this.clusters.get(name)
    if (cluster === undefined)
      throw new Refused(404, 'ResourceNotFoundException', `No cluster found for name: ${name}.`)
    const { status, endpoint, caPem } = cluster
    const data = caPem === undefined ? undefined : Buffer.from(caPem).toString('base64')
    return { cluster: { name, status, endpoint, version: '1.36', certificateAuthority: data && { data } } }
  }

  #assumeRole(message: IncomingMessage, body: string): string {
    const caller = this.#callerOf(message, 'sts', body)
    if ('code' in caller) throw new Refused(403, caller.code.replace(/Exception$/, ''), `The request was ${body}`)
    const form = new URLSearchParams(body)
    const [roleArn, session] = [form.get('RoleArn') ?? '', form.get('RoleSessionName') ?? '']
    this.sessionNames.push(session)
    if (!this.#trusts(this.roles.get(roleArn), form)) {
      const action = `sts:AssumeRole on resource: ${roleArn}`
      throw new Refused(403, 'AccessDenied', `User: ${caller.arn} is not authorized to perform: ${action}`)
    }
    const arn = `${sessionsOf(roleArn)}/${session}`
    const expiresAt = new Date(this.now().getTime() + Number(form.get('DurationSeconds')) * 1000)
    const { accessKeyId, secretAccessKey, sessionToken } = this.issue(arn, expiresAt)
    return `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
      <AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey.reveal()}</SecretAccessKey>
      <SessionToken>${sessionToken?.reveal()}</SessionToken><Expiration>${expiresAt.toISOString()}</Expiration>
      </Credentials></AssumeRoleResult></AssumeRoleResponse>`
  }

  #trusts(role: Role | undefined, form: URLSearchParams): boolean {
    if (role === undefined || (role.externalId ?? null) !== form.get('ExternalId')) return false
    return role.sessionName === undefined || role.sessionName === form.get('RoleSessionName')
  }
}
