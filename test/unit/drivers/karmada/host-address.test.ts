import { describe, expect, it } from 'vitest'
import { planOf } from '../../../../functions/drivers/federation/karmada/v1/host/plan.ts'
import { advertisedUrl, isIpv6Service } from '../../../../functions/drivers/federation/karmada/v1/host/services.ts'
import { Pending } from '../../../../functions/drivers/support/step.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../functions/kubernetes/client.ts'

type World = { nodes?: object[]; events?: object[] }

const work = (properties: Record<string, string>, world: World = {}) => {
  const list = async ({ plural }: Resource) => ({
    items: (plural === 'nodes' ? (world.nodes ?? []) : (world.events ?? [])) as KubernetesObject[],
  })
  const plan = planOf({ id: 'f', properties, driverState: {} })
  const client = { list } as unknown as KubernetesClient
  const time = { now: '2026-11-27T10:00:00Z', startedAt: null }
  return {
    site: { client, where: 'host' as const, federationId: 'f' },
    plan,
    namespace: plan.properties.namespace,
    time,
  }
}

const service = (ingress: object[] = [], nodePort?: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'karmada-apiserver' },
  spec: { clusterIP: '10.96.0.7', ports: [{ port: 5443, ...(nodePort === undefined ? {} : { nodePort }) }] },
  status: { loadBalancer: { ingress } },
})

const node = (name: string, addresses: [string, string][], isReady = true) => ({
  metadata: { name },
  status: {
    addresses: addresses.map(([type, address]) => ({ type, address })),
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'Unknown' }],
  },
})

const NODES = [
  node('c', [['InternalIP', '10.0.0.3']]),
  node('a', [['InternalIP', '10.0.0.1']], false),
  node('b', [
    ['Hostname', 'b'],
    ['InternalIP', '10.0.0.2'],
    ['ExternalIP', '192.0.2.2'],
  ]),
]

describe('advertisedUrl', () => {
  it.each([
    ['an address', [{ ip: '192.0.2.1' }], 'https://192.0.2.1:5443'],
    ['an IPv6 address', [{ ip: '2001:db8::1' }], 'https://[2001:db8::1]:5443'],
    ['a name', [{ hostname: 'lb.example.com' }], 'https://lb.example.com:5443'],
    ['an empty address and a name', [{ ip: '', hostname: 'lb.example.com' }], 'https://lb.example.com:5443'],
  ])("takes the load balancer's: %s", async (_, ingress, url) => {
    expect(await advertisedUrl(work({}), service(ingress), undefined)).toBe(url)
  })

  it('takes what is wished instead, whatever the Service is', async () => {
    const given = (endpoint: string) => advertisedUrl(work({ 'api-endpoint': endpoint }), service(), undefined)
    expect(await given('https://fed.example.com')).toBe('https://fed.example.com:443')
    expect(await given('https://[2001:db8::1]:6443/')).toBe('https://[2001:db8::1]:6443')
  })

  it.each<[string, object[], RegExp]>([
    ['nothing', [], /no controller of load balancers has said anything.*NodePort/],
    ['something', [{ type: 'Normal', reason: 'EnsuringLoadBalancer' }], /a load balancer controller works on it$/],
    [
      'a warning',
      [{ type: 'Warning', reason: 'SyncLoadBalancerFailed', message: 'no subnets' }],
      /the host says: no subnets$/,
    ],
  ])('waits, and tells that controllers said %s', async (_, events, expected) => {
    const about = { involvedObject: { kind: 'Service', name: 'karmada-apiserver' } }
    const told = work({}, { events: events.map((event) => ({ ...about, ...event })) })
    const thrown: unknown = await advertisedUrl(told, service(), undefined).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Pending)
    expect(String(thrown)).toMatch(expected)
  })

  describe('of a NodePort', () => {
    const PROPERTIES = { 'api-service-type': 'NodePort' }
    const of = (known?: string, nodes: object[] = NODES) =>
      advertisedUrl(work(PROPERTIES, { nodes }), service([], 32_443), known)

    it('is the first Ready node, by its address for outside', async () => {
      expect(await of()).toBe('https://192.0.2.2:32443')
    })

    it('stays while a node has it, also one that is not Ready at the moment', async () => {
      expect(await of('https://10.0.0.1:32443')).toBe('https://10.0.0.1:32443')
    })

    it('moves when the node is gone, or the port is another', async () => {
      expect(await of('https://10.0.0.9:32443')).toBe('https://192.0.2.2:32443')
      expect(await of('https://10.0.0.1:30000')).toBe('https://192.0.2.2:32443')
    })

    it('is waited for while there is no Ready node, or no port yet', async () => {
      await expect(of(undefined, [NODES[1] ?? {}])).rejects.toBeInstanceOf(Pending)
      await expect(advertisedUrl(work(PROPERTIES, { nodes: NODES }), service(), undefined)).rejects.toBeInstanceOf(
        Pending,
      )
    })
  })

  it('is refused for a ClusterIP without an endpoint', async () => {
    await expect(advertisedUrl(work({ 'api-service-type': 'ClusterIP' }), service(), undefined)).rejects.toMatchObject({
      name: 'AddressUnavailable',
      retryable: false,
    })
  })
})

describe('a host with IPv6 Services', () => {
  const dual = [
    node('a', [
      ['InternalIP', '10.0.0.1'],
      ['InternalIP', 'fd00::1'],
      ['ExternalIP', '192.0.2.1'],
    ]),
  ]
  const at = (clusterIP: string, nodes: object[], known?: string) => {
    const object = service([], 31_000)
    const url = { ...object, spec: { ...(object.spec as object), clusterIP } }
    return advertisedUrl(work({ 'api-service-type': 'NodePort' }, { nodes }), url, known)
  }

  it('is found at a node address of that family: its node ports are open in no other', async () => {
    expect(await at('fd00:10:96::7', dual)).toBe('https://[fd00::1]:31000')
    expect(await at('10.96.0.7', dual)).toBe('https://192.0.2.1:31000')
  })

  it('keeps the address that was given out', async () => {
    expect(await at('fd00:10:96::7', dual, 'https://10.0.0.1:31000')).toBe('https://10.0.0.1:31000')
  })

  it('takes what there is where no node has an address of that family', async () => {
    expect(await at('fd00:10:96::7', NODES)).toBe('https://192.0.2.2:31000')
  })
})

describe('isIpv6Service', () => {
  it('goes by the cluster address', () => {
    const six = { ...service(), spec: { clusterIP: 'fd00::7' } }
    expect([isIpv6Service(service()), isIpv6Service(six)]).toEqual([false, true])
  })
})
