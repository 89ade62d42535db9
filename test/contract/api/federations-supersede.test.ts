import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newOperation } from '../../../functions/core/operation/launch.ts'
import { changeFederation, givenCluster, readFederation, settleFederation } from '../../support/api/entities.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'

/** PATCH of properties while an update of properties runs (decision 0023). */

let lab: ApiLab
let host: string
beforeAll(async () => {
  lab = await createApiLab()
  host = await givenCluster(lab)
})
afterAll(() => lab.dispose())

const set = (key: string, value: string) => [{ op: 'add', path: `/properties/${key}`, value }]
const patch = (id: string, body: unknown, query = '') => lab.call('PATCH', `/v1/federations/${id}${query}`, { body })

const given = async (properties: Record<string, string> = { a: '1' }): Promise<string> => {
  const { body } = await lab.call('POST', '/v1/federations', { body: { hostcluster_id: host, properties } })
  await settleFederation(lab, body.uuid)
  return body.uuid
}

/** A federation whose update to `a=2` runs. */
const updating = async () => {
  const id = await given()
  expect((await patch(id, set('a', '2'))).status).toBe(202)
  const { operation } = await readFederation(lab, id)
  return { id, running: operation?.id ?? '' }
}

const lastEvent = async (id: string) => {
  const { body } = await lab.call('GET', `/v1/federations/${id}/events`)
  return body.events.at(-1)
}

/** An API in which something happens between what a request read and its first commit. */
const raced = (between: () => Promise<unknown>) => {
  let isFirst = true
  const commit: typeof lab.ports.stores.commit = async (writes) => {
    const race = isFirst
    isFirst = false
    if (race) await between()
    return lab.ports.stores.commit(writes)
  }
  return lab.appOver({ stores: { ...lab.ports.stores, commit } })
}

describe('PATCH of properties while an update of properties runs', () => {
  it('takes over: a new operation that ends the execution of the old one', async () => {
    const { id, running } = await updating()
    await changeFederation(lab, id, { statusReason: "7/11 waiting for a wrong image's pods" })
    expect((await patch(id, set('a', '3'))).status).toBe(202)
    const federation = await readFederation(lab, id)
    expect(federation).toMatchObject({
      status: 'UPDATE_IN_PROGRESS',
      statusReason: null,
      properties: { a: '3' },
      operation: {
        kind: 'update',
        attempt: 1,
        mode: 'do',
        supersedes: [{ flow: 'federation-update', name: `${running}-1` }],
      },
    })
    expect(federation.operation?.id).not.toBe(running)
    expect(lab.executions.starts.at(-1)).toMatchObject({
      flow: 'federation-update',
      name: `${federation.operation?.id}-1`,
    })
    expect(await lastEvent(id)).toMatchObject({
      action: 'update',
      outcome: 'pending',
      message: 'Changing the properties, in place of the change that was running.',
    })
  })

  it('ends also what the one before had not ended yet', async () => {
    const { id, running } = await updating()
    await patch(id, set('a', '3'))
    const second = (await readFederation(lab, id)).operation?.id
    await patch(id, set('a', '1'))
    const { supersedes } = (await readFederation(lab, id)).operation ?? {}
    expect(supersedes?.map(({ name }) => name)).toEqual([`${running}-1`, `${second}-1`])
  })

  it('is refused after twenty that took the place of one another', async () => {
    const { id } = await updating()
    const answers: number[] = []
    for (let n = 0; n < 21; n += 1) answers.push((await patch(id, set('n', `${n}`))).status)
    expect(answers).toEqual([...Array.from({ length: 20 }, () => 202), 409])
    expect((await readFederation(lab, id)).properties.n).toBe('19')
  })

  it('changes nothing when it asks for what is under way', async () => {
    const { id, running } = await updating()
    expect((await patch(id, set('a', '2'))).status).toBe(202)
    expect((await readFederation(lab, id)).operation?.id).toBe(running)
  })

  it('leaves memberships and their run of changes as they are', async () => {
    const { id } = await updating()
    const member = await givenCluster(lab)
    await patch(id, [{ op: 'add', path: '/member_ids', value: member }])
    const { change, memberIds } = await readFederation(lab, id)
    expect((await patch(id, set('a', '3'))).status).toBe(202)
    expect(await readFederation(lab, id)).toMatchObject({ change, memberIds })
  })

  it('is checked by a dry run, which changes nothing', async () => {
    const { id, running } = await updating()
    expect((await patch(id, set('a', '3'), '?dry_run=true')).status).toBe(200)
    expect(await readFederation(lab, id)).toMatchObject({ properties: { a: '2' }, operation: { id: running } })
  })

  it('is measured by what the driver allows, and what it refuses ends nothing', async () => {
    const { id, running } = await updating()
    expect((await patch(id, set('color', 'green'))).status).toBe(400)
    expect((await readFederation(lab, id)).operation?.id).toBe(running)
  })

  it.each<[string, 'UPDATE_IN_PROGRESS' | 'UPDATE_FAILED']>([
    ['that runs', 'UPDATE_IN_PROGRESS'],
    ['that failed', 'UPDATE_FAILED'],
  ])('may follow neither what is in force nor the update %s, where the driver says so', async (_, status) => {
    const id = await given({ locked: '1' })
    await patch(id, set('a', '2'))
    const { operation, propertiesInForce } = await readFederation(lab, id)
    expect(propertiesInForce).toEqual({ locked: '1' })
    const runs = status === 'UPDATE_IN_PROGRESS'
    await changeFederation(lab, id, { status, properties: { locked: '2' }, operation: runs ? operation : null })
    for (const value of ['2', '1']) {
      const { status, body } = await patch(id, [
        { op: 'replace', path: '/properties', value: { locked: value, b: '1' } },
      ])
      expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('properties.locked')])
    }
    expect((await readFederation(lab, id)).propertiesInForce).toEqual({ locked: '1' })
  })
})

describe('two PATCHes of properties at once', () => {
  const BOTH = 'Another request began to change its properties at the same time'

  it('one wins, the other is 409', async () => {
    const id = await given()
    const app = raced(() => patch(id, set('b', 'first')))
    const { status, body } = await callApp(app, 'PATCH', `/v1/federations/${id}`, { body: set('b', 'second') })
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining(BOTH)])
    expect((await readFederation(lab, id)).properties).toEqual({ a: '1', b: 'first' })
  })

  it('also in place of an update that runs, which is taken over once', async () => {
    const { id, running } = await updating()
    const app = raced(() => patch(id, set('a', 'first')))
    const { status, body } = await callApp(app, 'PATCH', `/v1/federations/${id}`, { body: set('a', 'second') })
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining(BOTH)])
    const { properties, operation } = await readFederation(lab, id)
    expect([properties, operation?.supersedes.length]).toEqual([{ a: 'first' }, 1])
    expect(operation?.supersedes[0]?.name).toBe(`${running}-1`)
  })

  it('is no such thing when only an observation of the health sweep came between', async () => {
    const { id } = await updating()
    const app = raced(() => changeFederation(lab, id, { statusReason: '1/2 waiting for more' }))
    expect((await callApp(app, 'PATCH', `/v1/federations/${id}`, { body: set('a', '3') })).status).toBe(202)
  })
})

describe('a failure of an update while members move', () => {
  it('is forgotten when the properties are changed again', async () => {
    const id = await given()
    await patch(id, [{ op: 'add', path: '/member_ids', value: await givenCluster(lab) }])
    const { change } = await readFederation(lab, id)
    const failure = { reason: 'PlannedFailure', message: 'It failed.' }
    await changeFederation(lab, id, { change: change && { ...change, failure } })
    expect((await patch(id, set('a', '2'))).status).toBe(202)
    expect((await readFederation(lab, id)).change).toEqual(change)
  })
})

it('a rotation of certificates is not taken over', async () => {
  const id = await given()
  await changeFederation(lab, id, { operation: newOperation(lab.ports, 'rotate', { deadlineSeconds: 600 }) })
  const { status, body } = await patch(id, set('a', '2'))
  expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining('its rotate is running')])
})
