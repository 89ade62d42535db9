import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeSystemUid } from '../../functions/drivers/support/registered/phases.ts'
import { writeKubeconfig } from '../../functions/kubernetes/kubeconfig/write-kubeconfig.ts'
import { clientOf } from '../../local/clusters/started-cluster.ts'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { type Fedplane, startFedplane } from '../../local/server.ts'
import { json, makeCa, startTlsServer, type TestServer } from '../support/kubernetes/tls.ts'
import { until } from '../support/local/engine-lab.ts'
import { takeClusters } from './support/clusters.ts'

/** What an attacker of the project did, against real API servers (issue on access, point 1 a and b, and point 4). */

type Who = 'olga' | 'mallory' | 'root'
const TOKENS = {
  'token-of-olga': { userId: 'olga', projectId: 'blue', roles: ['member'] },
  'token-of-mallory': { userId: 'mallory', projectId: 'blue', roles: ['member'] },
  'token-of-root': { userId: 'root', projectId: 'blue', roles: ['admin'] },
}

type Answered = {
  status: number
  body: { uuid?: string; status?: string; status_reason?: string } & Record<string, unknown>
  text: string
}

const NOT_FOUND = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }

/** What an API server answers to a review that allows everything. */
const reviewAt = (url: string) => {
  const [, , group = ''] = url.split('/')
  const kind = url.endsWith('selfsubjectreviews') ? 'SelfSubjectReview' : 'SelfSubjectAccessReview'
  const status = { userInfo: { username: 'admin' }, allowed: true }
  return { kind, apiVersion: `${group}/v1`, metadata: {}, status }
}

describe('a member of the project who registered a cluster of their own', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fedplane-ways-in-'))
  let set: ClusterSet
  let fedplane: Fedplane
  let impostor: TestServer
  let impostorKubeconfig: string
  let uid: string
  let [prod, own] = ['', '']

  const call = async (who: Who, method: string, target: string, body?: unknown): Promise<Answered> => {
    const answer = await fetch(`${fedplane.url}${target}`, {
      method,
      headers: { 'X-Auth-Token': `token-of-${who}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text), text }
  }

  const settled = async (target: string): Promise<Answered['body']> => {
    return until(async () => {
      const { body } = await call('root', 'GET', target)
      return !body.status?.endsWith('_IN_PROGRESS') && body
    }, 240_000)
  }

  const register = async (who: Who, index: number): Promise<string> => {
    const { name, kubeconfig, context } = set.clusters[index]!
    const { body } = await call(who, 'POST', '/v1/clusters', { name, kubeconfig, context })
    expect(await settled(`/v1/clusters/${body.uuid}`)).toMatchObject({ status: 'CREATE_COMPLETE' })
    return body.uuid ?? ''
  }

  /** Answers as the cluster does where identity is asked for, under a CA of its own. */
  const startImpostor = async (): Promise<void> => {
    const ca = await makeCa('impostor')
    const answers: Record<string, unknown> = {
      '/version': { gitVersion: 'v1.36.3', major: '1', minor: '36' },
      '/api/v1/namespaces/kube-system': { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'kube-system', uid } },
      '/api/v1/nodes': { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items: [] },
    }
    impostor = await startTlsServer(await ca.issue({ ips: ['127.0.0.1'] }), ({ method, url }, response) => {
      const found = method === 'POST' ? reviewAt(url) : answers[url.split('?')[0] ?? '']
      json(response, found === undefined ? 404 : 200, found ?? NOT_FOUND)
    })
    impostorKubeconfig = writeKubeconfig({
      name: 'x',
      user: 'x',
      server: `https://127.0.0.1:${impostor.port}`,
      caPem: ca.certificatePem,
      credential: { token: 'token-of-the-impostor' },
    })
  }

  beforeAll(async () => {
    const tokensFile = path.join(folder, 'tokens.json')
    writeFileSync(tokensFile, JSON.stringify(TOKENS), { mode: 0o600 })
    set = await takeClusters(2)
    fedplane = await startFedplane({ tokensFile })
    const client = clientOf(set.clusters[0]!)
    uid = await kubeSystemUid(client)
    client.close()
    await startImpostor()
    prod = await register('olga', 0)
    own = await register('mallory', 1)
  })
  afterAll(async () => {
    await fedplane?.close()
    await impostor?.close()
    await set?.close()
    rmSync(folder, { recursive: true })
  })

  const federate = (who: Who, role: string): Promise<Answered> =>
    call(who, 'POST', '/v1/federations', {
      driver: 'clusterprofile@1',
      hostcluster_id: own,
      member_ids: [prod],
      properties: { 'member-role': role },
    })
  const replaceKubeconfig = (who: Who, query = ''): Promise<Answered> =>
    call(who, 'PATCH', `/v1/clusters/${prod}${query}`, [
      { op: 'replace', path: '/kubeconfig', value: impostorKubeconfig },
    ])

  it('gets no more than edit in a colleague’s cluster, by a federation with a host of their own', async () => {
    expect(await federate('mallory', 'cluster-admin')).toMatchObject({
      status: 403,
      text: expect.stringContaining('cluster:join'),
    })
    const { status, body } = await federate('mallory', 'view')
    expect(status).toBe(202)
    const federation = `/v1/federations/${body.uuid}`
    expect(await settled(federation)).toMatchObject({ status: 'CREATE_COMPLETE', member_ids: [prod] })
    const raise = [{ op: 'replace', path: '/properties', value: { 'member-role': 'cluster-admin' } }]
    expect(await call('mallory', 'PATCH', federation, raise)).toMatchObject({ status: 403 })
    expect((await call('mallory', 'DELETE', federation)).status).toBe(204)
    await expect.poll(async () => (await call('root', 'GET', federation)).status, { timeout: 240_000 }).toBe(404)
  })

  it('does not have an impostor with the same uid taken for it, nor is reported the uid', async () => {
    const credentials = () => impostor.seen.map(({ headers }) => headers.authorization)
    expect((await replaceKubeconfig('mallory')).status).toBe(202)
    const view = await settled(`/v1/clusters/${prod}`)
    expect(view).toMatchObject({
      status: 'UPDATE_FAILED',
      status_reason: expect.stringContaining('ClusterIdentityNotProved'),
    })
    expect(JSON.stringify(view)).not.toContain(uid)
    expect(new Set(credentials())).toEqual(new Set(['Bearer token-of-the-impostor']))
    expect(await replaceKubeconfig('mallory', '?accept_identity=true')).toMatchObject({ status: 403 })
  })

  it('leaves nothing of the comparison in the cluster', async () => {
    const client = clientOf(set.clusters[0]!)
    const names = async () => {
      const { items } = await client.list({ group: '', version: 'v1', plural: 'namespaces' })
      return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('fedplane-identity-'))
    }
    await expect.poll(names, { timeout: 240_000 }).toEqual([])
    client.close()
  })
})
