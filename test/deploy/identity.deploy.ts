import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../functions/identity/password.ts'
import { inProject, passwordLogin } from '../support/authorizer/facade.ts'
import { askQuery } from './support/aws-json.ts'
import { Cdk, type Outputs } from './support/cdk.ts'
import { ACCOUNT, type Emulator, REGION, startEmulator } from './support/emulator.ts'
import { functionLogs } from './support/function-logs.ts'
import { type SessionCredentials, signedFetch } from './support/signed-fetch.ts'

/** Of the emulator's log when a test fails, characters. */
const LOG_SHOWN = 8_000
const PASSWORD = 'correct horse battery staple'

/** What a first user needs on AWS: no Keystone, no issuer. */
describe('identity on an emulator of AWS', () => {
  let emulator: Emulator
  let folder: string | undefined
  let cdk: Cdk
  let outputs: Outputs
  let url: string
  let signedUrl: string

  beforeAll(async () => {
    ;[emulator, folder] = await Promise.all([startEmulator(), mkdtemp(path.join(tmpdir(), 'fedplane-cdk-'))])
    cdk = new Cdk(emulator.environment, path.join(folder, 'app'))
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write((await emulator.log()).slice(-LOG_SHOWN))
  })
  afterAll(async () => {
    await emulator?.close()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const usersSecret = async (): Promise<string> => {
    const users = [
      { name: 'ana', password: await hashPassword(PASSWORD), projects: [{ name: 'shop', roles: ['member'] }] },
    ]
    const secrets = new SecretsManagerClient({
      region: REGION,
      endpoint: emulator.environment.AWS_ENDPOINT_URL ?? '',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    })
    const command = new CreateSecretCommand({ Name: 'fedplane/users', SecretString: JSON.stringify({ users }) })
    const { ARN = '' } = await secrets.send(command)
    secrets.destroy()
    return ARN
  }

  /** A role that may call APIs, and a session of it. */
  const sessionOf = async (role: string): Promise<SessionCredentials> => {
    const statement = (fields: object) =>
      JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...fields }] })
    const trust = statement({ Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` }, Action: 'sts:AssumeRole' })
    await askQuery(emulator, 'iam', { Action: 'CreateRole', RoleName: role, AssumeRolePolicyDocument: trust })
    const policy = statement({ Action: 'execute-api:Invoke', Resource: '*' })
    await askQuery(emulator, 'iam', {
      Action: 'PutRolePolicy',
      RoleName: role,
      PolicyName: 'invoke',
      PolicyDocument: policy,
    })
    const answer = await askQuery(emulator, 'sts', {
      Action: 'AssumeRole',
      RoleArn: `arn:aws:iam::${ACCOUNT}:role/${role}`,
      RoleSessionName: 'ana',
    })
    const field = (name: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(answer)?.[1] ?? ''
    return {
      accessKeyId: field('AccessKeyId'),
      secretAccessKey: field('SecretAccessKey'),
      sessionToken: field('SessionToken'),
    }
  }

  const atEmulator = (address: string | undefined): string => {
    const [id] = new URL(address ?? '').hostname.split('.')
    return `${emulator.environment.AWS_ENDPOINT_URL}/_aws/execute-api/${id}/$default`
  }

  it('deploys the facade, the API for signatures and a user pool', async () => {
    await cdk.synth({
      stage: 'test',
      removalPolicy: 'destroy',
      destroyGuard: 'false',
      identity: 'cognito',
      identityUsersSecretArn: await usersSecret(),
      awsCallers: `shop:member=arn:aws:iam::${ACCOUNT}:role/deployer`,
    })
    await cdk.bootstrap()
    outputs = await cdk.deploy()
    const { url: api, signedurl, authurl, userpool } = outputs['fedplane-api'] ?? {}
    expect([authurl, userpool]).toEqual([api?.replace(/\/v1$/, '/identity/v3'), expect.any(String)])
    url = atEmulator(api)
    signedUrl = atEmulator(signedurl)
  })

  const logIn = (password: string) =>
    fetch(`${url}/identity/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(passwordLogin('ana', password, inProject('shop'))),
    })
  const clusters = async (token: string): Promise<number> =>
    (await fetch(`${url}/v1/clusters`, { headers: { 'x-auth-token': token } })).status

  it('logs in with a password, and refuses a token from the moment on that it is revoked', async () => {
    const answer = await logIn(PASSWORD)
    expect(answer.status).toBe(201)
    const token = answer.headers.get('x-subject-token') ?? ''
    expect(await clusters(token)).toBe(200)
    const headers = { 'x-auth-token': token, 'x-subject-token': token }
    const revoked = await fetch(`${url}/identity/v3/auth/tokens`, { method: 'DELETE', headers })
    expect(revoked.status).toBe(204)
    expect(await clusters(token)).toBe(401)
  })

  it('sends who has no token to the facade, and refuses a wrong password as Keystone does', async () => {
    const nobody = await fetch(`${url}/v1/clusters`)
    expect(nobody.headers.get('www-authenticate')).toBe(`Keystone uri="${outputs['fedplane-api']?.authurl}"`)
    const wrong = await logIn('wrong')
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { error: { code: 401, title: 'Unauthorized' } }])
  })

  it('makes an application credential, which logs in and out', async () => {
    const token = (await logIn(PASSWORD)).headers.get('x-subject-token') ?? ''
    const where = `${url}/identity/v3/users/ana/application_credentials`
    const headers = { 'x-auth-token': token, 'content-type': 'application/json' }
    const body = JSON.stringify({ application_credential: { name: 'ci' } })
    const made = await fetch(where, { method: 'POST', headers, body })
    expect(made.status).toBe(201)
    const { application_credential: credential } = (await made.json()) as {
      application_credential: { id: string; secret: string }
    }
    const identity = { methods: ['application_credential'], application_credential: credential }
    const own = await fetch(`${url}/identity/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth: { identity } }),
    })
    const ownToken = own.headers.get('x-subject-token') ?? ''
    expect(await clusters(ownToken)).toBe(200)
    expect((await fetch(`${where}/${credential.id}`, { method: 'DELETE', headers })).status).toBe(204)
    expect(await clusters(ownToken)).toBe(401)
  })

  it('takes callers with credentials of AWS for who the mapping says, and nobody else', async () => {
    const [deployer, other] = [await sessionOf('deployer'), await sessionOf('other')]
    const list = await signedFetch(`${signedUrl}/v1/clusters`, deployer)
    expect([list.status, await list.json()]).toEqual([200, { clusters: [] }])
    // A route of the function with keys, which refuses the kubeconfig, and not the caller.
    const create = await signedFetch(`${signedUrl}/v1/clusters`, deployer, { name: 'x', kubeconfig: 'nonsense' })
    expect(create.status).toBe(400)
    const refused = await signedFetch(`${signedUrl}/v1/clusters`, other)
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { error: { message: expect.stringMatching(/assumed-role\/other\/ana .*awsCallers/) } },
    ])
    expect((await fetch(`${signedUrl}/v1/clusters`)).status).toBe(403)
    expect((await signedFetch(`${url}/v1/clusters`, deployer)).status).toBe(401)
  })

  it('writes no secret into a log', async () => {
    const lines = (await functionLogs(emulator)).join('\n')
    expect(lines).toMatch(/logged in/)
    expect(`${lines}${await emulator.log()}`).not.toMatch(/correct horse|\$scrypt/)
  })

  it('is taken down whole', async () => {
    await cdk.destroy()
  })
})
