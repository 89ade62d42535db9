import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FederationUpdate } from '../../../functions/core/federation/federation.ts'
import { settle } from '../../../functions/core/federation/settle.ts'
import { newOperation } from '../../../functions/core/operation/launch.ts'
import {
  changeFederation,
  endMembership,
  givenCluster,
  readFederation,
  readMembership,
  settleFederation,
} from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { READER } from '../../support/api/request.ts'

let lab: ApiLab
let host: string
beforeAll(async () => {
  lab = await createApiLab()
  host = await givenCluster(lab)
})
afterAll(() => lab.dispose())

const patch = (id: string, body: unknown, query = '') => lab.call('PATCH', `/v1/federations/${id}${query}`, { body })

const given = async (properties: Record<string, string> = { 'dns-zone': 'example.com', a: '1' }): Promise<string> => {
  const { body } = await lab.call('POST', '/v1/federations', { body: { hostcluster_id: host, properties } })
  await settleFederation(lab, body.uuid)
  return body.uuid
}

it.each([{ member_ids: ['a'] }, undefined])('PATCH of %o shows an example that works', async (body) => {
  const { status, body: answer } = await patch(await given(), body)
  expect([status, answer.errors[0].detail]).toEqual([
    400,
    expect.stringContaining('[{"op": "add", "path": "/member_ids", "value": "<cluster id or name>"}]'),
  ])
})

describe('section 8.3: PATCH of properties', () => {
  it('is an operation of the federation', async () => {
    const id = await given()
    const { status, body } = await patch(id, [{ op: 'add', path: '/properties/b', value: '2' }])
    expect([status, body]).toEqual([202, { uuid: id }])
    const { status: after, operation } = await readFederation(lab, id)
    expect([after, operation?.kind]).toEqual(['UPDATE_IN_PROGRESS', 'update'])
    expect(lab.executions.starts.at(-1)).toMatchObject({
      flow: 'federation-update',
      name: `${operation?.id}-1`,
      input: { entityId: id },
    })
  })

  it.each<[string, unknown[], Record<string, string>]>([
    ['adds a key', [{ op: 'add', path: '/properties/b', value: '2' }], { 'dns-zone': 'example.com', a: '1', b: '2' }],
    ['adds over a key', [{ op: 'add', path: '/properties/a', value: '2' }], { 'dns-zone': 'example.com', a: '2' }],
    ['replaces a key', [{ op: 'replace', path: '/properties/a', value: '2' }], { 'dns-zone': 'example.com', a: '2' }],
    ['removes a key', [{ op: 'remove', path: '/properties/a' }], { 'dns-zone': 'example.com' }],
    ['removes the zone', [{ op: 'remove', path: '/properties/dns-zone' }], { a: '1' }],
    ['removes all', [{ op: 'remove', path: '/properties' }], {}],
    ['replaces all with an object', [{ op: 'replace', path: '/properties', value: { x: 'y' } }], { x: 'y' }],
    [
      'replaces all with a dictionary as text',
      [{ op: 'replace', path: '/properties', value: "{'x': 'y'}" }],
      { x: 'y' },
    ],
    [
      'takes keys with escapes',
      [{ op: 'add', path: '/properties/a~1b~0c.d', value: 'x' }],
      { 'dns-zone': 'example.com', a: '1', 'a/b~c.d': 'x' },
    ],
    [
      'takes operations one after the other',
      [
        { op: 'add', path: '/properties/b', value: '2' },
        { op: 'replace', path: '/properties/b', value: '3' },
        { op: 'remove', path: '/properties/a' },
      ],
      { 'dns-zone': 'example.com', b: '3' },
    ],
  ])('%s', async (_what, operations, expected) => {
    const id = await given()
    expect((await patch(id, operations)).status).toBe(202)
    expect((await readFederation(lab, id)).properties).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['an empty list', []],
    ['what is there already', [{ op: 'replace', path: '/properties/a', value: '1' }]],
  ])('%s changes nothing', async (_what, operations) => {
    const id = await given()
    const before = await readFederation(lab, id)
    expect((await patch(id, operations, '?rollback=True')).status).toBe(202)
    expect(await readFederation(lab, id)).toEqual(before)
  })

  it('is tried again after it failed, though the properties are the same', async () => {
    const id = await given()
    await changeFederation(lab, id, { status: 'UPDATE_FAILED', statusReason: 'PreflightFailed: no such role' })
    expect((await patch(id, [{ op: 'replace', path: '/properties/a', value: '1' }])).status).toBe(202)
    expect(await readFederation(lab, id)).toMatchObject({ status: 'UPDATE_IN_PROGRESS', operation: { kind: 'update' } })
  })

  it.each(['UPDATE_COMPLETE', 'UPDATE_IN_PROGRESS'] as const)(
    'is tried again after it failed also when members moved since, and the federation is %s',
    async (status) => {
      const id = await given()
      const propertiesInForce = { 'dns-zone': 'example.com' }
      await changeFederation(lab, id, { status, propertiesInForce })
      expect((await patch(id, [{ op: 'replace', path: '/properties/a', value: '1' }])).status).toBe(202)
      expect(await readFederation(lab, id)).toMatchObject({ operation: { kind: 'update' }, propertiesInForce })
    },
  )

  it('beside joins is accepted with them in one go, and both run', async () => {
    const id = await given()
    const cluster = await givenCluster(lab)
    const operations = [
      { op: 'add', path: '/member_ids', value: cluster },
      { op: 'add', path: '/properties/b', value: '2' },
    ]
    await patch(id, operations)
    expect(await readFederation(lab, id)).toMatchObject({ operation: { kind: 'update' }, properties: { b: '2' } })
    expect((await readMembership(lab, id, cluster)).state).toBe('Joining')
    expect(
      lab.executions.starts
        .slice(-2)
        .map(({ flow }) => flow)
        .toSorted(),
    ).toEqual(['federation-update', 'member-join'])
  })

  it('goes on beside joins that run, and joins beside it', async () => {
    const id = await given()
    await patch(id, [{ op: 'add', path: '/member_ids', value: await givenCluster(lab) }])
    expect((await patch(id, [{ op: 'add', path: '/properties/b', value: '2' }])).status).toBe(202)
    expect((await patch(id, [{ op: 'add', path: '/member_ids', value: await givenCluster(lab) }])).status).toBe(202)
  })

  it('claims a namespace that it newly names', async () => {
    const [first, second] = [await given(), await given()]
    const operations = [{ op: 'add', path: '/properties/namespace', value: 'shared-one' }]
    expect([(await patch(first, operations)).status, (await patch(second, operations)).status]).toEqual([202, 409])
  })
})

describe('PATCH of properties refuses', () => {
  const at = (path: string, value?: unknown, op = 'replace') => [
    { op, path, ...(value === undefined ? {} : { value }) },
  ]

  it.each<[what: string, operations: unknown, status: number, detail: string]>([
    ['a value that is a number', at('/properties/a', 5), 400, 'must be text'],
    ['a value that is an object', at('/properties/a', {}), 400, 'must be text'],
    ['replace of a missing key', at('/properties/zz', 'x'), 400, '"properties" has no such key. Use "add"'],
    ['remove of a missing key', at('/properties/zz', undefined, 'remove'), 400, '"properties" has no such key'],
    ['a key that every object has', at('/properties/constructor', 'x'), 400, '"properties" has no such key'],
    ['a path into a text', at('/properties/a/b', 'x', 'add'), 400, 'has texts as values'],
    ['__proto__', at('/properties/__proto__', 'x', 'add'), 400, '__proto__'],
    ['add of the whole', at('/properties', { a: 'b' }, 'add'), 400, 'use "replace"'],
    ['a list for all', at('/properties', []), 400, 'a dictionary of texts'],
    ['a zone that is none', at('/properties/dns-zone', '-'), 400, '"properties.dns-zone"'],
    ['a control character', at('/properties/x', '\u0000', 'add'), 400, 'no control characters'],
    ['half a surrogate pair', at('/properties/x', '\ud800', 'add'), 400, 'surrogates'],
    ['what the driver refuses', at('/properties/color', 'green', 'add'), 400, '"properties.color"'],
    ['a null value', at('/properties/a', null), 400, 'not null'],
    ['an empty segment', at('/properties/', 'x', 'add'), 400, 'JSON Pointer'],
    ['a broken escape', at('/properties/a~2', 'x', 'add'), 400, 'JSON Pointer'],
  ])('%s', async (_what, operations, status, detail) => {
    const answer = await patch(await given(), operations)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(detail)])
  })

  it('what would make them too large in all', async () => {
    const id = await given({ a: 'x'.repeat(60_000) })
    expect((await patch(id, at('/properties/b', 'y'.repeat(6000), 'add'))).status).toBe(413)
  })

  it.each<[string, FederationUpdate, string]>([
    ['CREATE_IN_PROGRESS', { status: 'CREATE_IN_PROGRESS' }, 'its first members are joining'],
    ['DELETE_FAILED', { status: 'DELETE_FAILED' }, 'can only be deleted'],
    ['CREATE_FAILED without a control plane', { status: 'CREATE_FAILED', conditions: [] }, 'can only be deleted'],
  ])('while the federation is %s', async (_what, update, detail) => {
    const id = await given()
    await changeFederation(lab, id, update)
    const answer = await patch(id, at('/properties/a', '2'))
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining(detail)])
  })

  it('a reader', async () => {
    const id = await given()
    expect((await lab.call('PATCH', `/v1/federations/${id}`, { as: READER, body: [] })).status).toBe(403)
  })

  it('an unreadable rollback', async () => {
    expect((await patch(await given(), [], '?rollback=perhaps')).status).toBe(400)
  })
})

describe('what a driver can not change', () => {
  it('is refused with every sentence, and nothing is accepted', async () => {
    const id = await given({ locked: '1', pinned: 'a', color: 'red' })
    const member = await givenCluster(lab)
    const { status, body } = await patch(id, [
      { op: 'add', path: '/member_ids', value: member },
      { op: 'replace', path: '/properties/locked', value: '2' },
      { op: 'remove', path: '/properties/pinned' },
      { op: 'replace', path: '/properties/color', value: 'green' },
    ])
    expect(status).toBe(400)
    for (const named of ['properties.locked', 'properties.pinned', 'properties.color']) {
      expect(body.errors[0].detail).toContain(named)
    }
    const federation = await readFederation(lab, id)
    expect([federation.operation, federation.memberIds]).toEqual([null, []])
    expect(federation.properties).toEqual({ locked: '1', pinned: 'a', color: 'red' })
  })

  it('may be said again as it is, beside what can be changed', async () => {
    const id = await given({ locked: '1', a: '1' })
    const { status } = await patch(id, [{ op: 'replace', path: '/properties', value: { locked: '1', a: '2' } }])
    expect(status).toBe(202)
  })
})

describe('while certificates are rotated', () => {
  const rotating = async () => {
    const id = await given()
    const operation = newOperation(lab.ports, 'rotate', { deadlineSeconds: 600 })
    await changeFederation(lab, id, { operation })
    return { id, operation }
  }

  it('properties are 409 naming what runs', async () => {
    const { id } = await rotating()
    const { status, body } = await patch(id, [{ op: 'add', path: '/properties/b', value: '2' }])
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining('its rotate is running')])
  })

  it('members join and leave, and the status is the one of these', async () => {
    const { id, operation } = await rotating()
    const member = await givenCluster(lab)
    expect((await patch(id, [{ op: 'add', path: '/member_ids', value: member }])).status).toBe(202)
    expect(await readFederation(lab, id)).toMatchObject({ status: 'UPDATE_IN_PROGRESS', operation })
    await endMembership(lab, id, member, 'JoinFailed')
    await settle(lab.ports, { projectId: 'blue', id })
    expect(await readFederation(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', operation })
    await patch(id, [{ op: 'remove', path: '/member_ids', value: member }])
    expect(await readFederation(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', statusReason: null, operation })
  })

  it('a delete takes over', async () => {
    const { id, operation } = await rotating()
    expect((await lab.call('DELETE', `/v1/federations/${id}`)).status).toBe(204)
    expect((await readFederation(lab, id)).operation).toMatchObject({
      kind: 'delete',
      supersedes: [{ flow: 'federation-rotate', name: `${operation.id}-1` }],
    })
  })
})
