import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConnectTimedOut } from '../../../functions/kubernetes/errors.ts'
import {
  changeCluster,
  givenCluster,
  givenFederation,
  readCluster,
  readFederation,
} from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const nothing = async () => ({ wouldMake: [], findings: [] })
afterEach(() => {
  lab.preflights.host = nothing
  lab.preflights.member = nothing
})

const kubernetesCluster = async (name: string): Promise<string> => {
  const { body } = await lab.call('POST', '/v1/clusters', { body: { name, kubeconfig: kubeconfigText() } })
  await changeCluster(lab, body.uuid, { status: 'CREATE_COMPLETE', operation: null })
  return body.uuid
}

describe('POST /v1/federations?dry_run=true', () => {
  it('tells what would be made and what would fail, and stores nothing', async () => {
    const [host, member] = [await kubernetesCluster('dry-host'), await kubernetesCluster('dry-member')]
    lab.preflights.host = async () => ({ wouldMake: ['a namespace'], findings: [] })
    lab.preflights.member = async (name) => ({
      wouldMake: [`an account for ${name}`],
      findings: [{ severity: 'warning', reason: 'OldVersion', message: 'It is old.' }],
    })
    const before = lab.executions.starts.length
    const answer = await lab.call('POST', '/v1/federations?dry_run=true', {
      body: { driver: 'kube@1', hostcluster_id: host, member_ids: [member] },
    })
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        would_make: ['dry-host: a namespace', 'dry-member: an account for dry-member'],
        findings: [{ severity: 'warning', reason: 'OldVersion', message: 'It is old.', cluster_id: member }],
      },
    ])
    expect((await lab.call('GET', '/v1/federations')).body.federations).toEqual([])
    expect([(await readCluster(lab, host)).uses, lab.executions.starts.length]).toEqual([[], before])
  })

  it('makes a finding of a cluster that can not be reached', async () => {
    const host = await kubernetesCluster('mute-host')
    lab.preflights.host = () => Promise.reject(new ConnectTimedOut('The API server did not answer within 3 s.'))
    const { body } = await lab.call('POST', '/v1/federations?dry_run=true', {
      body: { driver: 'kube@1', hostcluster_id: host },
    })
    expect(body.findings).toEqual([
      {
        severity: 'error',
        reason: 'ConnectTimedOut',
        message: 'The API server did not answer within 3 s.',
        cluster_id: host,
      },
    ])
  })

  it('shows nothing of an unexpected error', async () => {
    const host = await kubernetesCluster('odd-host')
    lab.preflights.host = () => Promise.reject(new Error('secret detail'))
    const { status, text } = await lab.call('POST', '/v1/federations?dry_run=true', {
      body: { driver: 'kube@1', hostcluster_id: host },
    })
    expect([status, text.includes('secret detail')]).toEqual([500, false])
  })

  it('refuses what the request itself has wrong', async () => {
    const { status } = await lab.call('POST', '/v1/federations?dry_run=true', { body: { hostcluster_id: 'nobody' } })
    expect(status).toBe(404)
  })
})

describe('PATCH ?dry_run=true', () => {
  it('checks the clusters that would join, and changes nothing', async () => {
    const { id } = await givenFederation(lab)
    const cluster = await givenCluster(lab, { name: 'would-join' })
    lab.preflights.host = () => Promise.reject(new Error('the host is not asked'))
    lab.preflights.member = async () => ({ wouldMake: ['an account'], findings: [] })
    const before = await readFederation(lab, id)
    const { status, body } = await lab.call('PATCH', `/v1/federations/${id}?dry_run=true`, {
      body: [{ op: 'add', path: '/member_ids', value: cluster }],
    })
    expect([status, body]).toEqual([200, { would_make: ['would-join: an account'], findings: [] }])
    expect(await readFederation(lab, id)).toEqual(before)
  })

  it('refuses what PATCH refuses', async () => {
    const member = await givenCluster(lab)
    const { id } = await givenFederation(lab, { members: [member] })
    const { status } = await lab.call('PATCH', `/v1/federations/${id}?dry_run=true`, {
      body: [{ op: 'add', path: '/member_ids', value: member }],
    })
    expect(status).toBe(409)
  })
})
