import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ApiApp, apiApp } from '../../functions/api/app.ts'
import { clusterAccess } from '../../functions/core/access/cluster-access.ts'
import { kubeconfigKey } from '../../functions/core/access/credentials.ts'
import type { Cluster } from '../../functions/core/cluster/cluster.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { localOpenApi } from '../../local/open-api.ts'
import { callApp } from '../support/api/lab.ts'
import { startEksCluster } from '../support/aws/eks-cluster.ts'
import { type EksLab, EXTERNAL_ID, eksWorld, MEMBER_ROLE, openEksLab } from '../support/drivers/eks-lab.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { key } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, history } from '../support/flows/look.ts'
import { makeCa } from '../support/kubernetes/tls.ts'
import { defaultPolicy } from '../support/policy.ts'

/** A cluster that AWS knows, from POST to DELETE: API, flows, sweep and driver over stand-ins on loopback. */

const world = eksWorld()
let lab: FlowLab
let app: ApiApp
let aws: EksLab

beforeAll(async () => {
  await world.aws.start()
  lab = await openFlowLab({ clusterDriver: world.driver, connect })
  app = apiApp(lab.ports, {
    baseUrl: 'http://127.0.0.1:9511',
    trustForwarded: false,
    policy: defaultPolicy,
    openApi: localOpenApi,
    clustersPerProject: 1000,
  })
})
afterAll(async () => {
  await Promise.all([lab.dispose(), world.aws.close()])
})
beforeEach(async () => {
  world.aws.roles.set(MEMBER_ROLE, { externalId: EXTERNAL_ID, sessionName: 'fedplane-blue' })
  aws = await openEksLab(world)
})
afterEach(() => aws.close())

const call = (method: string, target: string, body?: unknown) =>
  callApp(app, method, target, body === undefined ? {} : { body })

/** Registers the cluster of the test, and waits for the flow's end. */
const register = async (eks: object = {}): Promise<Cluster> => {
  const { body } = await call('POST', '/v1/clusters', {
    name: 'tokyo',
    eks: { ...(aws.driverState?.eks as object), external_id: EXTERNAL_ID, ...eks },
  })
  const { operation } = (await clusterOf(lab, body.uuid)) as Cluster
  await ended(lab, { flow: 'cluster-create', name: `${operation?.id}-1` })
  return (await clusterOf(lab, body.uuid)) as Cluster
}

const remove = async ({ id }: Cluster): Promise<void> => {
  const { status } = await call('DELETE', `/v1/clusters/${id}`)
  expect(status).toBe(204)
  const { operation } = (await clusterOf(lab, id)) as Cluster
  await ended(lab, { flow: 'cluster-delete', name: `${operation?.id}-1` })
}

describe('a cluster that is registered by name and Region', () => {
  it('is found, proved and watched; and is forgotten, with its external ID, on DELETE', async () => {
    const cluster = await register()
    expect(cluster.statusReason).toBeNull()
    const { body } = await call('GET', `/v1/clusters/${cluster.id}`)
    expect(body).toMatchObject({
      status: 'CREATE_COMPLETE',
      health_status: 'HEALTHY',
      api_address: aws.eks.server,
      coe_version: expect.stringMatching(/^v1\./),
      tls_verify: true,
    })
    expect((await call('GET', `/v1/certificates/${cluster.id}`)).body.pem).toBe(aws.eks.caPem)
    await remove(cluster)
    expect((await call('GET', `/v1/clusters/${cluster.id}`)).status).toBe(404)
    expect(await lab.ports.stores.credentials.get(kubeconfigKey(key(cluster.id)))).toBeUndefined()
    expect(await history(lab, 'cluster', cluster.id)).toContain('create success Created')
  })

  it('is CREATE_FAILED with what to do, when its role may not be assumed; deleted, it can be registered again', async () => {
    const failed = await register({ external_id: 'another' })
    expect(failed).toMatchObject({
      status: 'CREATE_FAILED',
      statusReason: expect.stringMatching(/^AwsAccessDenied: .*trust policy must allow sts:AssumeRole/),
    })
    await remove(failed)
    const cluster = await register()
    expect(cluster.status).toBe('CREATE_COMPLETE')
    await remove(cluster)
  })

  it('is registered once in a project', async () => {
    const first = await register()
    const second = await register()
    expect(second.status).toBe('CREATE_FAILED')
    expect(second.statusReason).toMatch(/^ClusterAlreadyRegistered: /)
    await remove(second)
    await remove(first)
  })
})

describe('a cluster whose authority was replaced', () => {
  /** The same cluster, under another authority: what is stored does not verify it. */
  const moved = async (cluster: Cluster): Promise<void> => {
    const { certificatePem } = await makeCa('an authority of old')
    const stale = { ...(cluster.endpoint as NonNullable<Cluster['endpoint']>), caPem: certificatePem }
    await lab.ports.stores.commit([lab.ports.stores.clusters.change(cluster, { endpoint: stale })])
  }

  it('is found again by whoever uses it, and where it is now is stored', async () => {
    const cluster = await register()
    await moved(cluster)
    const access = clusterAccess(lab.ports, (await clusterOf(lab, cluster.id)) as Cluster)
    expect((await (await access.client()).version()).gitVersion).toBe(cluster.observation?.version)
    access.close()
    expect((await clusterOf(lab, cluster.id))?.endpoint).toEqual(cluster.endpoint)
    await remove(cluster)
  })

  it('is not brought back to where it was found, when it was given another address meanwhile', async () => {
    const cluster = await register()
    await moved(cluster)
    const read = (await clusterOf(lab, cluster.id)) as Cluster
    const { clusters, commit } = lab.ports.stores
    const given = { ...(cluster.endpoint as NonNullable<Cluster['endpoint']>), serverForPeers: 'https://10.0.0.9' }
    await commit([clusters.change(read, { endpoint: given })])
    const access = clusterAccess(lab.ports, read)
    await access.client()
    access.close()
    expect((await clusterOf(lab, cluster.id))?.endpoint).toEqual(given)
    await remove(cluster)
  })

  it('is found again by the health sweep, which holds nothing against it', async () => {
    const cluster = await register()
    await moved(cluster)
    for (let minute = 0; minute < 5; minute++) {
      lab.clock.advance(60_000)
      expect(await sweepHealth(lab.ports)).toMatchObject({ failed: 0 })
    }
    expect(await clusterOf(lab, cluster.id)).toMatchObject({
      endpoint: cluster.endpoint,
      observation: { healthStatus: 'HEALTHY' },
    })
    await remove(cluster)
  })
})

describe('a cluster that was made anew under its name', () => {
  it('is not taken for the registered one, by nobody', async () => {
    const cluster = await register()
    await aws.close()
    const another = await startEksCluster(world.aws, { name: aws.name, entries: [MEMBER_ROLE] })
    world.aws.clusters.set(aws.name, { status: 'ACTIVE', endpoint: another.server, caPem: another.caPem })
    const access = clusterAccess(lab.ports, (await clusterOf(lab, cluster.id)) as Cluster)
    await expect(access.client()).rejects.toMatchObject({ name: 'ClusterIdentityChanged' })
    lab.clock.advance(5 * 60_000)
    for (let minute = 0; minute < 6; minute++) {
      lab.clock.advance(60_000)
      await sweepHealth(lab.ports)
    }
    const seen = await clusterOf(lab, cluster.id)
    expect(seen?.endpoint).toEqual(cluster.endpoint)
    expect(seen?.observation).toMatchObject({
      healthStatus: 'UNHEALTHY',
      healthReason: { api: expect.stringContaining('is not the registered one') },
    })
    await another.close()
    await remove(cluster)
  })

  it('is reported as gone, when EKS does not know it any more', async () => {
    const cluster = await register()
    await aws.close()
    world.aws.clusters.delete(aws.name)
    for (let minute = 0; minute < 6; minute++) {
      lab.clock.advance(60_000)
      await sweepHealth(lab.ports)
    }
    expect((await clusterOf(lab, cluster.id))?.observation?.healthReason.api).toContain('There is no EKS cluster')
    await remove(cluster)
  })
})
