import { readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import { Api, ApiRefused, type ClusterView, type FederationView } from '../support/api/api.ts'
import { AUDIENCE, IssuerStandIn } from '../support/authorizer/issuer-stand-in.ts'
import { KeystoneStandIn, SERVICE_SECRET } from '../support/authorizer/keystone-stand-in.ts'
import { until } from '../support/local/engine-lab.ts'
import { askJson, invoke } from './support/aws-json.ts'
import { Cdk } from './support/cdk.ts'
import { type Emulator, REGION, startEmulator } from './support/emulator.ts'
import { functionLogs } from './support/function-logs.ts'
import { firstFederation } from './support/guide.ts'
import { Notified } from './support/notified.ts'

/** Of the emulator's log when a test fails, characters. */
const LOG_SHOWN = 8_000
/** Of the clusters in docs/deploy.md: host and member. */
const NAMES = ['paris', 'tokyo'] as const

describe('deployed to an emulator of AWS', () => {
  let emulator: Emulator
  let keystone: KeystoneStandIn
  let issuer: IssuerStandIn
  let folder: string | undefined
  let cdk: Cdk
  let url: string
  let api: Api
  let servers: SimulatedKubernetes[]
  let notified: Notified
  let canary: string | undefined
  const ids: Record<string, string> = {}
  const context: Record<string, string> = {
    stage: 'test',
    removalPolicy: 'destroy',
    alarmEmail: 'ops@example.org',
    // The clusters of this test; without it loopback is refused.
    allowedNetworks: '127.0.0.0/8',
    oidcAudience: AUDIENCE,
  }

  beforeAll(async () => {
    ;[emulator, folder] = await Promise.all([startEmulator(), mkdtemp(path.join(tmpdir(), 'fedplane-cdk-'))])
    cdk = new Cdk(emulator.environment, path.join(folder, 'app'))
    keystone = new KeystoneStandIn()
    issuer = new IssuerStandIn()
    ;[servers] = await Promise.all([
      Promise.all([startSimulatedKubernetes(), startSimulatedKubernetes()]),
      keystone.start(),
      issuer.start(),
    ])
    keystone.tokens.set('ana-token', { expiresAt: new Date(Date.now() + 3_600_000), projectId: 'shop' })
    const keystoneSecretArn = await newSecret('fedplane/keystone', {
      application_credential_id: 'fedplane',
      application_credential_secret: SERVICE_SECRET,
    })
    Object.assign(context, { keystoneUrl: keystone.url, keystoneSecretArn, oidcIssuer: issuer.url })
  })
  afterEach(async ({ task }) => {
    // What the functions said, which is in no assertion.
    if (task.result?.state === 'fail') process.stderr.write((await emulator.log()).slice(-LOG_SHOWN))
  })
  afterAll(async () => {
    await Promise.all([...(servers ?? []), keystone, issuer, emulator].map((it) => it?.close()))
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const clientOptions = () => ({
    region: REGION,
    endpoint: emulator.environment.AWS_ENDPOINT_URL ?? '',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  })

  /** ARN of a new secret. */
  const newSecret = async (Name: string, content: object): Promise<string> => {
    const secrets = new SecretsManagerClient(clientOptions())
    const { ARN = '' } = await secrets.send(new CreateSecretCommand({ Name, SecretString: JSON.stringify(content) }))
    secrets.destroy()
    return ARN
  }

  /** Its credential at Keystone, in a project of its own, and the clusters of the test. */
  const canarySecret = async (): Promise<string> => {
    const credential = { id: 'canary', name: 'canary', secret: 'canary-secret', unrestricted: false }
    const of = { userId: 'canary', projectId: 'fedplane-canary', roles: ['member'] }
    keystone.credentials.all.set(credential.id, { ...credential, ...of })
    keystone.tokens.set('canary-token', { expiresAt: new Date(Date.now() + 3_600_000), ...of })
    const [host, member] = servers
    return newSecret('fedplane/canary', {
      host_kubeconfig: host?.kubeconfig,
      member_kubeconfig: member?.kubeconfig,
      application_credential_id: credential.id,
      application_credential_secret: credential.secret,
    })
  }

  it('deploys every stack', async () => {
    await cdk.synth(context)
    await cdk.bootstrap()
    const outputs = await cdk.deploy()
    // The emulator knows an API by the host name, which needs a resolver, or by this path.
    const [id] = new URL(outputs['fedplane-api']?.url ?? '').hostname.split('.')
    url = `${clientOptions().endpoint}/_aws/execute-api/${id}/$default`
    api = new Api(url, { token: 'ana-token' })
    expect(Object.keys(outputs)).toContain('fedplane-data')
    notified = new Notified(emulator)
    await notified.subscribe(clientOptions())
  })

  it('has the alarms that the runbook has articles for, and the dashboard', async () => {
    const ask = <T>(action: string, input: object): Promise<T> =>
      askJson<T>(emulator, `GraniteServiceVersion20100801.${action}`, input)
    type Alarms = Record<'MetricAlarms' | 'CompositeAlarms', { AlarmDescription: string }[]>
    const alarms = await ask<Alarms>('DescribeAlarms', { AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] })
    const described = [...alarms.MetricAlarms, ...alarms.CompositeAlarms].map(({ AlarmDescription }) =>
      path.basename(AlarmDescription.split('Runbook: ')[1] ?? '', '.md'),
    )
    const articles = readdirSync('docs/runbook').map((name) => path.basename(name, '.md'))
    // No canary yet, and no deployment in steps, which the emulator does not know.
    const without = ['README', 'canary-failed', 'deployment-failed']
    expect(described.toSorted()).toEqual(articles.filter((article) => !without.includes(article)).toSorted())
    const { DashboardEntries } = await ask<{ DashboardEntries: { DashboardName: string }[] }>('ListDashboards', {})
    expect(DashboardEntries.map(({ DashboardName }) => DashboardName)).toEqual(['fedplane'])
  })

  it('lets in who is vouched for, and nobody else', async () => {
    const status = async (headers: Record<string, string>) => (await fetch(`${url}/v1/clusters`, { headers })).status
    const bearer = async (claims: object) => ({
      authorization: `Bearer ${await issuer.sign({ ...issuer.claims(new Date()), ...claims })}`,
    })
    expect(await status({})).toBe(401)
    expect(await status({ 'x-auth-token': 'nobody' })).toBe(401)
    expect(await status(await bearer({ aud: 'another' }))).toBe(401)
    expect(await status(await bearer({}))).toBe(200)
    expect(await status({ 'x-auth-token': 'ana-token' })).toBe(200)
    expect((await fetch(`${url}/v1`)).status).toBe(200)
  })

  it('comes to the first federation as docs/deploy.md says, and does not let a member be deleted', async () => {
    const place = folder ?? ''
    await Promise.all(
      NAMES.map((name, index) => writeFile(path.join(place, `${name}.kubeconfig`), servers[index]?.kubeconfig ?? '')),
    )
    const printed = await firstFederation(place, { api: `${url}/v1`, token: 'ana-token' })
    for (const name of [...NAMES, 'fleet']) expect(printed).toContain(`["${name}","CREATE_COMPLETE",null]\n`)
    expect(printed).toMatch(/\["tokyo","Ready"\]\n$/)
    for (const name of NAMES) {
      const view = await api.get<ClusterView>(`/v1/clusters/${name}`)
      expect(view.health_status).toBe('HEALTHY')
      ids[name] = view.uuid
    }
    ids.fed = (await api.get<FederationView>('/v1/federations/fleet')).uuid
    await expect(api.delete(`/v1/clusters/${ids.tokyo}`)).rejects.toThrow(ApiRefused)
  })

  it('tells consumers on the bus what began and what ended, and who asked', async () => {
    const seen: string[] = []
    await until(async () => {
      for (const { event_type, payload } of await notified.received()) {
        seen.push(`${event_type} ${payload.target.name} ${payload.outcome} ${payload.initiator.id}`)
      }
      return seen.length >= 6
    }, 60_000)
    expect(seen.toSorted()).toEqual(
      [
        ...NAMES.flatMap((name) => [
          `magnum.cluster.create ${name} pending ana`,
          `magnum.cluster.create ${name} success fedplane`,
        ]),
        'magnum.federation.create fleet pending ana',
        'magnum.federation.create fleet success fedplane',
      ].toSorted(),
    )
  })

  it('keeps everything over a deployment of a change', async () => {
    // The canary as well: its address is known only now.
    const change = { clustersPerProject: '7', publicUrl: url, canarySecretArn: await canarySecret() }
    await cdk.synth({ ...context, ...change })
    const outputs = await cdk.deploy()
    canary = Object.entries(outputs['fedplane-operations'] ?? {}).find(([name]) => /^canaryfunction/i.test(name))?.[1]
    const { clusters } = await api.get<{ clusters: { uuid: string }[] }>('/v1/clusters')
    expect(clusters.map(({ uuid }) => uuid).toSorted()).toEqual([ids.paris, ids.tokyo].toSorted())
    expect((await api.get<FederationView>(`/v1/federations/${ids.fed}`)).member_ids).toEqual([ids.tokyo])
  })

  it('lets its canary walk the main path, and take back what it made', async () => {
    const walked = { outcome: 'walked', cleaned: 0, seconds: expect.any(Number) }
    expect(await invoke(emulator, canary ?? '')).toEqual(walked)
    const own = new Api(url, { token: 'canary-token' })
    expect(await own.get('/v1/clusters')).toEqual({ clusters: [] })
    expect(await own.get('/v1/federations')).toMatchObject({ federations: [] })
  })

  it('is not destroyed while there are clusters and federations, and all goes on', async () => {
    await expect(cdk.destroy()).rejects.toThrow(/There are still 1 federation and 2 clusters in fedplane/)
    expect((await api.get<FederationView>(`/v1/federations/${ids.fed}`)).member_ids).toEqual([ids.tokyo])
  })

  it('unjoins, deletes, and leaves nothing in the clusters', async () => {
    await api.patch(`/v1/federations/${ids.fed}`, [{ op: 'remove', path: '/member_ids', value: ids.tokyo }])
    const view = await api.settled<FederationView>(`/v1/federations/${ids.fed}`, 'UPDATE_COMPLETE')
    expect(view.member_ids).toEqual([])
    await api.delete(`/v1/federations/${ids.fed}`)
    await api.gone(`/v1/federations/${ids.fed}`)
    for (const name of NAMES) {
      await api.delete(`/v1/clusters/${ids[name]}`)
      await api.gone(`/v1/clusters/${ids[name]}`)
    }
  })

  it('writes no secret into a log', async () => {
    const lines = await functionLogs(emulator)
    expect(lines.length).toBeGreaterThan(0)
    expect([await emulator.log(), ...lines].join('\n')).not.toMatch(
      /PRIVATE KEY|ana-token|service-secret|canary-secret|session-token/,
    )
  })

  it('is taken down whole', async () => {
    await cdk.destroy()
    const [tables, machines] = [new DynamoDBClient(clientOptions()), new SFNClient(clientOptions())]
    expect((await tables.send(new ListTablesCommand({}))).TableNames).toEqual([])
    expect((await machines.send(new ListStateMachinesCommand({}))).stateMachines).toEqual([])
    for (const client of [tables, machines]) client.destroy()
  })
})
