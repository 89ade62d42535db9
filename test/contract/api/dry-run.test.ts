import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { shortId } from '../../../functions/core/values/ids.ts'
import type { ObjectRef } from '../../../functions/core/values/object-ref.ts'
import { ConnectTimedOut } from '../../../functions/kubernetes/errors.ts'
import {
  changeCluster,
  endMembership,
  givenCluster,
  givenFederation,
  readCluster,
  readFederation,
  readMembership,
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
  lab.preflights.update = nothing
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
        would_succeed: true,
        findings: [{ severity: 'warning', reason: 'OldVersion', message: 'It is old.', cluster_id: member }],
        would_make: ['dry-host: a namespace', 'dry-member: an account for dry-member'],
      },
    ])
    expect(Object.keys(answer.body)).toEqual(['would_succeed', 'findings', 'would_make'])
    expect((await lab.call('GET', '/v1/federations')).body.federations).toEqual([])
    expect([(await readCluster(lab, host)).uses, lab.executions.starts.length]).toEqual([[], before])
  })

  it('makes a finding of a cluster that can not be reached', async () => {
    const host = await kubernetesCluster('mute-host')
    lab.preflights.host = () => Promise.reject(new ConnectTimedOut('The API server did not answer within 3 s.'))
    const { body } = await lab.call('POST', '/v1/federations?dry_run=true', {
      body: { driver: 'kube@1', hostcluster_id: host },
    })
    expect(body.would_succeed).toBe(false)
    expect(body.findings).toEqual([
      {
        severity: 'error',
        reason: 'ConnectTimedOut',
        message: 'The API server did not answer within 3 s.',
        cluster_id: host,
      },
    ])
  })

  it('shows a placeholder where the id of the federation will be, which only the real create gives it', async () => {
    const host = await kubernetesCluster('id-host')
    lab.preflights.host = async ({ id }) => ({
      wouldMake: [`Namespace fedplane-${shortId(id)}-inventory`],
      findings: [
        { severity: 'error', reason: 'PermissionDenied', message: `delete secrets in fedplane-${shortId(id)}, ${id}` },
      ],
    })
    const { body } = await lab.call('POST', '/v1/federations?dry_run=true', {
      body: { driver: 'kube@1', hostcluster_id: host },
    })
    expect(body.would_make).toEqual(['id-host: Namespace fedplane-<federation>-inventory'])
    expect(body.findings[0].message).toBe('delete secrets in fedplane-<federation>, <federation>')
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
    expect([status, body]).toEqual([
      200,
      { would_succeed: true, findings: [], would_make: ['would-join: an account'], would_remove: [] },
    ])
    expect(await readFederation(lab, id)).toEqual(before)
  })

  const made: ObjectRef[] = [
    { where: 'member', apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'ns', name: 'account', uid: '1' },
    { where: 'host', apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 'token', uid: '2' },
  ]
  const removal = async (id: string, cluster: string, query = '') =>
    lab.call('PATCH', `/v1/federations/${id}?dry_run=true${query}`, {
      body: [{ op: 'remove', path: '/member_ids', value: cluster }],
    })

  it('lists what an unjoin would remove, and changes nothing', async () => {
    const member = await givenCluster(lab, { name: 'would-leave' })
    const { id } = await givenFederation(lab, { members: [member] })
    const before = await readMembership(lab, id, member)
    await lab.stores.commit([lab.stores.memberships.replace(before, { ...before, made })])
    const { status, body } = await removal(id, member)
    expect([status, body]).toEqual([
      200,
      {
        would_succeed: true,
        findings: [],
        would_make: [],
        would_remove: [
          'would-leave: ServiceAccount ns/account in the member',
          'would-leave: Secret ns/token in the host',
        ],
      },
    ])
    expect((await readMembership(lab, id, member)).state).toBe('Ready')
  })

  it('says that of a failed join only the record would go', async () => {
    const member = await givenCluster(lab, { name: 'had-failed' })
    const { id } = await givenFederation(lab, { members: [member] })
    await endMembership(lab, id, member, 'JoinFailed')
    expect((await removal(id, member)).body.would_remove).toEqual(['had-failed: the record of its failed join'])
  })

  it('tells a member that can not be reached for its unjoin; with force only as a warning', async () => {
    const [host, member] = [await kubernetesCluster('left-host'), await kubernetesCluster('left-member')]
    const { id } = await givenFederation(lab, { driver: 'kube@1', host, members: [member] })
    const { connect } = lab.ports
    lab.ports.connect = () => {
      throw new ConnectTimedOut('The API server did not answer within 3 s.')
    }
    const plain = (await removal(id, member)).body
    const forced = (await removal(id, member, '&force=true')).body
    lab.ports.connect = connect
    const shown = ({ would_succeed, findings }: typeof plain) => [
      would_succeed,
      findings.map((one: { severity: string; reason: string; cluster_id: string }) => [one.severity, one.cluster_id]),
    ]
    expect(shown(plain)).toEqual([
      false,
      [
        ['error', host],
        ['error', member],
      ],
    ])
    expect(shown(forced)).toEqual([
      true,
      [
        ['warning', host],
        ['warning', member],
      ],
    ])
  })

  it('checks host and members with the new properties, and finds what they refuse', async () => {
    const [member, leaving] = [await givenCluster(lab, { name: 'told' }), await givenCluster(lab, { name: 'leaving' })]
    const { id, host } = await givenFederation(lab, { members: [member, leaving] })
    const seen: unknown[] = []
    lab.preflights.update = async (name, { properties }) => {
      seen.push([name, properties.color])
      const finding = { severity: 'error', reason: 'RoleMissing', message: 'No such role.' } as const
      return { wouldMake: [], findings: name === null ? [] : [finding] }
    }
    const before = await readFederation(lab, id)
    const { status, body } = await lab.call('PATCH', `/v1/federations/${id}?dry_run=true`, {
      body: [
        { op: 'add', path: '/properties/color', value: 'blue' },
        { op: 'remove', path: '/member_ids', value: leaving },
      ],
    })
    expect([status, body.would_succeed, body.findings]).toEqual([
      200,
      false,
      [{ severity: 'error', reason: 'RoleMissing', message: 'No such role.', cluster_id: member }],
    ])
    expect(seen).toEqual([
      [null, 'blue'],
      ['told', 'blue'],
    ])
    expect([host, await readFederation(lab, id)]).toEqual([before.hostClusterId, before])
  })

  it('asks for no observation of properties that stay', async () => {
    const { id } = await givenFederation(lab, { members: [await givenCluster(lab)] })
    lab.preflights.update = () => Promise.reject(new Error('not to be asked'))
    const body = [{ op: 'add', path: '/member_ids', value: await givenCluster(lab) }]
    expect((await lab.call('PATCH', `/v1/federations/${id}?dry_run=true`, { body })).body.would_succeed).toBe(true)
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
