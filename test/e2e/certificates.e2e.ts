import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORITIES } from '../../functions/core/cluster/cluster.ts'
import { writeKubeconfig } from '../../functions/kubernetes/kubeconfig/write-kubeconfig.ts'
import { freePort } from '../../local/clusters/programs.ts'
import { clientOf, type StartedCluster } from '../../local/clusters/started-cluster.ts'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { type Fedplane, startFedplane } from '../../local/server.ts'
import type { KeyPair } from '../../simulated-kubernetes/pki.ts'
import { Api, type ClusterView } from '../support/api/api.ts'
import { type RecordedLog, recordedLog, textOf } from '../support/api/log.ts'
import { startTestClusters } from './support/clusters.ts'
import { type Certificate, fedplaneAuthority, RSA, signedByFedplane } from './support/signed-by-fedplane.ts'
import { clusterPath } from './support/stories.ts'

/** Keeps what it was answered. */
class RecordingApi extends Api {
  readonly answers: unknown[] = []

  override async ask<T = unknown>(method: string, path: string, body?: unknown) {
    const answer = await super.ask<T>(method, path, body)
    this.answers.push(answer)
    return answer
  }
}

const ADMIN = { commonName: 'admin', organization: 'system:masters' }

describe('a real API server whose certificate authority is held by fedplane', () => {
  let log: RecordedLog
  let fedplane: Fedplane
  let api: RecordingApi
  let set: ClusterSet<StartedCluster>
  let cluster: string
  let other: string
  let server: string

  const create = async (name: string, labels: Record<string, string>): Promise<string> => {
    const id = await api.create('/v1/clusters', { name, cluster_template_id: 'simulated', labels })
    await api.settled<ClusterView>(clusterPath(id), 'CREATE_COMPLETE')
    return id
  }

  const authorityOf = async (id: string): Promise<X509Certificate> =>
    new X509Certificate((await api.get<Certificate>(`/v1/certificates/${id}`)).pem)

  beforeAll(async () => {
    log = recordedLog()
    fedplane = await startFedplane({ log, drivers: { enabledCluster: ['memory@1'] } })
    api = new RecordingApi(fedplane.url)
    await api.ask('POST', '/v1/clustertemplates', { name: 'simulated', coe: 'kubernetes', image_id: 'none' })
    const port = await freePort()
    server = `https://127.0.0.1:${port}`
    cluster = await create('held', { 'memory-api-address': server })
    other = await create('other', {})
    const authority = await fedplaneAuthority(api, cluster)
    set = await startTestClusters(1, { controllers: false, authority, port })
  })
  afterAll(async () => {
    await set?.close()
    await fedplane?.close()
  })

  /** What `openstack coe cluster config` writes. */
  const kubeconfigWith = (authorityPem: string, address: string, pair: KeyPair): string =>
    writeKubeconfig({ name: 'default', user: 'admin', server: address, caPem: authorityPem, credential: pair })

  const namespacesAs = async (pair: KeyPair): Promise<{ status: number; text: string }> => {
    const { api_address } = await api.get<ClusterView>(clusterPath(cluster))
    const { pem } = await api.get<Certificate>(`/v1/certificates/${cluster}`)
    const client = clientOf({ kubeconfig: kubeconfigWith(pem, api_address ?? '', pair), context: 'default' })
    try {
      const { status, body } = await client.raw('/api/v1/namespaces')
      return { status, text: String(body) }
    } finally {
      client.close()
    }
  }

  it('lists namespaces for CN admin, O system:masters, with a request as the CLI makes it', async () => {
    const { status, text } = await namespacesAs(await signedByFedplane(api, cluster, ADMIN, RSA))
    expect([status, text]).toEqual([200, expect.stringContaining('kube-system')])
  })

  it('knows whom a certificate names, and forbids what they may not do', async () => {
    const { status, text } = await namespacesAs(await signedByFedplane(api, cluster, { commonName: 'carol' }))
    expect([status, text]).toEqual([403, expect.stringContaining('carol')])
  })

  it("refuses a certificate of another cluster's authority", async () => {
    const { status } = await namespacesAs(await signedByFedplane(api, other, ADMIN))
    expect(status).toBe(401)
  })

  it('gives the cluster another authority by a rotation, which signs from then on', async () => {
    const before = await authorityOf(cluster)
    const old = new X509Certificate((await signedByFedplane(api, cluster, ADMIN)).certificatePem)
    await api.ask('PATCH', `/v1/certificates/${cluster}`)
    await api.settled<ClusterView>(clusterPath(cluster), 'UPDATE_COMPLETE')
    const after = await authorityOf(cluster)
    const made = new X509Certificate((await signedByFedplane(api, cluster, ADMIN)).certificatePem)
    expect(after.fingerprint256).not.toBe(before.fingerprint256)
    expect([made.verify(after.publicKey), made.checkIssued(after), made.verify(before.publicKey)]).toEqual([
      true,
      true,
      false,
    ])
    expect([old.verify(before.publicKey), old.verify(after.publicKey)]).toEqual([true, false])
  })

  it('never shows a private key', async () => {
    const { certificates } = fedplane.ports.stores
    const { project_id: projectId } = await api.get<{ project_id: string }>(clusterPath(cluster))
    const keys = await Promise.all(
      AUTHORITIES.map((type) => certificates.open({ projectId, clusterId: cluster, type, candidate: false })),
    )
    const lines = keys.map((held) => held?.privateKey.reveal().split('\n')[1] ?? '')
    expect(lines.every((line) => line.length === 64)).toBe(true)
    const shown = JSON.stringify(api.answers) + textOf(log)
    expect([...lines, 'PRIVATE KEY'].filter((secret) => shown.includes(secret))).toEqual([])
    expect(log.lines.some(({ message }) => message === 'certificate signed')).toBe(true)
  })
})
