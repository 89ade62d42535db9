import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ApiApp, apiApp } from '../../functions/api/app.ts'
import type { Cluster } from '../../functions/core/cluster/cluster.ts'
import type { Principal } from '../../functions/core/values/identity.ts'
import { externalV1 } from '../../functions/drivers/cluster/external/v1/index.ts'
import type { Connect } from '../../functions/kubernetes/client.ts'
import { newAuthority } from '../../simulated-kubernetes/pki.ts'
import {
  type SimulatedKubernetes,
  type SimulationOptions,
  startSimulatedKubernetes,
} from '../../simulated-kubernetes/start.ts'
import { API_SETTINGS, callApp } from '../support/api/lab.ts'
import { ALICE } from '../support/api/request.ts'
import { connect } from '../support/drivers/test-cluster.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, history, latestOf, messages } from '../support/flows/look.ts'
import { until } from '../support/local/engine-lab.ts'

/** What counts as the same cluster when another kubeconfig comes (decision 0029): API, flow and driver over simulated API servers. */

const member = (userId: string): Principal => ({ ...ALICE, userId, roles: ['member', 'reader'], source: 'token-file' })
const OWNER = member('olga')
const MALLORY = member('mallory')

const NAMESPACES = { group: '', plural: 'namespaces' }

/** What went over each connection: `<server> <credential>`. */
const sent = new Set<string>()
const watched: Connect = (connection) => {
  const { server, credential } = connection
  sent.add(`${server} ${credential.kind === 'token' ? credential.token.reveal() : 'certificate'}`)
  return connect(connection)
}

let lab: FlowLab
let app: ApiApp
beforeAll(async () => {
  lab = await openFlowLab({ clusterDriver: externalV1, connect: watched })
  app = apiApp(lab.ports, API_SETTINGS)
})
afterAll(() => lab.dispose())

const open: SimulatedKubernetes[] = []
const start = async (options?: SimulationOptions): Promise<SimulatedKubernetes> => {
  const server = await startSimulatedKubernetes(options)
  open.push(server)
  return server
}
/** Nobody answers at its address any more. */
const stop = async (server: SimulatedKubernetes): Promise<void> => {
  open.splice(open.indexOf(server), 1)
  await server.close()
}
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())))

const uidOf = ({ cluster }: SimulatedKubernetes): string =>
  cluster.store.get(NAMESPACES, 'kube-system')?.object.metadata.uid ?? ''

/** Another cluster that answers with the uid of the first: whoever may read the namespace knows it. */
const impostorOf = async (real: SimulatedKubernetes, options?: SimulationOptions): Promise<SimulatedKubernetes> => {
  const server = await start(options)
  const stored = server.cluster.store.get(NAMESPACES, 'kube-system')
  if (stored === undefined) throw new Error('it has no kube-system')
  const { object, ownership } = stored
  server.cluster.store.put(NAMESPACES, {
    object: { ...object, metadata: { ...object.metadata, uid: uidOf(real) } },
    ownership,
  })
  return server
}

const call = (as: Principal, method: string, target: string, body?: unknown) =>
  callApp(app, method, target, body === undefined ? { as } : { as, body })

let real: SimulatedKubernetes
let id = ''
beforeEach(async () => {
  sent.clear()
  real = await start()
  const { body } = await call(OWNER, 'POST', '/v1/clusters', { name: 'prod', kubeconfig: real.kubeconfig })
  id = body.uuid
  await ended(lab, await latestOf(lab, 'cluster-create', id))
  expect((await clusterOf(lab, id))?.status).toBe('CREATE_COMPLETE')
})

const replace = async (as: Principal, kubeconfig: string, query = ''): Promise<Cluster> => {
  const { status, body } = await call(as, 'PATCH', `/v1/clusters/${id}${query}`, [
    { op: 'replace', path: '/kubeconfig', value: kubeconfig },
  ])
  expect([status, body?.errors?.[0].detail]).toEqual([202, undefined])
  await ended(lab, await latestOf(lab, 'cluster-update', id))
  return (await clusterOf(lab, id)) as Cluster
}

const REFUSED = { status: 'UPDATE_FAILED', statusReason: expect.stringMatching(/^ClusterIdentityNotProved: /) }
const TAKEN = { status: 'UPDATE_COMPLETE', statusReason: null }
const at = ({ server, caPem }: SimulatedKubernetes) => ({
  endpoint: expect.objectContaining({ server, caPem: expect.stringContaining(caPem.trim()) }),
})

/** Namespaces of marks that are there. */
const marksIn = ({ cluster }: SimulatedKubernetes): string[] =>
  cluster.store
    .list(NAMESPACES)
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('fedplane-identity-'))

/** A namespace takes a moment to end. */
const markGone = (server: SimulatedKubernetes) => until(() => marksIn(server).length === 0)

describe('a colleague who sends a kubeconfig', () => {
  it('of an impostor with the same uid changes nothing', async () => {
    const cluster = await replace(MALLORY, (await impostorOf(real)).kubeconfig)
    expect(cluster).toMatchObject({ ...REFUSED, ...at(real) })
    expect(cluster.statusReason).toContain('a mark that was written by the known kubeconfig is not there')
    await markGone(real)
  })

  it('of an impostor, while the real one is down, changes nothing', async () => {
    const impostor = await impostorOf(real)
    await stop(real)
    const cluster = await replace(MALLORY, impostor.kubeconfig)
    expect(cluster).toMatchObject({ ...REFUSED, ...at(real) })
    expect(cluster.statusReason).toContain('a mark could not be written by the known kubeconfig')
  })

  it('of another cluster is never told which uid was expected', async () => {
    const cluster = await replace(MALLORY, (await start()).kubeconfig)
    expect(cluster).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: expect.stringMatching(/^ClusterIdentityCh/),
    })
    const told = [cluster.statusReason, ...(await messages(lab, 'cluster', id))].join('\n')
    expect(told).not.toContain(uidOf(real))
  })

  it('that does not verify TLS changes nothing', async () => {
    const impostor = await impostorOf(real)
    const kubeconfig = impostor.kubeconfig.replace(/certificate-authority-data: .*/, 'insecure-skip-tls-verify: true')
    const body = [
      { op: 'replace', path: '/kubeconfig', value: kubeconfig },
      { op: 'replace', path: '/insecure_skip_tls_verify', value: true },
    ]
    expect((await call(MALLORY, 'PATCH', `/v1/clusters/${id}`, body)).status).toBe(202)
    await ended(lab, await latestOf(lab, 'cluster-update', id))
    expect(await clusterOf(lab, id)).toMatchObject({ ...REFUSED, ...at(real) })
  })

  it('of another address of it under the same CA is believed', async () => {
    const authority = await newAuthority('shared CA')
    real = await start({ authority })
    const { body } = await call(OWNER, 'POST', '/v1/clusters', { name: 'twin', kubeconfig: real.kubeconfig })
    id = body.uuid
    await ended(lab, await latestOf(lab, 'cluster-create', id))
    const moved = await start({ authority, cluster: real.cluster })
    expect(await replace(MALLORY, moved.kubeconfig)).toMatchObject({ ...TAKEN, ...at(moved) })
    await markGone(real)
  })

  describe('under the same private CA with another name, which a company gives to many clusters', () => {
    const elsewhere = ({ kubeconfig }: SimulatedKubernetes): string => kubeconfig.replace('127.0.0.1', 'localhost')
    let authority: Awaited<ReturnType<typeof newAuthority>>
    beforeEach(async () => {
      authority = await newAuthority('company CA')
      real = await start({ authority })
      const { body } = await call(OWNER, 'POST', '/v1/clusters', { name: 'shop', kubeconfig: real.kubeconfig })
      id = body.uuid
      await ended(lab, await latestOf(lab, 'cluster-create', id))
    })

    it('of an impostor changes nothing', async () => {
      const impostor = await impostorOf(real, { authority })
      expect(await replace(MALLORY, elsewhere(impostor))).toMatchObject({ ...REFUSED, ...at(real) })
    })

    it('of another address of it is believed by a mark', async () => {
      const moved = await start({ authority, cluster: real.cluster })
      expect(await replace(MALLORY, elsewhere(moved))).toMatchObject(TAKEN)
      await markGone(real)
    })

    it('is believed where nobody answers at the known address any more: a cluster that moved, with its own CA', async () => {
      const { cluster } = real
      await stop(real)
      expect(await replace(MALLORY, elsewhere(await start({ authority, cluster })))).toMatchObject(TAKEN)
    })
  })

  it('of another address of it under another CA is believed by a mark, which goes again', async () => {
    const moved = await start({ cluster: real.cluster })
    expect(await replace(MALLORY, moved.kubeconfig)).toMatchObject({ ...TAKEN, ...at(moved) })
    await markGone(real)
    expect(await history(lab, 'cluster', id)).not.toContain('update pending IdentityAccepted')
  })

  it('can not vouch', async () => {
    const { status, body } = await call(MALLORY, 'PATCH', `/v1/clusters/${id}?accept_identity=true`, [
      { op: 'replace', path: '/kubeconfig', value: (await impostorOf(real)).kubeconfig },
    ])
    expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('cluster:accept_identity')])
    expect((await clusterOf(lab, id))?.status).toBe('CREATE_COMPLETE')
  })
})

describe('whoever vouches', () => {
  it('is the owner, by sending it; the history says so', async () => {
    const rebuilt = await impostorOf(real)
    await stop(real)
    expect(await replace(OWNER, rebuilt.kubeconfig)).toMatchObject({ ...TAKEN, ...at(rebuilt) })
    expect(await messages(lab, 'cluster', id)).toContainEqual(
      'User olga vouches that the new endpoint is cluster prod: its certificate authority is another one.',
    )
  })

  it('is an administrator who says so, and none who does not', async () => {
    const rebuilt = await impostorOf(real)
    await stop(real)
    expect(await replace(ALICE, rebuilt.kubeconfig)).toMatchObject(REFUSED)
    expect(await replace(ALICE, rebuilt.kubeconfig, '?accept_identity=true')).toMatchObject({
      ...TAKEN,
      ...at(rebuilt),
    })
    expect(await messages(lab, 'cluster', id)).toContainEqual(expect.stringMatching(/^User alice vouches /))
  })

  it('of a cluster with another uid is nobody', async () => {
    expect(await replace(ALICE, (await start()).kubeconfig, '?accept_identity=true')).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: expect.stringMatching(/^ClusterIdentityChanged/),
    })
  })
})

describe('a cluster that another project may use', () => {
  beforeEach(async () => {
    const grant = { project_id: 'green', actions: ['join'] }
    expect((await call(OWNER, 'POST', `/v1/clusters/${id}/grants`, grant)).status).toBe(201)
  })

  it('is not vouched for by its owner, but by an administrator', async () => {
    const rebuilt = await impostorOf(real)
    await stop(real)
    expect(await replace(OWNER, rebuilt.kubeconfig)).toMatchObject(REFUSED)
    expect(await replace(ALICE, rebuilt.kubeconfig, '?accept_identity=true')).toMatchObject(TAKEN)
  })
})

it('sends the known credential to the known address only', async () => {
  const moved = await start({ cluster: real.cluster })
  const impostor = await impostorOf(real)
  await replace(MALLORY, impostor.kubeconfig)
  await replace(MALLORY, moved.kubeconfig.replace(moved.token, real.token))
  expect([...sent].filter((one) => one.startsWith(`${impostor.server} `))).toEqual([
    `${impostor.server} ${impostor.token}`,
  ])
})

it('asks for a change of the kubeconfig beside "accept_identity"', async () => {
  const { status, body } = await call(ALICE, 'PATCH', `/v1/clusters/${id}?accept_identity=true`, [
    { op: 'replace', path: '/health_status', value: 'HEALTHY' },
  ])
  expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('"?accept_identity=true" goes with')])
})
