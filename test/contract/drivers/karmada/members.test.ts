import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { MemberContext } from '../../../../functions/drivers/contract/federation-driver.ts'
import { withControlPlane } from '../../../../functions/drivers/federation/karmada/v1/control-plane/open.ts'
import { karmadaDriver } from '../../../../functions/drivers/federation/karmada/v1/index.ts'
import { cordonMember } from '../../../../functions/drivers/federation/karmada/v1/member/cordon.ts'
import { clusters, executionSpace } from '../../../../functions/drivers/federation/karmada/v1/member/names.ts'
import { memberObjectName } from '../../../../functions/drivers/support/member/tokens.ts'
import type { KubernetesClient } from '../../../../functions/kubernetes/client.ts'
import { namespaces, secrets, serviceAccounts } from '../../../../functions/kubernetes/resources.ts'
import { startSimulatedKubernetes } from '../../../../simulated-kubernetes/start.ts'
import { Killed } from '../../../support/drivers/call-budget.ts'
import { type TestCluster, testCluster } from '../../../support/drivers/test-cluster.ts'
import { untilDone } from '../../../support/drivers/until-done.ts'
import { type GatedMember, gatedMember } from '../../../support/karmada/gated-member.ts'
import { type KarmadaLab, openKarmadaLab } from '../../../support/karmada/lab.ts'
import { fates, KarmadaLife } from '../../../support/karmada/life.ts'
import { QUICK } from '../../../support/karmada/options.ts'

/** A client before each of whose patches somebody else is faster. */
const racingClient = (client: KubernetesClient, faster: () => Promise<unknown>): KubernetesClient => ({
  ...client,
  get: client.get.bind(client),
  list: client.list.bind(client),
  raw: client.raw.bind(client),
  reach: client.reach.bind(client),
  patch: async (...given) => {
    await faster()
    return client.patch(...given)
  },
  close: () => undefined,
})

/** A busy machine takes its time. */
const TIMEOUT_MS = 60_000

/** Failures that users of Karmada reported (reference, section 6), by the number of their row. */

describe('members of karmada@1', { timeout: TIMEOUT_MS }, () => {
  let lab: KarmadaLab
  /** One control plane for all tests but those that break it: each joins a cluster of its own, or leaves what it joined. */
  let life: KarmadaLife
  let gated: GatedMember
  beforeAll(async () => {
    lab = await openKarmadaLab()
    life = new KarmadaLife(lab, {}, { workTimeoutSeconds: 0 })
    await life.create()
    gated = await gatedMember('paris', lab.memberServers[0]!)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await gated.close()
    await life.delete()
    expect(await lab.remains(life.federation.id)).toEqual([])
    await lab.close()
  }, TIMEOUT_MS)
  afterEach(() => {
    lab.standIn.podFate = undefined
    lab.standIn.refresh()
  })

  const paris = () => life.member(gated.member)
  const observed = (context: MemberContext) => life.driver.observeMember(context)
  /** Waits until the driver says that of the member. */
  const until = async (reason: string): Promise<void> => {
    await untilDone(async () => {
      const seen = await observed(life.memberContext(paris()))
      const said = seen.state === 'not-ready' ? seen.reason : seen.state
      return { done: said === reason, waitingFor: `${reason}, not ${JSON.stringify(seen)}` }
    }, 15_000)
  }

  const STOPPED = { fate: 'waiting', reason: 'CrashLoopBackOff', message: 'back-off' } as const
  const stop = (program: string): void => {
    lab.standIn.podFate = fates(life.namespace, { [program]: STOPPED })
    lab.standIn.refresh()
  }
  const goOn = (): void => {
    lab.standIn.podFate = undefined
    lab.standIn.refresh()
  }

  it('row 16: a join while the aggregated API does not answer waits for it, says so, and blocks no later one', async () => {
    stop('karmada-aggregated-apiserver')
    await life.waitsFor('verify', 'APIService')
    await life.prepare(paris())
    const waits = await life.driver.registerMember(life.memberContext(paris()))
    expect(waits).toMatchObject({ done: false, waitingFor: expect.stringMatching(/^the control plane of .* to work/) })
    goOn()
    await life.ensure('verify')
    await life.unjoin(paris())
    await life.join(paris())
    await life.unjoin(paris())
  })

  it('a cordon is a taint of ours: those of others stay, and whoever is faster is not overwritten', async () => {
    await life.join(paris())
    const context = life.memberContext(paris())
    const { memberName } = context.membership
    const cordon = (isCordoned: boolean) => untilDone(() => cordonMember(context, isCordoned))
    const others = [
      { key: 'maintenance', value: 'soon', effect: 'NoSchedule' },
      { key: 'maintenance', effect: 'NoExecute', timeAdded: '2026-11-29T10:00:00Z' },
    ]
    await withControlPlane(context, async (client) => {
      const taints = async (): Promise<unknown[]> => {
        const spec = (await client.get(clusters, memberName))?.spec as { taints?: unknown[] } | undefined
        return spec?.taints ?? []
      }
      await client.patch(clusters, memberName, { spec: { taints: others } })
      await cordon(true)
      await cordon(true)
      expect(await taints()).toEqual([...others, { key: 'fedplane.io/unhealthy', effect: 'NoSchedule' }])
      await life.driver.registerMember(context)
      expect(await taints()).toHaveLength(3)
      await cordon(false)
      expect(await taints()).toEqual(others)
      const racing = racingClient(client, () => client.patch(clusters, memberName, { spec: { taints: [others[0]] } }))
      expect(await cordonMember({ ...context, connect: () => racing }, true)).toMatchObject({
        done: false,
      })
      expect(await taints()).toEqual([others[0]])
      await client.patch(clusters, memberName, { spec: { taints: [] } })
    })
    await life.unjoin(paris())
  })

  it('an unjoin outlasts a restart of the webhook, and says what it waits for', async () => {
    await life.join(paris())
    stop('karmada-webhook')
    await life.waitsFor('verify', 'webhooks')
    const [leaves, forced] = [{}, { force: true }].map((part) => life.leaving(paris(), part))
    expect(await life.driver.deregisterMember(leaves!)).toMatchObject({
      done: false,
      waitingFor: expect.stringMatching(/^the control plane of .* to work again: .*webhook/),
    })
    await expect(life.driver.deregisterMember(forced!)).rejects.toMatchObject({ name: 'ApiUnavailable' })
    goOn()
    await life.ensure('verify')
    await life.unjoin(paris())
    expect(await observed(life.memberContext(paris()))).toEqual({ state: 'absent' })
  })

  it('row 17: a join that was killed half-way is repeated, not refused as registered already', async () => {
    await life.prepare(paris())
    life.budget.reset()
    // The Secrets, then the Cluster, whose answer is lost.
    life.budget.killAfter(3)
    await expect(life.register(paris())).rejects.toBeInstanceOf(Killed)
    life.budget.lift()
    expect((await life.driver.checkMember(life.memberContext(paris()))).findings).toEqual([])
    await life.join(paris())
    await life.unjoin(paris())
  })

  it('rows 18, 19, 39: an unjoin of a member that is dead ends, and keeps the others', async () => {
    const tokyo = life.member(lab.members[1])
    await life.join(paris())
    await life.join(tokyo)
    await gated.gate.shut()
    await until('MemberUnreachable')
    const context = life.memberContext(paris())
    await untilDone(() => life.driver.deregisterMember(context))
    expect(await observed(context)).toEqual({ state: 'absent' })
    expect(await observed(life.memberContext(tokyo))).toEqual({ state: 'ready' })
    await expect(life.driver.cleanMember(context)).rejects.toMatchObject({ name: 'ConnectFailed', retryable: true })
    await gated.gate.open()
    await life.unjoin(paris())
    await life.unjoin(tokyo)
  })

  it.each<['keep' | 'delete', boolean]>([
    ['keep', false],
    ['delete', true],
  ])('tells which workloads stay in a member that Karmada does not reach (%s, force %s)', async (desired, force) => {
    await life.join(paris())
    const workload = await lab.deploy!(life.memberContext(paris()))
    await untilDone(async () => ({ done: await workload.isThere(), waitingFor: 'the ConfigMap in the member' }))
    await gated.gate.shut()
    await until('MemberUnreachable')
    const context = life.leaving(paris(), { force, ...(desired === 'delete' && { workloads: 'delete' }) })
    const said: string[][] = []
    await untilDone(async () => {
      const result = await life.driver.deregisterMember(context)
      said.push([...(result.warnings ?? [])])
      return result
    })
    expect(said[0]).toEqual([
      expect.stringMatching(
        desired === 'keep'
          ? /^Karmada did not reach the member, so its labels may still be on what stays there: ConfigMap default\/content-\d+\b/
          : /^Karmada did not reach the member, so what was to be removed may still be in it: ConfigMap default\/content-\d+\b/,
      ),
      '`kubectl get <kinds> -A -l karmada.io/managed=true` there finds what Karmada brought.',
    ])
    await gated.gate.open()
    await life.unjoin(paris())
    expect(await workload.isThere()).toBe(true)
    await workload.remove()
  })

  it('says nothing of workloads that Karmada itself sees to', async () => {
    await life.join(paris())
    const workload = await lab.deploy!(life.memberContext(paris()))
    await untilDone(async () => ({ done: await workload.isThere(), waitingFor: 'the ConfigMap in the member' }))
    const context = life.leaving(paris(), { workloads: 'delete' })
    await untilDone(async () => {
      const result = await life.driver.deregisterMember(context)
      expect(result.warnings).toBeUndefined()
      return result
    })
    expect(await workload.isThere()).toBe(false)
    await life.unjoin(paris())
    await workload.remove()
  })

  it('says which namespaces of workloads are still Terminating, and what holds them', async () => {
    await life.join(paris())
    const { admin } = gated.member
    const context = life.leaving(paris(), { workloads: 'delete' })
    const name = 'held-web'
    const space = executionSpace(context.membership)
    const labels = { 'karmada.io/managed': 'true' }
    const metadata = { name, labels, annotations: { 'work.karmada.io/namespace': space } }
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata })
    const held = { group: '', version: 'v1', plural: 'configmaps', namespace: name }
    const finalizers = ['example.com/hold']
    await admin.create(held, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', finalizers } })
    await admin.delete(namespaces, name)
    await untilDone(() => life.driver.deregisterMember(context))
    const said = new Set<string>()
    await untilDone(async () => {
      const result = await life.driver.cleanMember(context)
      for (const warning of result.warnings ?? []) said.add(warning)
      return result
    }, 15_000)
    expect([...said]).toEqual([expect.stringMatching(/^Workloads were removed, but .*still Terminating.*: held-web/)])
    await admin.patch(held, 'held', { metadata: { finalizers: null } })
    await life.unjoin(paris())
  })

  it('an observation of all members asks the control plane no more for many than for one', async () => {
    const observationCalls = async (): Promise<number> => {
      life.budget.reset()
      const { fault, members } = await life.driver.observe!(life.context())
      expect([fault, [...members.values()]]).toEqual([null, [...members.values()].map(() => ({ state: 'ready' }))])
      return life.budget.calls
    }
    const tokyo = life.member(lab.members[1])
    const none = await observationCalls()
    await life.join(paris())
    const one = await observationCalls()
    await life.join(tokyo)
    const two = await observationCalls()
    // What is left is asked of the member itself: whose `clusters/proxy` it is.
    expect([one - none, two - one]).toEqual([3, 3])
    await life.unjoin(paris())
    await life.unjoin(tokyo)
  })

  it('rows 18, 27: a member whose token was taken away is reported so, and a rotation repairs it', async () => {
    await life.join(paris())
    const name = memberObjectName(life.federation.id)
    const tokens = await gated.member.admin.list(secrets(name))
    for (const { metadata } of tokens.items) await gated.member.admin.delete(secrets(name), metadata.name)
    await until('MemberCredentialRejected')
    await life.rotate(paris())
    await until('ready')
    const controllers = lab.standIn.controllersIn(life.namespace)
    expect(await controllers?.isWatching('paris')).toBe(true)
    await life.unjoin(paris())
  })

  it('rows 18, 30: a member whose authority is another by now is reported so', async () => {
    await life.join(paris())
    const caBundle = Buffer.from(lab.hostServer.caPem).toString('base64')
    await withControlPlane(life.context(), (client) =>
      client.patch(secrets('karmada-cluster'), 'paris', { data: { caBundle } }),
    )
    const { fault, members } = await untilDone(async () => {
      const seen = await life.driver.observe!(life.context())
      const member = seen.members.get(gated.member.cluster.id)
      return {
        done: member?.state === 'not-ready',
        waitingFor: `the observation of it: ${JSON.stringify(member)}`,
        ...seen,
      }
    }, 15_000)
    expect(fault).toBeNull()
    expect(members.get(gated.member.cluster.id)).toMatchObject({ reason: 'MemberTlsFailed' })
    await life.register(paris())
    await until('ready')
    await life.unjoin(paris())
  })

  it('row 22: reserved namespaces are refused, and the host itself leaves without harm', async () => {
    for (const namespace of ['kube-system', 'default', 'kube-public']) {
      expect(life.driver.validateProperties({ namespace }), namespace).toEqual([expect.stringContaining(namespace)])
    }
    const host = life.member(lab.host)
    await life.join(host)
    await life.unjoin(host)
    await life.ensure('verify')
  })

  it('row 23: another cluster of the same name, and the same cluster under another name, are refused', async () => {
    await life.join(paris())
    const other = await testCluster('paris', lab.memberServers[1]!.kubeconfig)
    const findings = async (member: TestCluster, name: string) => {
      const context = life.memberContext(life.member(member))
      const membership = { ...context.membership, memberName: name }
      return (await life.driver.checkMember({ ...context, membership })).findings.map(({ reason }) => reason)
    }
    expect(await findings(other, 'paris')).toContain('ForeignObject')
    expect(await findings(gated.member, 'lutetia')).toContain('MemberAlreadyJoined')
    life.members.delete(other.cluster.id)
    other.close()
    await life.unjoin(paris())
  })

  it('rows 24, 25: a member without a token controller is joined by a token that expires', async () => {
    const server = await startSimulatedKubernetes({ tokenController: false })
    const member = await testCluster('oslo', server.kubeconfig)
    const oslo = life.member(member)
    const impatient = karmadaDriver({ ...QUICK, tokenTimeoutSeconds: 0 })
    const patient = life.memberContext(oslo)
    expect(await life.driver.prepareMember(patient)).toMatchObject({
      done: false,
      waitingFor: expect.stringContaining('token controller'),
    })
    const { credential } = await untilDone(() => impatient.prepareMember(life.memberContext(oslo)))
    expect(credential).toMatchObject({ kind: 'token-request', renewAfter: expect.any(String) })
    await life.unjoin(oslo)
    member.close()
    await server.close()
  })

  it('row 26: a token that the member does not take is never given to the control plane', async () => {
    const name = memberObjectName(life.federation.id)
    await life.prepare(paris())
    // Somebody makes the account anew: what its Secrets held is worthless.
    await gated.member.admin.delete(serviceAccounts(name), name)
    await untilDone(async () => {
      const { items } = await gated.member.admin.list(secrets(name))
      const left = items.filter(({ metadata }) => metadata.annotations?.['kubernetes.io/service-account.name'] === name)
      return { done: left.length === 0, waitingFor: 'the token controller to take away what is worthless' }
    })
    const context = life.memberContext(paris())
    const again = await untilDone(() => life.driver.prepareMember(context))
    expect(again.credential?.token.reveal()).not.toBe((await context.memberToken())?.reveal())
    await life.join(paris())
    await life.unjoin(paris())
  })

  it.each(['gke_project_zone_cluster', 'admin@kubernetes', 'a'.repeat(49), 'arn:aws:eks:eu-central-1:1:cluster/x'])(
    'rows 36, 37: the member name %s is refused before anything is made',
    async (memberName) => {
      const context = life.memberContext(paris())
      const membership = { ...context.membership, memberName }
      const { findings } = await life.driver.checkMember({ ...context, membership })
      expect(findings).toEqual([expect.objectContaining({ severity: 'error', reason: 'MemberNameInvalid' })])
    },
  )

  it('row 40: a join straight after an unjoin waits for what is being deleted, and then succeeds', async () => {
    const name = memberObjectName(life.federation.id)
    await life.join(paris())
    lab.memberServers[0]!.behaviour.namespaceBlocker = (blocked) =>
      blocked === name ? 'a finalizer remains' : undefined
    const context = life.memberContext(paris())
    await untilDone(() => life.driver.deregisterMember(context))
    const unjoined = await life.driver.cleanMember(context)
    expect(unjoined).toMatchObject({ done: false, waitingFor: expect.stringContaining('a finalizer remains') })
    life.members.delete(gated.member.cluster.id)
    const joined = await life.driver.prepareMember(life.memberContext(paris()))
    expect(joined).toMatchObject({
      done: false,
      waitingFor: expect.stringContaining(`${name} in the member to be gone`),
    })
    lab.memberServers[0]!.behaviour.namespaceBlocker = () => undefined
    lab.memberServers[0]!.refresh()
    await life.join(paris())
    await life.unjoin(paris())
    expect(await gated.member.admin.get(namespaces, name)).toBeUndefined()
  })

  it('row 40: a join waits while the namespace of an earlier membership still ends in the control plane', async () => {
    const [space, held] = ['karmada-es-paris', 'held']
    const finalizers = ['example.org/later']
    await life.prepare(paris())
    await withControlPlane(life.context(), async (client) => {
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: space } })
      const metadata = { name: held, namespace: space, finalizers }
      await client.create(secrets(space), { apiVersion: 'v1', kind: 'Secret', metadata })
      await client.delete(namespaces, space)
    })
    expect(await life.driver.registerMember(life.memberContext(paris()))).toMatchObject({
      done: false,
      waitingFor: `namespace ${space} of an earlier membership to be gone from the control plane`,
    })
    await withControlPlane(life.context(), async (client) => {
      expect((await client.list(clusters)).items).toEqual([])
      await client.patch(secrets(space), held, { metadata: { finalizers: [] } })
    })
    await life.join(paris())
    expect(await observed(life.memberContext(paris()))).toEqual({ state: 'ready' })
    await life.unjoin(paris())
  })

  it('rows 15, 40: rejoining under the same name at once gives the new token', async () => {
    for (let times = 0; times < 3; times += 1) {
      await life.join(paris())
      await life.unjoin(paris())
    }
    await withControlPlane(life.context(), async (client) => {
      expect((await client.list(clusters)).items).toEqual([])
      expect((await client.list(secrets('karmada-cluster'))).items).toEqual([])
    })
  })
})
