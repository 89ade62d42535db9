import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Api, ApiRefused, type ClusterView, type FederationView } from '../../local/demo/api.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../local/simulated-kubernetes/start.ts'
import { AUDIENCE, IssuerStandIn } from '../support/authorizer/issuer-stand-in.ts'
import { KeystoneStandIn, SERVICE_SECRET } from '../support/authorizer/keystone-stand-in.ts'
import { Cdk } from './support/cdk.ts'
import { type Emulator, REGION, startEmulator } from './support/emulator.ts'
import { functionLogs } from './support/function-logs.ts'

/** Of the emulator's log when a test fails, characters. */
const LOG_SHOWN = 8_000

describe('deployed to an emulator of AWS', () => {
  let emulator: Emulator
  let keystone: KeystoneStandIn
  let issuer: IssuerStandIn
  let folder: string | undefined
  let cdk: Cdk
  let url: string
  let api: Api
  let servers: SimulatedKubernetes[]
  const ids: Record<string, string> = {}
  const context: Record<string, string> = {
    throwAway: 'true',
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
    const secrets = new SecretsManagerClient(clientOptions())
    const { ARN } = await secrets.send(
      new CreateSecretCommand({
        Name: 'fedplane/keystone',
        SecretString: JSON.stringify({
          application_credential_id: 'fedplane',
          application_credential_secret: SERVICE_SECRET,
        }),
      }),
    )
    secrets.destroy()
    Object.assign(context, { keystoneUrl: keystone.url, keystoneSecretArn: ARN, oidcIssuer: issuer.url })
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

  it('deploys every stack', async () => {
    await cdk.synth(context)
    await cdk.bootstrap()
    const outputs = await cdk.deploy()
    // The emulator knows an API by the host name, which needs a resolver, or by this path.
    const [id] = new URL(outputs['fedplane-api']?.url ?? '').hostname.split('.')
    url = `${clientOptions().endpoint}/_aws/execute-api/${id}/$default`
    api = new Api(url, { token: 'ana-token' })
    expect(Object.keys(outputs)).toContain('fedplane-data')
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

  it('registers clusters, federates them, and does not let a member be deleted', async () => {
    const names = ['paris', 'tokyo'] as const
    for (const [index, name] of names.entries()) {
      ids[name] = await api.create('/v1/clusters', { name, kubeconfig: servers[index]?.kubeconfig })
    }
    for (const name of names) {
      const view = await api.settled<ClusterView>(`/v1/clusters/${ids[name]}`, 'CREATE_COMPLETE')
      expect(view.health_status).toBe('HEALTHY')
    }
    ids.fed = await api.create('/v1/federations', {
      name: 'fed',
      hostcluster_id: ids.paris,
      driver: 'clusterprofile@1',
      member_ids: [ids.tokyo],
    })
    const view = await api.settled<FederationView>(`/v1/federations/${ids.fed}`, 'CREATE_COMPLETE')
    expect(view.members).toMatchObject([{ cluster_id: ids.tokyo, state: 'Ready' }])
    await expect(api.delete(`/v1/clusters/${ids.tokyo}`)).rejects.toThrow(ApiRefused)
  })

  it('keeps everything over a deployment of a change', async () => {
    await cdk.synth({ ...context, clustersPerProject: '7' })
    await cdk.deploy()
    const { clusters } = await api.get<{ clusters: { uuid: string }[] }>('/v1/clusters')
    expect(clusters.map(({ uuid }) => uuid).toSorted()).toEqual([ids.paris, ids.tokyo].toSorted())
    expect((await api.get<FederationView>(`/v1/federations/${ids.fed}`)).member_ids).toEqual([ids.tokyo])
  })

  it('unjoins, deletes, and leaves nothing in the clusters', async () => {
    await api.patch(`/v1/federations/${ids.fed}`, [{ op: 'remove', path: '/member_ids', value: ids.tokyo }])
    const view = await api.settled<FederationView>(`/v1/federations/${ids.fed}`, 'UPDATE_COMPLETE')
    expect(view.member_ids).toEqual([])
    await api.delete(`/v1/federations/${ids.fed}`)
    await api.gone(`/v1/federations/${ids.fed}`)
    for (const name of ['paris', 'tokyo']) {
      await api.delete(`/v1/clusters/${ids[name]}`)
      await api.gone(`/v1/clusters/${ids[name]}`)
    }
  })

  it('writes no secret into a log', async () => {
    const lines = await functionLogs(emulator)
    expect(lines.length).toBeGreaterThan(0)
    expect([await emulator.log(), ...lines].join('\n')).not.toMatch(/PRIVATE KEY|ana-token|service-secret/)
  })

  it('is taken down whole', async () => {
    await cdk.destroy()
    const [tables, machines] = [new DynamoDBClient(clientOptions()), new SFNClient(clientOptions())]
    expect((await tables.send(new ListTablesCommand({}))).TableNames).toEqual([])
    expect((await machines.send(new ListStateMachinesCommand({}))).stateMachines).toEqual([])
    for (const client of [tables, machines]) client.destroy()
  })
})
