import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { COMPONENTS } from '../../../../functions/drivers/federation/karmada/v1/model/names.ts'
import { IDENTITIES } from '../../../../functions/drivers/federation/karmada/v1/pki/identities.ts'
import {
  type Issuing,
  issuePki,
  renewAfterOf,
} from '../../../../functions/drivers/federation/karmada/v1/pki/issue-pki.ts'
import {
  AUTHORITIES,
  LEAVES,
  type Leaf,
  Pki,
} from '../../../../functions/drivers/federation/karmada/v1/pki/pki.schema.ts'

const NOW = new Date('2026-11-27T10:00:00Z')
const DAY_MS = 86_400_000
const YEAR_SECONDS = (365 * DAY_MS) / 1000

const issuing = (change: Partial<Issuing> = {}): Issuing => ({
  naming: {
    namespace: 'federation-system',
    clusterDomain: 'cluster.local',
    extraSans: ['*.fed.example.com', '192.0.2.7'],
    endpoint: 'https://lb.example.com:5443',
    hosts: [],
  },
  leafLifetimeSeconds: YEAR_SECONDS,
  now: NOW,
  ...change,
})

const daysLater = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS)

let pki: Pki
beforeAll(async () => {
  pki = await issuePki(undefined, issuing())
})

const certificateOf = (leaf: Leaf, of = pki): X509Certificate => new X509Certificate(of.leaves[leaf].certificate)
const changed = (next: Pki): Leaf[] => LEAVES.filter((leaf) => next.leaves[leaf] !== pki.leaves[leaf])

describe('issuePki', () => {
  it('is a whole document that survives being sealed', () => {
    expect(Pki.parse(JSON.parse(JSON.stringify(pki)))).toEqual(pki)
  })

  it.each(AUTHORITIES)('has the authority %s for ten years', (name) => {
    const certificate = new X509Certificate(pki.authorities[name].certificate)
    expect(certificate.ca).toBe(true)
    expect(certificate.validToDate).toEqual(daysLater(3650))
    expect(certificate.checkPrivateKey(createPrivateKey(pki.authorities[name].key))).toBe(true)
  })

  it.each(LEAVES)('has %s, signed by its authority, for a year', (leaf) => {
    const parent = new X509Certificate(pki.authorities[IDENTITIES[leaf].authority].certificate)
    const certificate = certificateOf(leaf)
    expect(certificate.checkIssued(parent) && certificate.verify(parent.publicKey)).toBe(true)
    expect(certificate.validToDate).toEqual(daysLater(365))
    expect(certificate.checkPrivateKey(createPrivateKey(pki.leaves[leaf].key))).toBe(true)
  })

  it('gives each component an identity of its own', () => {
    const subjects = LEAVES.map((leaf) => certificateOf(leaf).subject)
    expect(new Set(subjects).size).toBe(LEAVES.length)
    expect(certificateOf('kube-controller-manager').subject).toBe('CN=system:kube-controller-manager')
  })

  it('makes nobody an administrator but fedplane and the controller that writes every kind', () => {
    const masters = LEAVES.filter((leaf) => certificateOf(leaf).subject.includes('system:masters'))
    expect(masters).toEqual(['admin', 'karmada-controller-manager'])
  })

  it('gives clients no names, and servers no right to be clients, but etcd, whose members are both', () => {
    const both = LEAVES.filter((leaf) => certificateOf(leaf).keyUsage?.length === 2)
    expect(both).toEqual(['etcd-server'])
    for (const leaf of ['admin', 'etcd-client', 'front-proxy-client', ...COMPONENTS] as const) {
      expect(certificateOf(leaf).subjectAltName).toBeUndefined()
    }
  })

  it.each<[Leaf, string[]]>([
    [
      'apiserver',
      [
        'localhost',
        'karmada-apiserver',
        'karmada-apiserver.federation-system.svc',
        'karmada-apiserver.federation-system.svc.cluster.local',
        'kubernetes.default.svc',
        'lb.example.com',
        'x.fed.example.com',
      ],
    ],
    [
      'aggregated-apiserver-server',
      [
        'karmada-aggregated-apiserver.karmada-system.svc',
        'karmada-aggregated-apiserver.federation-system.svc.cluster.local',
      ],
    ],
    ['webhook-server', ['karmada-webhook.federation-system.svc']],
    ['etcd-server', [0, 1, 2].map((index) => `etcd-${index}.etcd.federation-system.svc.cluster.local`)],
  ])('lets %s be found under its names', (leaf, names) => {
    const certificate = certificateOf(leaf)
    expect(names.filter((name) => certificate.checkHost(name) === undefined)).toEqual([])
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.subjectAltName).not.toMatch(/DNS:(,|$)/)
  })

  it('has addresses among the names of the API server', async () => {
    const { naming } = issuing()
    const other = await issuePki(undefined, issuing({ naming: { ...naming, endpoint: 'https://[2001:db8::1]:5443' } }))
    expect(certificateOf('apiserver').checkIP('192.0.2.7')).toBe('192.0.2.7')
    expect(certificateOf('apiserver', other).checkIP('2001:db8::1')).toBe('2001:db8::1')
  })

  it('signs tokens with a pair that no certificate has', () => {
    const { publicKey, key } = pki.serviceAccount
    const derived = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'pem' })
    expect(derived).toBe(publicKey)
    const keys = [...Object.values(pki.leaves), ...Object.values(pki.authorities)].map((pair) => pair.key)
    expect(keys).not.toContain(key)
  })
})

describe('issuePki again', () => {
  it('keeps what is good, wildcards and addresses too', async () => {
    expect(await issuePki(pki, issuing({ now: daysLater(100) }))).toBe(pki)
  })

  it('issues only what lacks a name', async () => {
    const naming = { ...issuing().naming, endpoint: 'https://192.0.2.99:5443' }
    const next = await issuePki(pki, issuing({ naming }))
    expect(changed(next)).toEqual(['apiserver'])
    expect(next.authorities).toBe(pki.authorities)
    expect(next.serviceAccount).toBe(pki.serviceAccount)
  })

  it('keeps the hosts of kubeconfigs that are out when the address moves, in a rotation too', async () => {
    const naming = {
      ...issuing().naming,
      endpoint: 'https://fed.example.com:443',
      hosts: ['192.0.2.1', 'lb.example.com'],
    }
    const moved = await issuePki(pki, issuing({ naming }))
    const rotated = await issuePki(moved, issuing({ naming, now: daysLater(1), issuedSince: daysLater(1) }))
    for (const next of [moved, rotated]) {
      const certificate = certificateOf('apiserver', next)
      expect(['fed.example.com', 'lb.example.com'].map((name) => certificate.checkHost(name))).not.toContain(undefined)
      expect(certificate.checkIP('192.0.2.1')).toBe('192.0.2.1')
    }
  })

  it.each(['fe80::1%eth0', '::ffff:192.0.2.1', '2001:DB8:0::1', '*.Fed.example.com'])(
    'is over after one look for the name %s',
    async (name) => {
      const naming = { ...issuing().naming, extraSans: [name] }
      const next = await issuePki(pki, issuing({ naming }))
      expect(await issuePki(next, issuing({ naming }))).toBe(next)
    },
  )

  it('takes no certificate back for a name too many', async () => {
    expect(await issuePki(pki, issuing({ naming: { ...issuing().naming, extraSans: [] } }))).toBe(pki)
  })

  it('issues all leaves anew after half of their life', async () => {
    const next = await issuePki(pki, issuing({ now: daysLater(200) }))
    expect(changed(next)).toEqual([...LEAVES])
    expect(next.authorities).toBe(pki.authorities)
  })

  it('issues all leaves anew in a rotation, once', async () => {
    const issuedSince = daysLater(1)
    const next = await issuePki(pki, issuing({ now: daysLater(1), issuedSince }))
    expect(changed(next)).toEqual([...LEAVES])
    expect(await issuePki(next, issuing({ now: daysLater(2), issuedSince }))).toBe(next)
  })
})

describe('renewAfterOf', () => {
  it('is a third of a life before the first leaf ends', () => {
    expect(renewAfterOf(pki)).toBe(new Date(daysLater(365).getTime() - (366 * DAY_MS) / 3).toISOString())
  })
})
