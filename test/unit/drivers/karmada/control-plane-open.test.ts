import { describe, expect, it } from 'vitest'
import { Secret } from '../../../../functions/core/values/secret.ts'
import type { FederationContext } from '../../../../functions/drivers/contract/federation-driver.ts'
import {
  openControlPlane,
  withControlPlane,
} from '../../../../functions/drivers/federation/karmada/v1/control-plane/open.ts'
import { LEAVES } from '../../../../functions/drivers/federation/karmada/v1/pki/pki.schema.ts'
import { Pending } from '../../../../functions/drivers/support/step.ts'
import type { Connection, KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import {
  AddressForbidden,
  ConnectFailed,
  ConnectTimedOut,
  DnsLookupFailed,
  TlsVerificationFailed,
} from '../../../../functions/kubernetes/errors.ts'
import { sampleFederation } from '../../../support/store/samples.ts'

const pair = { certificate: 'certificate', key: 'key' }
const PKI = {
  authorities: { karmada: { certificate: 'the CA', key: 'k' }, etcd: pair, 'front-proxy': pair },
  leaves: Object.fromEntries(LEAVES.map((leaf) => [leaf, { certificate: `of ${leaf}`, key: 'k' }])),
  serviceAccount: { publicKey: 'p', key: 'k' },
}

const pod = (name: string, ready: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...more },
  status: { conditions: [{ type: 'Ready', status: ready }] },
})

type World = { direct?: Error; pods?: KubernetesObject[]; state?: object; pki?: boolean }

const world = ({ direct, pods = [], state = { endpoint: 'https://fed.example:5443' }, pki = true }: World) => {
  const opened: Connection[] = []
  const closed: Connection[] = []
  const dialled: unknown[] = []
  const context = {
    federation: { ...sampleFederation(), driverState: state },
    sealed: async () => (pki ? new Secret(JSON.stringify(PKI)) : undefined),
    connect: (connection: Connection) => {
      opened.push(connection)
      if (direct instanceof AddressForbidden && connection.dial === undefined) throw direct
      return {
        reach: async () => {
          if (direct !== undefined && connection.dial === undefined) throw direct
        },
        close: () => closed.push(connection),
      }
    },
    host: {
      client: async () => ({ list: async () => ({ items: pods }) }),
      dial: (target: unknown) => {
        dialled.push(target)
        return () => Promise.reject(new Error('not used'))
      },
    },
  } as unknown as FederationContext
  return { context, opened, closed, dialled }
}

describe('openControlPlane', () => {
  it('goes to the address, as the administrator, checking the certificate', async () => {
    const { context, opened, closed } = world({})
    const { close } = await openControlPlane(context)
    expect(opened).toMatchObject([
      {
        server: 'https://fed.example:5443',
        caPem: 'the CA',
        tlsVerify: true,
        credential: { kind: 'client-certificate', certificatePem: 'of admin' },
      },
    ])
    expect(opened[0]).not.toHaveProperty('dial')
    close()
    expect(closed).toHaveLength(1)
  })

  it.each([ConnectFailed, ConnectTimedOut, DnsLookupFailed, AddressForbidden])(
    'goes through a Ready pod of the API server after %o',
    async (type) => {
      const pods = [pod('b', 'False'), pod('a', 'True', { deletionTimestamp: 'now' }), pod('c', 'True')]
      const { context, opened, dialled } = world({ direct: new type('no'), pods })
      expect(await openControlPlane(context)).toMatchObject({ detour: 'no' })
      expect(dialled).toEqual([{ namespace: 'federation-system', pod: 'c', port: 5443 }])
      expect(opened.at(-1)).toMatchObject({ server: 'https://fed.example:5443', caPem: 'the CA', tlsVerify: true })
      expect(opened.at(-1)).toHaveProperty('dial')
    },
  )

  it('does not go another way where somebody else answers at the address', async () => {
    const { context, opened, closed } = world({ direct: new TlsVerificationFailed('other'), pods: [pod('a', 'True')] })
    await expect(openControlPlane(context)).rejects.toBeInstanceOf(TlsVerificationFailed)
    expect(opened).toHaveLength(1)
    expect(closed).toHaveLength(1)
  })

  it.each([
    ['an address', { state: {} }],
    ['certificates', { pki: false }],
    ['a pod of karmada-apiserver to be Ready', { direct: new ConnectFailed('refused') }],
  ])('waits for %s', async (words, given) => {
    await expect(openControlPlane(world(given).context)).rejects.toThrow(words)
    await expect(openControlPlane(world(given).context)).rejects.toBeInstanceOf(Pending)
  })
})

describe('withControlPlane', () => {
  it('closes what it opened, also when its use fails', async () => {
    const { context, closed } = world({})
    await expect(withControlPlane(context, () => Promise.reject(new ConnectFailed('x')))).rejects.toThrow('x')
    expect(closed).toHaveLength(1)
  })
})
