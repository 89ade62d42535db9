import { beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../../functions/core/values/secret.ts'
import type { FederationContext } from '../../../../functions/drivers/contract/federation-driver.ts'
import { etcdManifest } from '../../../../functions/drivers/federation/karmada/v1/host/etcd.ts'
import { planOf } from '../../../../functions/drivers/federation/karmada/v1/host/plan.ts'
import { growPhase } from '../../../../functions/drivers/federation/karmada/v1/phases/grow.ts'
import { issuePki } from '../../../../functions/drivers/federation/karmada/v1/pki/issue-pki.ts'
import { PKI, type Pki } from '../../../../functions/drivers/federation/karmada/v1/pki/pki.schema.ts'
import type {
  Connection,
  KubernetesClient,
  KubernetesObject,
  Resource,
} from '../../../../functions/kubernetes/client.ts'
import { Killed } from '../../../support/drivers/call-budget.ts'
import { templateOf } from '../../../support/karmada/pod-template.ts'

const ID = '0193a1c2-0000-7000-8000-0123456789ab'
const peer = (index: number): string => `https://etcd-${index}.etcd.federation-system.svc.cluster.local:2380`

type Member = { ID: string; peerURLs: string[]; isLearner?: boolean }

let pki: Pki
beforeAll(async () => {
  const naming = {
    namespace: 'federation-system',
    clusterDomain: 'cluster.local',
    extraSans: [],
    hosts: [],
    endpoint: 'https://a:1',
  }
  pki = await issuePki(undefined, { naming, leafLifetimeSeconds: 86_400, now: new Date() })
})

/** A host with etcd in it, as far as growing checks it: pods are there as soon as the StatefulSet wants them. */
class World {
  members: Member[] = [{ ID: '1', peerURLs: [peer(0)] }]
  stateful: KubernetesObject
  /** Calls to etcd that change it, and writes to the host. */
  readonly log: string[] = []
  readonly connections: Connection[] = []
  /** Learners that have caught up. */
  hasCaughtUp = true
  /** After how many changes the process is killed. */
  killAt = 0

  constructor() {
    const plan = planOf({ id: ID, properties: {}, driverState: {} })
    this.stateful = etcdManifest(plan, pki, { members: 1, state: 'new', partition: 0 })
  }

  get replicas(): number {
    return (this.stateful.spec as { replicas: number }).replicas
  }

  context(replicas = '3'): FederationContext {
    const federation = { id: ID, properties: { replicas }, driverState: {} }
    const dial = (pod: { pod: string; port: number }) => () => Promise.reject(new Error(`dialled ${pod.pod}`))
    return {
      federation,
      host: { client: async () => this.#host(), dial },
      sealed: async (name: string) => (name === PKI ? new Secret(JSON.stringify(pki)) : undefined),
      now: () => '2026-11-27T10:00:00Z',
      connect: (connection: Connection) => {
        this.connections.push(connection)
        return this.#etcd()
      },
    } as unknown as FederationContext
  }

  #host(): KubernetesClient {
    const ready = { conditions: [{ type: 'Ready', status: 'True' }] }
    const pods = Array.from({ length: this.replicas }, (_, index) => ({
      metadata: { name: `etcd-${index}` },
      status: ready,
    }))
    const client = {
      get: async ({ plural }: Resource) => (plural === 'statefulsets' ? this.stateful : undefined),
      list: async ({ plural }: Resource) => ({ items: plural === 'pods' ? pods : [] }),
      apply: async (_: Resource, object: KubernetesObject) => {
        this.stateful = object
        this.#note(`apply ${this.replicas}`)
        return object
      },
    }
    return client as unknown as KubernetesClient
  }

  #etcd(): KubernetesClient {
    const raw = async (path: string, body: { peerURLs?: string[]; ID?: string; isLearner?: boolean }) => {
      const refusal = path.endsWith('/promote') && !this.hasCaughtUp
      if (refusal) return { status: 412, body: JSON.stringify({ code: 9, message: 'not in sync' }) }
      if (path.endsWith('/add')) this.#add(body.peerURLs ?? [], body.isLearner === true)
      if (path.endsWith('/promote')) this.#promote(body.ID)
      return { status: 200, body: JSON.stringify({ members: this.members }) }
    }
    return { raw, close: () => undefined } as unknown as KubernetesClient
  }

  #add(peerURLs: string[], isLearner: boolean): void {
    this.members.push({ ID: String(this.members.length + 1), peerURLs, isLearner })
    this.#note(`add ${isLearner ? 'learner ' : ''}${peerURLs[0]}`)
  }

  #promote(id: string | undefined): void {
    this.members = this.members.map((member) => (member.ID === id ? { ...member, isLearner: false } : member))
    this.#note(`promote ${id}`)
  }

  /** The change is made; the process may be killed before it hears of it. */
  #note(change: string): void {
    this.log.push(change)
    if (this.log.length === this.killAt) throw new Killed('killed by the test')
  }
}

const run = async (world: World, times: number): Promise<boolean[]> => {
  const done: boolean[] = []
  for (let index = 0; index < times; index += 1) done.push((await growPhase.ensure(world.context())).done)
  return done
}

const GROWN = [`add learner ${peer(1)}`, 'apply 2', 'promote 2', `add learner ${peer(2)}`, 'apply 3', 'promote 3']

describe('growing of etcd', () => {
  it('adds members one by one, each with a vote only after it has caught up', async () => {
    const world = new World()
    expect(await run(world, 6)).toEqual([false, false, false, false, true, true])
    expect(world.log).toEqual(GROWN)
    expect(world.members.map(({ isLearner = false }) => isLearner)).toEqual([false, false, false])
  })

  it('tells a new pod of the members that are, and leaves the others as they run', async () => {
    const world = new World()
    await run(world, 2)
    const [container] = templateOf(world.stateful).spec.containers
    expect(container?.command).toContain('--initial-cluster-state=existing')
    expect(container?.command).toContain(`--initial-cluster=etcd-0=${peer(0)},etcd-1=${peer(1)}`)
    expect(world.stateful.spec).toMatchObject({ updateStrategy: { rollingUpdate: { partition: 1 } } })
  })

  it('waits for a learner without adding the next', async () => {
    const world = new World()
    world.hasCaughtUp = false
    expect(await run(world, 4)).toEqual([false, false, false, false])
    expect(world.log).toEqual(GROWN.slice(0, 2))
    expect((await growPhase.ensure(world.context())).waitingFor).toBe('member 1 of etcd to catch up')
  })

  it.each(GROWN.map((change, index) => [change, index + 1] as const))(
    'goes on when it was killed after: %s',
    async (_, killAt) => {
      const world = new World()
      world.killAt = killAt
      await expect(run(world, 6)).rejects.toBeInstanceOf(Killed)
      await run(world, 6)
      expect(world.log).toEqual(GROWN)
    },
  )

  it('does nothing to a cluster that was made with three, or is to stay one', async () => {
    const world = new World()
    expect((await growPhase.ensure(world.context('1'))).done).toBe(true)
    const plan = planOf({ id: ID, properties: { replicas: '3' }, driverState: {} })
    world.stateful = etcdManifest(plan, pki, { members: 3, state: 'new', partition: 0 })
    expect((await growPhase.ensure(world.context())).done).toBe(true)
    expect([world.log, world.connections]).toEqual([[], []])
  })

  it('asks etcd through the host, under the name in its certificate, as its client', async () => {
    const world = new World()
    await run(world, 1)
    const [connection] = world.connections
    expect(connection).toMatchObject({
      server: 'https://etcd-0.etcd.federation-system.svc.cluster.local:2379',
      caPem: pki.authorities.etcd.certificate,
      tlsVerify: true,
      credential: { kind: 'client-certificate', certificatePem: pki.leaves['etcd-client'].certificate },
    })
    await expect(connection?.dial?.()).rejects.toThrow('dialled etcd-0')
  })
})
