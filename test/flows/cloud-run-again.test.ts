import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cloudCandidateKey, cloudGrantsKey, cloudKey } from '../../functions/core/access/credentials.ts'
import { renewCluster } from '../../functions/core/cluster/rotate-cluster.ts'
import { PlannedFailure } from '../../functions/drivers/contract/errors.ts'
import { type CloudLab, openCloudLab } from '../support/cloud/cloud-lab.ts'
import { key } from '../support/flows/actions.ts'
import { rested } from '../support/flows/cluster-tasks.ts'
import { DEATHS } from '../support/flows/deaths.ts'
import { messages } from '../support/flows/look.ts'

/** Every step about application credentials is run, killed and run again, in two ways; the end must be the one of an undisturbed run. */

let cloud: CloudLab
beforeAll(async () => {
  cloud = await openCloudLab()
})
afterAll(() => cloud.dispose())
beforeEach(() => cloud.reset())

const THIRTY_DAYS = 30 * 86_400_000

/** What is left of a cluster and of the credentials that it was delegated. */
const endOf = async (id: string): Promise<Record<string, unknown>> => {
  const cluster = await rested(cloud.lab, id)
  const { credentials } = cloud.lab.ports.stores
  const sealed = [cloudKey, cloudCandidateKey, cloudGrantsKey].map((keyOf) => credentials.get(keyOf(key(id))))
  const use = cloud.inUse(id)
  const said = await messages(cloud.lab, 'cluster', id)
  return {
    cluster:
      cluster === 'gone' ? cluster : { status: cluster.status, reason: cluster.statusReason, task: cluster.task },
    owner: cluster === 'gone' ? null : cluster.cloud?.userId,
    credentials: { ana: cloud.namesOf('ana').length, ben: cloud.namesOf('ben').length },
    inUse: ['ana', 'ben'].filter((name) => use !== undefined && cloud.namesOf(name).includes(use)),
    sealed: (await Promise.all(sealed)).map((secret) => secret !== undefined),
    warnings: said.filter((message) => / failed \(/.test(message)).length,
  }
}

const KINDS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  'a rotation by another user': (id) => cloud.call('PATCH', `/v1/credentials/${id}`, { by: 'ben' }),
  'a resize by another user': (id) =>
    cloud.call('POST', `/v1/clusters/${id}/actions/resize`, { by: 'ben', body: { node_count: 2 } }),
  'a renewal by schedule': (id) => {
    cloud.lab.clock.advance(THIRTY_DAYS)
    return renewCluster(cloud.lab.ports, key(id), cloud.lab.clock.now().toISOString())
  },
  'a deletion': (id) => cloud.call('DELETE', `/v1/clusters/${id}`, { by: 'ana' }),
}

const endsAlike = async (run: (id: string) => Promise<unknown>, script: () => void): Promise<void> => {
  const ends: Record<string, unknown> = {}
  for (const [how, die] of Object.entries(DEATHS)) {
    cloud.reset()
    const id = await cloud.made('ana')
    script()
    die(cloud.lab)
    await run(id)
    ends[how] = await endOf(id)
  }
  const { 'not at all': undisturbed, ...others } = ends
  for (const [how, end] of Object.entries(others)) expect(end, how).toEqual(undisturbed)
}

describe.each(Object.entries(KINDS))('%s, whenever it is killed and run again', (_, run) => {
  it('succeeds the same', () => endsAlike(run, () => undefined))

  it('fails the same', () =>
    endsAlike(run, () => {
      cloud.lab.clusters.before = ({ name }) => {
        if (name.startsWith('ensure:')) throw new PlannedFailure('The cloud has no room.')
      }
    }))
})
