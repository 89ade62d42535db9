import { expect, it } from 'vitest'
import type { Cluster, ClusterEndpoint } from '../../../functions/core/cluster/cluster.ts'
import type { FederationDriver } from '../../../functions/drivers/contract/federation-driver.ts'
import { CallBudget } from '../../support/drivers/call-budget.ts'
import { untilDone } from '../../support/drivers/until-done.ts'
import type { Parts } from './federation-kills.ts'

/** No certificate at all: nobody looks into it but who connects. */
const OTHER_AUTHORITY = '-----BEGIN CERTIFICATE-----\nb3RoZXI=\n-----END CERTIFICATE-----\n'

/** Kinds that a join makes in a member, without which the control plane can't get in. */
const IN_MEMBER = new Set(['ServiceAccount', 'ClusterRoleBinding', 'ClusterRole'])

/** Requests for one member at a look, in host and member together: each is made for every cluster in five minutes. */
const OBSERVE_CALLS_MAX = 8

/** What becomes of a member's cluster, one after the other; at last it is what it was. */
const movesOf = ({ name, endpoint: before }: Cluster): Partial<Cluster>[] => {
  const endpoint = { ...before, serverForPeers: 'https://moved.example:6443' } as ClusterEndpoint
  const moves = [{ endpoint }, { endpoint: { ...endpoint, caPem: OTHER_AUTHORITY } }]
  return [...moves, { endpoint, name: `${name}-renamed` }, {}]
}

/** Rules about what follows a source: the member's cluster as it is registered by now. */
export const describeFollowing = (driver: FederationDriver, { life, way, lab }: Parts): void => {
  it('F28: a refresh follows address, authority and name of the member, and writes once', async () => {
    const refresh = driver.refreshMember?.bind(driver)
    if (refresh === undefined) return
    const budget = new CallBudget()
    const fed = life(budget)
    const to = way(lab().members[0], budget)
    await fed.create()
    await fed.join(to)
    const there = fed.memberContext(to)
    const { cluster } = there.member
    const writesAt = async (change: Partial<Cluster>): Promise<number> => {
      budget.reset()
      await untilDone(() => refresh({ ...there, member: { ...there.member, cluster: { ...cluster, ...change } } }))
      return budget.writes.length
    }
    for (const change of movesOf(cluster)) {
      expect((await writesAt(change)) > 0).toBe(driver.capabilities.usesKubernetesApi)
      expect(await writesAt(change)).toBe(0)
    }
    expect(await driver.observeMember(fed.memberContext(to))).toMatchObject({ state: 'ready' })
    await fed.unjoin(to)
    await fed.delete()
    expect(await lab().remains(fed.federation.id)).toEqual([])
  })
  it('F29: what somebody deleted of a member is told in few requests, and made again', async () => {
    const observe = driver.observeMade?.bind(driver)
    if (observe === undefined || lab().destroy === undefined) return
    const budget = new CallBudget()
    const fed = life(budget)
    // Nobody else's, where there are more than two.
    const member = lab().members.at(-1) ?? lab().members[0]
    const to = way(member, budget)
    await fed.create()
    await fed.join(to)
    budget.reset()
    expect(await observe(fed.memberContext(to))).toEqual([])
    expect([budget.writes, budget.calls <= OBSERVE_CALLS_MAX]).toEqual([[], true])
    const told = fed.memberContext(to).membership.made.filter((ref) => ref.uid !== '' && IN_MEMBER.has(ref.kind))
    expect(told.map(({ where }) => where)).toContain('member')
    for (const ref of told.filter(({ where }) => where === 'member')) {
      await lab().destroy?.(ref)
      await expect.poll(() => observe(fed.memberContext(to)), { timeout: 15_000 }).not.toEqual([])
      await fed.rotate(to)
      expect(await observe(fed.memberContext(to))).toEqual([])
      expect(await driver.observeMember(fed.memberContext(to))).toMatchObject({ state: 'ready' })
    }
    await fed.unjoin(to)
    await fed.delete()
    expect(await lab().remains(fed.federation.id)).toEqual([])
  })
}
