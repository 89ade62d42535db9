import { expect, it } from 'vitest'
import type { Cluster, ClusterEndpoint } from '../../../functions/core/cluster/cluster.ts'
import type { FederationDriver } from '../../../functions/drivers/contract/federation-driver.ts'
import { CallBudget } from '../../support/drivers/call-budget.ts'
import { untilDone } from '../../support/drivers/until-done.ts'
import type { Parts } from './federation-kills.ts'

/** No certificate at all: nobody looks into it but who connects. */
const OTHER_AUTHORITY = '-----BEGIN CERTIFICATE-----\nb3RoZXI=\n-----END CERTIFICATE-----\n'

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
}
