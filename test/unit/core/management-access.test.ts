import { describe, expect, it } from 'vitest'
import { managementClients } from '../../../functions/core/access/management-access.ts'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { Ports } from '../../../functions/core/ports.ts'
import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import { sampleCluster } from '../../support/store/samples.ts'

const MANAGEMENT = sampleCluster({
  id: 'm',
  identity: null,
  management: { driver: 'managed@1', options: { zone: 'north' }, isDefault: false },
})
const made = (id: string): Cluster => sampleCluster({ id, madeThrough: { projectId: 'blue', id: 'm' } })

const lab = (registered: Cluster | undefined, failures = 0) => {
  const seen = { reads: 0, connects: 0, closed: 0 }
  let left = failures
  const ports = {
    stores: {
      clusters: {
        get: async () => {
          seen.reads += 1
          return registered
        },
      },
      credentials: { get: async () => undefined },
      integrity: { requireCluster: async () => undefined },
    },
    drivers: {
      cluster: { resolve: () => ({ capabilities: { kubernetesApi: true }, connection: async () => ({}) }) },
    },
    connect: () => {
      seen.connects += 1
      if (left-- > 0) throw new Error('down')
      const close = () => {
        seen.closed += 1
      }
      return { close } as unknown as KubernetesClient
    },
  } as unknown as Ports
  return { seen, ports }
}

describe('managementClients', () => {
  it('opens one way to a management cluster, for whatever is made through it, and closes it', async () => {
    const { seen, ports } = lab(MANAGEMENT)
    const clients = managementClients(ports)
    const [one, two] = await Promise.all([clients.to(made('a')), clients.to(made('b'))])
    expect(one).toBe(two)
    expect(one).toMatchObject({ cluster: { id: 'm' }, options: { zone: 'north' } })
    expect(seen).toEqual({ reads: 1, connects: 0, closed: 0 })
    await Promise.all([one.client(), two.client()])
    clients.close()
    expect(seen).toEqual({ reads: 1, connects: 1, closed: 1 })
  })

  it('tries again after a failure, unless it shall remember it', async () => {
    for (const [remembersFailures, connects] of [
      [false, 2],
      [true, 1],
    ] as const) {
      const { seen, ports } = lab(MANAGEMENT, 1)
      const clients = managementClients(ports, { remembersFailures })
      const way = await clients.to(made('a'))
      await expect(way.client()).rejects.toThrow('down')
      await way.client().catch(() => undefined)
      expect(seen.connects).toBe(connects)
    }
  })

  it.each([
    ['is made through none', sampleCluster(), MANAGEMENT, 'is made through no management cluster.'],
    ['whose management cluster is gone', made('a'), undefined, 'is no longer registered as one.'],
    [
      'whose management cluster is none any more',
      made('a'),
      sampleCluster({ id: 'm' }),
      'is no longer registered as one.',
    ],
  ])('says so of a cluster that %s', async (_, cluster, registered, sentence) => {
    await expect(managementClients(lab(registered).ports).to(cluster)).rejects.toMatchObject({
      name: 'ManagementMissing',
      message: expect.stringContaining(sentence),
    })
  })
})
