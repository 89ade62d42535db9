import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cloudCandidateKey, cloudGrantsKey, cloudKey } from '../../functions/core/access/credentials.ts'
import { renewCluster } from '../../functions/core/cluster/rotate-cluster.ts'
import { PlannedFailure } from '../../functions/drivers/contract/errors.ts'
import { phasesBeforeRotation } from '../../functions/flows/phases/cloud.ts'
import { StoreBusy } from '../../functions/store/errors.ts'
import { NO_CLOUD } from '../support/cloud/cloud-driver.ts'
import { type CloudLab, openCloudLab } from '../support/cloud/cloud-lab.ts'
import { key } from '../support/flows/actions.ts'
import { groupsOf, rested } from '../support/flows/cluster-tasks.ts'
import { clusterOf, messages } from '../support/flows/look.ts'
import { collect } from '../support/store/contract-subject.ts'

const DAY = 86_400_000

let cloud: CloudLab
beforeAll(async () => {
  cloud = await openCloudLab()
})
afterAll(() => cloud.dispose())
beforeEach(() => cloud.reset())

const lab = () => cloud.lab
const resting = (id: string) => rested(lab(), id)
const create = (by: string, body: object = {}) =>
  cloud.call('POST', '/v1/clusters', { by, body: { driver: 'memory@1', ...body } })
const rotate = (id: string, by: string) => cloud.call('PATCH', `/v1/credentials/${id}`, { by })
const resize = (id: string, by: string, nodeCount = 2) =>
  cloud.call('POST', `/v1/clusters/${id}/actions/resize`, { by, body: { node_count: nodeCount } })
const remove = (id: string, by: string) => cloud.call('DELETE', `/v1/clusters/${id}`, { by })
const lastMessage = async (id: string) => (await messages(lab(), 'cluster', id)).at(-1)
const sealed = (id: string) =>
  Promise.all(
    [cloudKey, cloudCandidateKey, cloudGrantsKey].map(async (keyOf) =>
      (await lab().ports.stores.credentials.get(keyOf(key(id)))) === undefined ? 'none' : 'sealed',
    ),
  )
const now = () => lab().clock.now().toISOString()
const inDays = (days: number) => new Date(lab().clock.now().getTime() + days * DAY).toISOString()
/** The schedule finds the cluster due. */
const renew = (id: string) => renewCluster(lab().ports, key(id), now())
const failTask = (kind: string) => {
  lab().clusters.before = ({ name }) => {
    if (name === `ensure:${kind}`) throw new PlannedFailure('The cloud has no room.')
  }
}
const down = (call: string) => {
  cloud.keystone.credentialTrouble = (now) => (now === call ? { trouble: 'error', done: false } : undefined)
}

describe('creating a cluster that needs a cloud', () => {
  it('makes application credentials of the caller, and gives the driver the restricted one', async () => {
    const id = await cloud.made('ana')
    const [unrestricted, restricted] = cloud.namesOf('ana')
    expect(restricted).toMatch(new RegExp(`^fedplane-${id}-[0-9a-f]{8}$`))
    expect(unrestricted).toBe(`${restricted}-renewal`)
    expect(cloud.inUse(id)).toBe(restricted)
    expect(cloud.secrets.get(id)).toMatchObject({ authUrl: `${cloud.keystone.url}/v3`, region: 'north', caPem: null })
    expect(await clusterOf(lab(), id)).toMatchObject({
      status: 'CREATE_COMPLETE',
      cloud: { userId: 'ana', renewAfter: inDays(30) },
    })
    expect(await sealed(id)).toEqual(['sealed', 'none', 'sealed'])
  })

  it('makes none for a cluster that needs none', async () => {
    const { status } = await create('ana', { labels: { [NO_CLOUD]: 'yes' } })
    expect([status, cloud.namesOf('ana')]).toEqual([202, []])
  })

  it('revokes them again when the cluster can not be stored', async () => {
    const commit = () => Promise.reject(new StoreBusy('The database is busy.'))
    const app = cloud.appOver({ stores: { ...lab().ports.stores, commit } })
    const { status } = await cloud.call('POST', '/v1/clusters', { by: 'ana', body: { driver: 'memory@1' }, app })
    expect([status, cloud.namesOf('ana')]).toEqual([503, []])
    expect(cloud.keystone.credentialCalls).toContain('POST')
  })

  it('is refused where no Keystone is configured', async () => {
    const app = cloud.appWithoutCloud()
    const answer = await cloud.call('POST', '/v1/clusters', { by: 'ana', body: { driver: 'memory@1' }, app })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].detail).toMatch(/no Keystone is configured.*docs\/authentication\.md/)
  })

  it('is refused to callers whom somebody else vouched for', async () => {
    const as = { userId: 'ana', projectId: 'blue', roles: ['member'], source: 'oidc' } as const
    const answer = await cloud.callAs(as, 'POST', '/v1/clusters', { driver: 'memory@1' })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].detail).toMatch(/token of Keystone.*--unrestricted/)
  })

  it('is refused with a restricted application credential, and nothing is stored', async () => {
    cloud.put('ana', { by: { id: 'x', unrestricted: false } })
    const answer = await create('ana', { name: 'refused' })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].detail).toMatch(/restricted application credential.*--unrestricted/)
    expect(await lab().ports.stores.clusters.findByName('blue', 'refused')).toEqual([])
  })

  it('answers 401 with a token that Keystone takes no longer, and 503 while Keystone is down', async () => {
    down('POST')
    expect((await create('ana')).status).toBe(503)
    cloud.keystone.tokens.clear()
    expect((await create('ana')).status).toBe(401)
  })
})

describe('PATCH /v1/credentials', () => {
  it("puts the caller's credentials in force, and revokes the former ones", async () => {
    const id = await cloud.made('ana')
    expect((await rotate(id, 'ben')).status).toBe(202)
    expect(await resting(id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      cloud: { userId: 'ben', renewAfter: inDays(30) },
      conditions: [{ type: 'CloudCredentialRenewed', status: 'True', reason: 'Renewed' }],
    })
    expect(cloud.namesOf('ana')).toEqual([])
    expect(cloud.inUse(id)).toBe(cloud.namesOf('ben')[1])
    expect(await sealed(id)).toEqual(['sealed', 'none', 'sealed'])
  })

  it('is refused with a sentence when the caller can delegate nothing', async () => {
    const id = await cloud.made('ana')
    cloud.put('ben', { federated: true })
    const answer = await rotate(id, 'ben')
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].detail).toMatch(/given to the user himself/)
    expect(await clusterOf(lab(), id)).toMatchObject({ status: 'CREATE_COMPLETE', cloud: { userId: 'ana' } })
  })

  it('keeps the former ones when the driver fails, and revokes what it had brought with the next rotation', async () => {
    const id = await cloud.made('ana')
    const before = cloud.inUse(id)
    failTask('rotate-credential')
    await rotate(id, 'ben')
    expect(await resting(id)).toMatchObject({ status: 'UPDATE_FAILED', cloud: { userId: 'ana' } })
    expect(cloud.inUse(id)).toBe(before)
    expect(cloud.namesOf('ben')).toHaveLength(2)
    lab().clusters.before = undefined
    await rotate(id, 'ana')
    await resting(id)
    expect([cloud.namesOf('ben'), cloud.namesOf('ana')]).toEqual([[], [expect.any(String), cloud.inUse(id)]])
  })

  it('ends well when the former ones can not be revoked, says so, and does it with the next rotation', async () => {
    const id = await cloud.made('ana')
    down('DELETE')
    await rotate(id, 'ben')
    expect(await resting(id)).toMatchObject({ status: 'UPDATE_COMPLETE', cloud: { userId: 'ben' } })
    expect(await lastMessage(id)).toMatch(/revocation of the former application credentials failed/)
    expect(cloud.namesOf('ana')).toHaveLength(2)
    cloud.keystone.credentialTrouble = undefined
    await rotate(id, 'ben')
    await resting(id)
    expect([cloud.namesOf('ana'), cloud.namesOf('ben').length]).toEqual([[], 2])
  })

  it('names those of a user who has left the project, and forgets them', async () => {
    const id = await cloud.made('ana')
    const restricted = cloud.secrets.get(id)?.applicationCredentialId
    cloud.keystone.removeRole('ana', 'blue')
    await rotate(id, 'ben')
    expect(await resting(id)).toMatchObject({ status: 'UPDATE_COMPLETE', cloud: { userId: 'ben' } })
    expect(await lastMessage(id)).toMatch(`${restricted} and `)
    await rotate(id, 'ben')
    await resting(id)
    expect(await lastMessage(id)).not.toMatch(String(restricted))
  })
})

describe('a change by another user', () => {
  it('gives the cluster his credentials first, so that it works after the owner has left', async () => {
    const id = await cloud.made('ana')
    cloud.keystone.removeRole('ana', 'blue')
    expect((await resize(id, 'ben')).status).toBe(202)
    expect(await clusterOf(lab(), id)).toMatchObject({ status: 'UPDATE_IN_PROGRESS', nodes: { nodeCount: 2 } })
    expect(await resting(id)).toMatchObject({ status: 'UPDATE_COMPLETE', cloud: { userId: 'ben' } })
    expect((await groupsOf(lab(), id)).map(({ status, reachedCount }) => [status, reachedCount])).toEqual([
      ['CREATE_COMPLETE', 1],
      ['UPDATE_COMPLETE', 2],
    ])
    expect(cloud.inUse(id)).toBe(cloud.namesOf('ben')[1])
  })

  it('rotates nothing when the owner asks for it', async () => {
    const id = await cloud.made('ana')
    const before = cloud.inUse(id)
    await resize(id, 'ana')
    await resting(id)
    expect(cloud.inUse(id)).toBe(before)
  })

  it('goes on with what there is when he can delegate nothing', async () => {
    const id = await cloud.made('ana')
    cloud.put('ben', { by: { id: 'x', unrestricted: false } })
    await resize(id, 'ben')
    expect(await resting(id)).toMatchObject({ status: 'UPDATE_COMPLETE', cloud: { userId: 'ana' } })
    expect(cloud.namesOf('ben')).toEqual([])
  })

  it('brings no second pair while one waits', async () => {
    const id = await cloud.made('ana')
    cloud.put('carl')
    await Promise.all([resize(id, 'ben'), resize(id, 'carl', 3)])
    await resting(id)
    const owners = ['ben', 'carl'].filter((name) => cloud.namesOf(name).length > 0)
    expect(owners).toHaveLength(1)
    expect(await clusterOf(lab(), id)).toMatchObject({ cloud: { userId: owners[0] } })
    expect(cloud.namesOf('ana')).toEqual([])
  })

  it('leaves nothing in Keystone when it is refused', async () => {
    const id = await cloud.made('ana')
    const app = cloud.appOver({
      stores: { ...lab().ports.stores, commit: () => Promise.reject(new StoreBusy('The database is busy.')) },
    })
    const target = `/v1/clusters/${id}/actions/resize`
    expect((await cloud.call('POST', target, { by: 'ben', body: { node_count: 2 }, app })).status).toBe(503)
    expect(cloud.keystone.credentialCalls.filter((call) => call === 'POST')).toHaveLength(4)
    expect(cloud.namesOf('ben')).toEqual([])
  })
})

describe('the schedule', () => {
  it('renews them without the user when they are due', async () => {
    const id = await cloud.made('ana')
    const before = cloud.inUse(id)
    expect(await renew(id)).toBe(false)
    lab().clock.advance(30 * DAY)
    cloud.keystone.tokens.clear()
    expect(await collect(lab().ports.stores.work.renewals(now()))).toContainEqual({ kind: 'cluster', ...key(id) })
    expect(await renew(id)).toBe(true)
    expect(await resting(id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      cloud: { userId: 'ana', renewAfter: inDays(30) },
    })
    expect(cloud.inUse(id)).not.toBe(before)
    expect(cloud.namesOf('ana')).toEqual([expect.any(String), cloud.inUse(id)])
    expect(await collect(lab().ports.stores.work.renewals(now()))).not.toContainEqual({ kind: 'cluster', ...key(id) })
  })

  it('says in a condition that they can not be renewed, leaves the cluster alone, and tries again in a day', async () => {
    const id = await cloud.made('ana')
    lab().clock.advance(30 * DAY)
    cloud.keystone.removeRole('ana', 'blue')
    cloud.secrets.delete(id)
    await renew(id)
    expect(await resting(id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      cloud: { userId: 'ana', renewAfter: inDays(1) },
      conditions: [
        { type: 'CloudCredentialRenewed', status: 'False', message: expect.stringContaining(`/v1/credentials/${id}`) },
      ],
    })
    expect(await lastMessage(id)).toMatch(/CloudGrantDead: .* of user ana/)
    expect(await renew(id)).toBe(false)
  })

  it('tries again in a day, too, when the driver fails', async () => {
    const id = await cloud.made('ana')
    const before = cloud.inUse(id)
    lab().clock.advance(30 * DAY)
    failTask('rotate-credential')
    await renew(id)
    expect(await resting(id)).toMatchObject({
      status: 'UPDATE_FAILED',
      cloud: { userId: 'ana', renewAfter: inDays(1) },
    })
    expect([cloud.inUse(id), await sealed(id)]).toEqual([before, ['sealed', 'none', 'sealed']])
  })

  it('does not lose a pair whose answer was lost', async () => {
    const id = await cloud.made('ana')
    lab().clock.advance(30 * DAY)
    let lost = 0
    cloud.keystone.credentialTrouble = (call, count) => {
      if (call !== 'POST' || count !== 3) return undefined
      lost += 1
      return { trouble: 'down', done: true }
    }
    await renew(id)
    expect(await resting(id)).toMatchObject({ status: 'UPDATE_COMPLETE', cloud: { renewAfter: inDays(30) } })
    expect([lost, cloud.namesOf('ana').length]).toEqual([1, 2])
  })
})

describe('a renewal that a deletion overtakes', () => {
  it('leaves nothing in Keystone', async () => {
    const id = await cloud.made('ana')
    lab().clock.advance(30 * DAY)
    const { executions, cloud: keystone } = lab().ports
    if (keystone === undefined) throw new Error('the lab has no cloud')
    const held = { ...lab().ports, executions: { ...executions, start: () => Promise.resolve() } }
    await renewCluster(held, key(id), now())
    const cluster = await clusterOf(lab(), id)
    if (!cluster?.operation) throw new Error('no renewal began')
    const overtaken: typeof keystone = {
      ...keystone,
      renew: async (...asked) => {
        const grant = await keystone.renew(...asked)
        await remove(id, 'ana')
        await resting(id)
        return grant
      },
    }
    const target = { projectId: 'blue', entityId: id, operationId: cluster.operation.id, attempt: 1 }
    const [phase] = phasesBeforeRotation({ ...lab().ports, cloud: overtaken, pollMs: 0 }, target, cluster)
    await expect(phase?.ensure()).rejects.toMatchObject({ name: 'OperationSuperseded' })
    expect(cloud.namesOf('ana')).toEqual([])
  })
})

describe('deleting a cluster', () => {
  it('revokes both, and forgets them', async () => {
    const id = await cloud.made('ana')
    expect((await remove(id, 'ana')).status).toBe(204)
    expect(await resting(id)).toBe('gone')
    expect([cloud.namesOf('ana'), await sealed(id)]).toEqual([[], ['none', 'none', 'none']])
    expect(await lastMessage(id)).toMatch(/was deleted\.$/)
  })

  it("works with the caller's when the owner has left, and tells what may be left of him", async () => {
    const id = await cloud.made('ana')
    cloud.keystone.removeRole('ana', 'blue')
    expect((await remove(id, 'ben')).status).toBe(204)
    expect(await resting(id)).toBe('gone')
    expect(cloud.namesOf('ben')).toEqual([])
    expect(await lastMessage(id)).toMatch(/of user ana could not be revoked/)
  })

  it('makes none when the present ones work', async () => {
    const id = await cloud.made('ana')
    await remove(id, 'ben')
    expect(await resting(id)).toBe('gone')
    expect(cloud.keystone.credentialCalls.filter((call) => call === 'POST')).toHaveLength(2)
  })

  it('in the middle of a rotation revokes all that there are', async () => {
    const id = await cloud.made('ana')
    const hold = Promise.withResolvers<void>()
    lab().clusters.before = ({ name }) => (name === 'ensure:rotate-credential' ? hold.promise : undefined)
    await rotate(id, 'ben')
    cloud.keystone.removeRole('ana', 'blue')
    await remove(id, 'ben')
    hold.resolve()
    expect(await resting(id)).toBe('gone')
    expect([cloud.namesOf('ana'), cloud.namesOf('ben')]).toEqual([[], []])
  })

  it('goes on while Keystone is down, and names what is left', async () => {
    const id = await cloud.made('ana')
    const restricted = cloud.secrets.get(id)?.applicationCredentialId
    down('LOGIN')
    expect((await remove(id, 'ana')).status).toBe(204)
    expect(await resting(id)).toBe('gone')
    expect(await lastMessage(id)).toMatch(/revocation of the application credentials failed/)
    expect(await lastMessage(id)).toMatch(`${restricted} and `)
  })
})

it('shows tokens and secrets in no log, event, state or cluster', async () => {
  const id = await cloud.made('ana')
  await rotate(id, 'ben')
  await resting(id)
  const shown = [
    inspect(lab().log.lines, { depth: 10 }),
    (await messages(lab(), 'cluster', id)).join(),
    JSON.stringify(await lab().engine.list()),
    inspect(await clusterOf(lab(), id), { depth: 10 }),
  ]
  for (const text of shown) expect(text).not.toMatch(/token-of-|session-token|secret-that/)
})
