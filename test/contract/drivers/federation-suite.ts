import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Secret } from '../../../functions/core/values/secret.ts'
import type { FederationContext, FederationDriver } from '../../../functions/drivers/contract/federation-driver.ts'
import { FEDERATION_CONTRACT } from '../../../functions/drivers/contract/federation-driver-description.ts'
import { isTokenRefused } from '../../../functions/drivers/support/member/refused-token.ts'
import type { Connect } from '../../../functions/kubernetes/client.ts'
import { ConnectFailed, CredentialRejected } from '../../../functions/kubernetes/errors.ts'
import { CallBudget, counted } from '../../support/drivers/call-budget.ts'
import type { FederationLab, LabCluster } from '../../support/drivers/federation-lab.ts'
import { FederationLife } from '../../support/drivers/federation-life.ts'
import { unreachable } from '../../support/drivers/test-cluster.ts'
import { untilDone } from '../../support/drivers/until-done.ts'
import { describeControlPlane } from './federation-control-plane.ts'
import { describeFollowing } from './federation-following.ts'
import { describeKills } from './federation-kills.ts'

export type FederationSuiteOptions = {
  /** Makes the clusters; called once. `close` ends what it started. */
  open(): Promise<FederationLab & { close(): Promise<void> }>
  /** Properties that the driver finds good, besides none: of one federation, called for each. */
  properties?: () => Record<string, string>
  /** Files that come with the functions. Default: none. */
  asset?: FederationContext['asset']
  /** Properties with one fault each. */
  faulty?: Record<string, string>[]
  /** Kills after each `killEvery`th write of a life. Default 1: after every one. */
  killEvery?: number
}

/**
 * The contract of federation drivers (docs/drivers/federation-contract.md); the numbers of its rules begin the names of the tests.
 * Out-of-tree drivers run it too.
 */
export const describeFederationDriver = (driver: FederationDriver, options: FederationSuiteOptions): void => {
  // Each test has a federation of its own, so that they can wait for their namespaces together.
  describe(`federation driver ${driver.id}`, { concurrent: true, timeout: 120_000 }, () => {
    let lab: Awaited<ReturnType<FederationSuiteOptions['open']>>
    beforeAll(async () => {
      lab = await options.open()
    })
    afterAll(() => lab.close())

    let lives = 0
    const life = (budget?: CallBudget): FederationLife => {
      const made = new FederationLife({
        driver,
        host: () => lab.host.access(budget),
        connect: (connection) => {
          const client = lab.connect(connection)
          return budget === undefined ? client : counted(client, budget)
        },
        ...(options.properties === undefined ? {} : { properties: options.properties() }),
        ...(options.asset === undefined ? {} : { asset: options.asset }),
      })
      lives += 1
      if (driver.distinctMemberNames) made.nameSuffix = `-${lives}`
      return made
    }
    const way = (cluster: LabCluster, budget?: CallBudget) => () => cluster.access(budget)

    describeData(driver, options)
    describeFollowing(driver, { life, way, lab: () => lab })
    describeControlPlane(driver, { life, way, lab: () => lab })

    it('F3: preflights change nothing and find nothing wrong with good clusters', async () => {
      const budget = new CallBudget()
      const fed = life(budget)
      const [member] = lab.members
      const host = await driver.checkHost(fed.context())
      const joined = await driver.checkMember(fed.memberContext(way(member, budget)))
      const errors = [...host.findings, ...joined.findings].filter((finding) => finding.severity === 'error')
      expect(errors).toEqual([])
      expect(host.wouldMake.length + joined.wouldMake.length).toBeGreaterThan(
        driver.capabilities.usesKubernetesApi ? 0 : -1,
      )
      expect(budget.writes).toEqual([])
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    it('F4, F8, F14: a whole life ends with nothing left', async () => {
      const fed = life()
      const [first, second] = lab.members
      await fed.create()
      await expect(driver.observeMember(fed.memberContext(way(first)))).resolves.toEqual({ state: 'absent' })
      await Promise.all([fed.join(way(first)), fed.join(way(second))])
      for (const member of [first, second]) {
        await expect(driver.observeMember(fed.memberContext(way(member)))).resolves.toMatchObject({ state: 'ready' })
      }
      expect(await driver.endpoint(fed.context())).toEqual(
        driver.capabilities.usesKubernetesApi ? expect.any(String) : expect.anything(),
      )
      await fed.unjoin(way(first))
      await expect(driver.observeMember(fed.memberContext(way(first)))).resolves.toEqual({ state: 'absent' })
      await expect(driver.observeMember(fed.memberContext(way(second)))).resolves.toMatchObject({ state: 'ready' })
      await fed.unjoin(way(second))
      await fed.delete()
      expect(await lab.remains(fed.federation.id)).toEqual(
        fed.leftovers.map((ref) => expect.stringContaining(ref.name)),
      )
    })

    it('F5: a second run of everything writes nothing and says the same', async () => {
      const budget = new CallBudget()
      const fed = life(budget)
      // Where there are so many, one that nobody else joins and leaves meanwhile.
      const member = way(lab.members[2] ?? lab.members[0], budget)
      await fed.create()
      await fed.join(member)
      const [madeBefore, membersBefore] = [fed.federation.made, fed.memberContext(member).membership.made]
      budget.reset()
      await fed.create()
      await fed.join(member)
      expect(budget.writes).toEqual([])
      expect(fed.federation.made).toEqual(madeBefore)
      expect(fed.memberContext(member).membership.made).toEqual(membersBefore)
      await fed.unjoin(member)
      budget.reset()
      await fed.unjoin(member)
      await fed.delete()
      await fed.delete()
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    it('F7: undo takes back a create, also one that never began', async () => {
      const fed = life()
      await fed.undoCreate()
      await fed.create()
      await fed.undoCreate()
      await fed.undoCreate()
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    it('F9: results and what is kept hold no credential', async () => {
      const fed = life()
      const member = way(lab.members[0])
      await fed.create()
      const { token } = await fed.prepare(member)
      await fed.register(member)
      const kept = JSON.stringify([fed.federation, fed.memberContext(member).membership])
      expect(token?.reveal()).toBeTruthy()
      expect(kept).not.toContain(token?.reveal())
      await fed.unjoin(member)
      await fed.delete()
    })

    it('F11: a member leaves the control plane without being reached', async () => {
      const fed = life()
      const [member] = lab.members
      await fed.create()
      await fed.join(way(member))
      const gone = fed.memberContext(way(member))
      const context = { ...gone, member: unreachable(member.cluster, new Error('the member was called')) }
      await untilDone(() => driver.deregisterMember(context))
      const blank = { ...gone, membership: { ...gone.membership, made: [] } }
      expect(await driver.observeMember(blank)).toEqual({ state: 'absent' })
      await fed.unjoin(way(member))
      await fed.delete()
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    it('F12: two federations share host and member, and each removes only its own', async () => {
      const [one, other] = [life(), life()]
      const member = way(lab.members[0])
      await Promise.all([one.create(), other.create()])
      await Promise.all([one.join(member), other.join(member)])
      await one.unjoin(member)
      await one.delete()
      expect(await lab.remains(one.federation.id)).toEqual([])
      expect(await driver.observeMember(other.memberContext(member))).toMatchObject({ state: 'ready' })
      await other.unjoin(member)
      await other.delete()
      expect(await lab.remains(other.federation.id)).toEqual([])
    })

    it('F15: the host is a member where the driver says that it can be', async () => {
      if (!driver.capabilities.hostAsMember) return
      const fed = life()
      const [member] = lab.members
      await fed.create()
      await fed.join(way(lab.host))
      await fed.join(way(member))
      await fed.unjoin(way(lab.host))
      expect(await driver.observeMember(fed.memberContext(way(member)))).toMatchObject({ state: 'ready' })
      await fed.unjoin(way(member))
      await fed.delete()
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    it('F16: a rotation replaces the credential without a gap', async () => {
      const fed = life()
      const member = way(lab.members[0])
      await fed.create()
      const { token: before } = await fed.prepare(member)
      await fed.register(member)
      const madeOf = () =>
        fed
          .memberContext(member)
          .membership.made.map(({ where, kind }) => `${where} ${kind}`)
          .sort()
      const made = madeOf()
      await fed.rotate(member)
      // What the old one had is gone from the list, too, which would grow for ever.
      expect(madeOf()).toEqual(made)
      const after = await fed.memberContext(member).memberToken()
      if (driver.capabilities.usesKubernetesApi) expect(after?.reveal()).not.toBe(before?.reveal())
      expect(await driver.observeMember(fed.memberContext(member))).toMatchObject({ state: 'ready' })
      await fed.unjoin(member)
      await fed.delete()
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    it('F19: a refresh makes nothing, does not need the member, and writes once', async () => {
      if (driver.refreshMember === undefined) return
      const budget = new CallBudget()
      const fed = life(budget)
      const [member] = lab.members
      const to = way(member, budget)
      const refresh = async (context = fed.memberContext(to)): Promise<void> => {
        await untilDone(async () => (await driver.refreshMember?.(context)) ?? { done: true })
      }
      await fed.create()
      budget.reset()
      await refresh()
      expect(budget.writes).toEqual([])
      await fed.join(to)
      budget.reset()
      await refresh()
      expect(budget.writes).toEqual([])
      const stopped = unreachable(member.cluster, new ConnectFailed('The member is stopped.'))
      await refresh({ ...fed.memberContext(to), member: stopped })
      expect(await driver.observeMember(fed.memberContext(to))).toMatchObject({ state: 'ready' })
      budget.reset()
      await refresh({ ...fed.memberContext(to), member: stopped })
      expect(budget.writes).toEqual([])
      await refresh()
      const left = fed.memberContext(to)
      await fed.unjoin(to)
      budget.reset()
      await refresh(left)
      expect(budget.writes).toEqual([])
      await fed.delete()
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    it('F27: a cordon is put in force and taken back once, changes nothing else, and needs no member', async () => {
      const cordon = driver.cordonMember?.bind(driver)
      expect(cordon !== undefined).toBe(driver.capabilities.cordon === true)
      if (cordon === undefined) return
      const budget = new CallBudget()
      const fed = life(budget)
      const [member] = lab.members
      const to = way(member, budget)
      const stopped = unreachable(member.cluster, new ConnectFailed('The member is stopped.'))
      const turn = async (isCordoned: boolean): Promise<string[]> => {
        const context = { ...fed.memberContext(to), member: stopped }
        budget.reset()
        await untilDone(() => cordon(context, isCordoned))
        return budget.writes
      }
      await fed.create()
      expect(await turn(true)).toEqual([])
      await fed.join(to)
      expect(await turn(false)).toEqual([])
      const writes = driver.capabilities.usesKubernetesApi ? 1 : 0
      for (const isCordoned of [true, false]) {
        expect(await turn(isCordoned)).toHaveLength(writes)
        expect(await turn(isCordoned)).toEqual([])
        expect(await driver.observeMember(fed.memberContext(to))).toMatchObject({ state: 'ready' })
      }
      await turn(true)
      await fed.unjoin(to)
      expect(await turn(true)).toEqual([])
      await fed.delete()
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    it('F30: has what revokes credentials exactly with the capability', () => {
      const has = driver.capabilities.revoke === true
      expect([driver.revokeMember !== undefined, driver.tokensIn !== undefined]).toEqual([has, has])
    })

    const { revokeMember, tokensIn = () => [] } = driver
    it.runIf(revokeMember)('F30: what is revoked is refused, and replaced by a credential that works', async () => {
      const budget = new CallBudget()
      const fed = life(budget)
      const to = way(lab.members[0], budget)
      await fed.create()
      await fed.join(to)
      const before = await fed.memberContext(to).memberToken()
      const tokens = before === undefined ? [] : tokensIn(before)
      expect(tokens.length > 0).toBe(driver.capabilities.usesKubernetesApi)
      const isRefused = (token: Secret) => isTokenRefused(fed.memberContext(to), token)
      expect(await Promise.all(tokens.map(isRefused))).toEqual(tokens.map(() => false))
      const revoke = () => untilDone(() => revokeMember!(fed.memberContext(to)))
      await revoke()
      budget.reset()
      await revoke()
      expect(budget.writes).toEqual([])
      await untilDone(async () => ({
        done: !(await Promise.all(tokens.map(isRefused))).includes(false),
        waitingFor: 'the former tokens to be refused',
      }))
      await fed.join(to)
      expect(await driver.observeMember(fed.memberContext(to))).toMatchObject({ state: 'ready' })
      await fed.unjoin(to)
      await fed.delete()
      expect(await lab.remains(fed.federation.id)).toEqual([])
    })

    if (driver.capabilities.usesKubernetesApi) {
      describeKills({ life, way, lab: () => lab, killEvery: options.killEvery ?? 1 })

      it('F10: gives no credential that the member does not take', async () => {
        const fed = life()
        const member = way(lab.members[0])
        await fed.create()
        await fed.prepare(member)
        const refusing: Connect = (connection) => ({
          ...lab.connect(connection),
          post: () => Promise.reject(new CredentialRejected('The member refuses the token.')),
          close: () => undefined,
        })
        const context = { ...fed.memberContext(member), connect: refusing }
        await expect(driver.prepareMember(context)).rejects.toMatchObject({
          name: 'CredentialNotProved',
          retryable: true,
        })
        await fed.unjoin(member)
        await fed.delete()
        expect(await lab.remains(fed.federation.id)).toEqual([])
      })

      it('F13: objects of others are refused by name and stay as they are', async () => {
        const fed = life()
        // The last one: where there are more than two it is nobody else's, so that each join makes the same.
        const member = lab.members.at(-1) ?? lab.members[0]
        await fed.create()
        await fed.join(way(member))
        const refs = fed.memberContext(way(member)).membership.made
        // What the control plane makes for itself has no uid: the driver only tells it.
        const targets = refs.filter((ref) => ref.uid !== '' && (ref.where === 'host' || ref.namespace === ''))
        await fed.unjoin(way(member))
        expect(targets.length).toBeGreaterThan(0)
        for (const ref of targets) {
          const other = await lab.occupy?.(ref, fed.context())
          const findings = (await driver.checkMember(fed.memberContext(way(member)))).findings
          expect(findings.filter(({ reason }) => reason === 'ForeignObject').map(({ message }) => message)).toEqual([
            expect.stringContaining(ref.name),
          ])
          await expect(fed.join(way(member))).rejects.toMatchObject({ name: 'ForeignObject', retryable: false })
          await fed.unjoin(way(member))
          expect(await other?.isIntact()).toBe(true)
          await other?.remove()
          await untilDone(async () => ({ done: !(await other?.isIntact()), waitingFor: `${ref.kind} to be gone` }))
        }
        await fed.delete()
        expect(await lab.remains(fed.federation.id)).toEqual([])
      })
    }
  })
}

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** Rules about the driver as data. */
const describeData = (
  driver: FederationDriver,
  { properties = () => ({}), faulty = [] }: FederationSuiteOptions,
): void => {
  it('F1: names itself, its contract and its options', () => {
    expect(driver.id).toMatch(/^[a-z][a-z0-9-]*@[1-9][0-9]*$/)
    expect(driver.contract).toBe(FEDERATION_CONTRACT)
    expect(driver.description).toMatch(/\.$/)
    const keys = driver.properties.map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('F2: finds faults in its own properties only, one sentence each', () => {
    expect(driver.validateProperties({})).toEqual([])
    expect(driver.validateProperties(properties())).toEqual([])
    expect(driver.validateProperties({ 'unknown-key': 'kept' })).toEqual([])
    const defaults = driver.properties.flatMap(({ key, default: value }) => (value === null ? [] : [[key, value]]))
    expect(driver.validateProperties(Object.fromEntries(defaults))).toEqual([])
    for (const fault of faulty) {
      expect(driver.validateProperties(fault)).toEqual([expect.stringMatching(/\.$/)])
    }
  })

  it('F4: has phases with stable ids, titles and deadlines', () => {
    for (const plan of Object.values(driver.phases)) {
      const ids = plan.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const phase of plan) {
        expect(phase.id).toMatch(KEBAB)
        expect(phase.title).not.toBe('')
        expect(phase.deadlineSeconds).toBeGreaterThan(0)
      }
    }
  })
}
