import { rootCertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { peerOf } from '../../../../functions/drivers/federation/karmada/v1/member/manifests.ts'
import { executionSpace } from '../../../../functions/drivers/federation/karmada/v1/member/names.ts'
import { secondsToRestart } from '../../../../functions/drivers/federation/karmada/v1/member/restart.ts'
import {
  clusterStatus,
  diagnose,
  reasonFor,
} from '../../../../functions/drivers/federation/karmada/v1/member/status.ts'
import { stuckWorks, toGiveUp, toKeep } from '../../../../functions/drivers/federation/karmada/v1/member/works.ts'
import type { Site } from '../../../../functions/drivers/support/owned.ts'
import type { Connect, Connection, KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import {
  AddressForbidden,
  ApiUnavailable,
  ConnectFailed,
  ConnectTimedOut,
  CredentialRejected,
  DnsLookupFailed,
  NotKubernetes,
  PermissionDenied,
  RequestTimedOut,
  TlsVerificationFailed,
} from '../../../../functions/kubernetes/errors.ts'

const FEDERATION = '01920000-0000-7000-8000-0123456789ab'
const SITE = { where: 'host', federationId: FEDERATION } as Site

type WorkFacts = { name?: string; kept?: boolean; of?: string; deleted?: string; held?: boolean }

const work = ({ name = 'w', kept, of = 'web', deleted, held = true }: WorkFacts = {}): KubernetesObject => ({
  apiVersion: 'work.karmada.io/v1alpha1',
  kind: 'Work',
  metadata: {
    name,
    ...(held ? { finalizers: ['karmada.io/execution-controller'] } : {}),
    ...(deleted === undefined ? {} : { deletionTimestamp: deleted }),
  },
  spec: {
    ...(kept === undefined ? {} : { preserveResourcesOnDeletion: kept }),
    workload: { manifests: [{ kind: 'Deployment', metadata: { name: of } }] },
  },
})

const namesOf = (works: readonly KubernetesObject[]): string[] => works.map(({ metadata }) => metadata.name)

describe('keeping workloads', () => {
  it('marks each Work that would take something with it, whatever it brought', () => {
    const works = [
      work({ name: 'plain' }),
      work({ name: 'taken-away', kept: false }),
      work({ name: 'marked', kept: true }),
      work({ name: 'being-deleted', deleted: '2026-01-01T00:00:00Z' }),
      work({ name: 'let-go', held: false, deleted: '2026-01-01T00:00:00Z' }),
    ]
    expect(namesOf(toKeep(works))).toEqual(['plain', 'taken-away', 'being-deleted'])
  })

  it('does not keep what Karmada made for itself', () => {
    expect(toKeep([work({ of: 'karmada-impersonator' })])).toEqual([])
    expect(toKeep([work({ of: 'karmada-impersonators' })])).toHaveLength(1)
  })

  it('takes marks away where the workloads are to go after all', () => {
    expect(namesOf(toGiveUp([work({ name: 'marked', kept: true }), work({ name: 'plain' })]))).toEqual(['marked'])
  })
})

describe('stuckWorks', () => {
  const now = new Date('2026-01-01T00:01:00Z')
  const since = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString()
  const stuck = (facts: WorkFacts, force = false) =>
    stuckWorks([work(facts)], { now, timeoutSeconds: 4, force }).length === 1

  it.each<[string, boolean, WorkFacts, boolean]>([
    ['kept, long enough', true, { kept: true, deleted: since(4) }, false],
    ['kept, just deleted', false, { kept: true, deleted: since(3) }, false],
    ['kept, not deleted', false, { kept: true }, false],
    ['to be removed from the member: only Karmada may', false, { deleted: since(600) }, false],
    ['to be removed, with force', true, { deleted: since(4) }, true],
    ['the impersonator’s, with some more patience', false, { of: 'karmada-impersonator', deleted: since(11) }, false],
    ['the impersonator’s, after that', true, { of: 'karmada-impersonator', deleted: since(12) }, false],
    ['held by somebody else', false, { kept: true, held: false, deleted: since(600) }, true],
  ])('%s: %s', (_words, expected, facts, force) => {
    expect(stuck(facts, force)).toBe(expected)
  })
})

describe('clusterStatus', () => {
  type Facts = { ready?: string; labels?: Record<string, string>; metadata?: object; spec?: object }
  const cluster = ({ ready, labels = { 'fedplane.io/federation': FEDERATION }, metadata, spec }: Facts = {}) =>
    ({
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name: 'paris', labels, ...metadata },
      spec: { id: 'uid', impersonatorSecretRef: { name: 'paris-impersonator' }, ...spec },
      status: {
        conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready, reason: 'Because', message: 'so' }],
      },
    }) as KubernetesObject

  it.each([
    ['absent', undefined, undefined],
    ['not-ready', 'ForeignObject', cluster({ ready: 'True', labels: {} })],
    ['not-ready', 'ClusterTerminating', cluster({ ready: 'True', metadata: { deletionTimestamp: 'now' } })],
    ['not-ready', 'MemberIdDiffers', cluster({ ready: 'True', spec: { id: 'other' } })],
    ['not-ready', 'MemberNotObserved', cluster()],
    ['unknown', undefined, cluster({ ready: 'False' })],
    ['unknown', undefined, cluster({ ready: 'Unknown' })],
    ['ready', undefined, cluster({ ready: 'True', spec: { impersonatorSecretRef: undefined } })],
    ['ready', undefined, cluster({ ready: 'True' })],
  ])('is %s for reason %s', (state, reason, object) => {
    const status = clusterStatus(SITE, object, 'uid')
    expect(status.state).toBe(state)
    expect('reason' in status ? status.reason : undefined).toBe(reason)
  })

  it('passes on what Karmada says', () => {
    expect(clusterStatus(SITE, cluster({ ready: 'False' }), 'uid')).toMatchObject({ said: 'Because: so' })
  })
})

describe('diagnose', () => {
  it.each([
    ['MemberCredentialRejected', CredentialRejected],
    ['MemberCredentialRejected', PermissionDenied],
    ['MemberTlsFailed', TlsVerificationFailed],
    ['MemberUnreachable', ConnectFailed],
    ['MemberUnreachable', ConnectTimedOut],
    ['MemberUnreachable', DnsLookupFailed],
    ['MemberUnreachable', RequestTimedOut],
    ['MemberUnreachable', AddressForbidden],
    ['MemberApiFailing', ApiUnavailable],
    ['MemberApiFailing', NotKubernetes],
  ])('%s for %o', (reason, type) => {
    expect(reasonFor(new type('x'))).toBe(reason)
  })

  const connectTo =
    (post: () => Promise<unknown>, readyz: number, closed: string[] = []): Connect =>
    () =>
      ({ post, raw: async () => ({ status: readyz, body: '' }), close: () => closed.push('closed') }) as never
  const known = async () => ({ status: { userInfo: { username: 'us' } } })

  it('tells the API’s own trouble from the network’s, and closes what it opened', async () => {
    const closed: string[] = []
    const failing = await diagnose(connectTo(known, 500, closed), {} as Connection, 'ClusterNotReachable: x')
    expect(failing).toMatchObject({ reason: 'MemberApiFailing', message: expect.stringContaining('500') })
    expect(closed).toEqual(['closed'])
    const refused = connectTo(() => Promise.reject(new CredentialRejected('refused')), 200)
    expect(await diagnose(refused, {} as Connection, '')).toEqual({
      reason: 'MemberCredentialRejected',
      message: 'refused',
    })
  })

  it('says where to look when nothing is wrong from here', async () => {
    expect(await diagnose(connectTo(known, 200), {} as Connection, 'ClusterNotReachable: x.')).toMatchObject({
      reason: 'MemberUnreachableFromHost',
      message: expect.stringContaining('ClusterNotReachable: x, but'),
    })
  })
})

describe('peerOf', () => {
  const endpoint = {
    server: 'https://10.0.0.1:6443/',
    serverForPeers: null,
    caPem: 'CA',
    tlsServerName: null,
    tlsVerify: true,
  }
  const peer = (more: object) => peerOf({ name: 'paris', endpoint: { ...endpoint, ...more } })

  it('takes the address that peers see', () => {
    expect(peer({}).server).toBe('https://10.0.0.1:6443')
    expect(peer({ serverForPeers: 'https://paris.example/k8s/c-1' }).server).toBe('https://paris.example/k8s/c-1')
  })

  it('gives Karmada authorities in any case, unless nothing is checked', () => {
    expect(peer({}).caBundle).toBe('CA')
    expect(peer({ caPem: null }).caBundle).toContain(rootCertificates[0])
    expect(peer({ tlsVerify: false }).caBundle).toBeNull()
  })

  it('tells a name that Karmada can not check', () => {
    expect(peer({ tlsServerName: '10.0.0.1' }).tlsServerName).toBeNull()
    expect(peer({ server: 'https://[fd00::1]:6443', tlsServerName: 'fd00::1' }).tlsServerName).toBeNull()
    expect(peer({ tlsServerName: 'kubernetes' }).tlsServerName).toBe('kubernetes')
    expect(peer({ tlsServerName: 'kubernetes', tlsVerify: false }).tlsServerName).toBeNull()
  })
})

describe('executionSpace', () => {
  it('fits into a namespace’s name for the longest name of a member', () => {
    expect(executionSpace({ memberName: 'm'.repeat(48) }).length).toBeLessThanOrEqual(63)
  })
})

describe('secondsToRestart', () => {
  const options = { restartSettleSeconds: 15, restartIntervalSeconds: 120 }
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

  it.each([
    ['waits for others that change too', 10, { publishedAt: at(0), restartedAt: '', now: at(5) }],
    ['is due after that', 0, { publishedAt: at(0), restartedAt: '', now: at(15) }],
    ['keeps its distance from the last one', 90, { publishedAt: at(20), restartedAt: at(10), now: at(40) }],
    ['is over once one has come after the token', null, { publishedAt: at(0), restartedAt: at(15), now: at(16) }],
    ['is due for a token that came just with it', 0, { publishedAt: at(15), restartedAt: at(15), now: at(200) }],
  ])('%s', (_words, expected, times) => {
    expect(secondsToRestart(times, options)).toBe(expected)
  })
})
