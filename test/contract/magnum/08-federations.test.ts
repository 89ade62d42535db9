import { expect } from 'vitest'
import { givenCluster, givenFederation, settleFederation } from '../../support/api/entities.ts'
import { BASE_URL } from '../../support/api/lab.ts'
import { BLUE_ADMIN, BLUE_READER, COLLEAGUE, FOREIGN_ADMIN } from './principals.ts'
import { type Call, contractTables, type Expectation, type Given, type Row } from './row.ts'

/** Sections 8.2, 8.3 and 8.5, where `design.md` section 2 has the last word. */

const NOBODYS = '00000000-0000-4000-8000-00000000dead'
const TIME = expect.stringMatching(/\+00:00$/)
const text = (length: number): string => 'x'.repeat(length)

const ITEM = ['uuid', 'name', 'hostcluster_id', 'member_ids', 'status', 'properties', 'links']
/** `design.md` section 2. */
const ADDED = [
  'driver',
  'host',
  'project_id',
  'conditions',
  'members',
  'operation',
  'endpoint',
  'certificates_renew_after',
  'member_selector',
  'excluded_ids',
  'on_unhealthy',
  'after_seconds',
  'on_healthy',
  'left_unhealthy_ids',
]
const FULL = [...ITEM, 'status_reason', 'created_at', 'updated_at', ...ADDED]

const READS: Row[] = [
  {
    section: '8.2',
    name: 'the list has Magnum’s keys',
    request: 'GET /v1/federations',
    expect: { status: 200, keys: ['federations'] },
  },
  {
    section: '8.2',
    name: 'exact keys of an item',
    request: 'GET /v1/federations',
    expect: { status: 200, of: 'federations.0', keys: ITEM },
  },
  {
    section: '8.2',
    name: 'exact keys in detail',
    request: 'GET /v1/federations/detail',
    expect: { status: 200, of: 'federations.0', keys: FULL },
  },
  ...['1.1', '1.14', 'latest'].map(
    (version): Row => ({
      section: '8.2',
      name: `exact keys of one shown at ${version}`,
      request: { line: 'GET /v1/federations/{federation}', version },
      expect: { status: 200, keys: FULL },
    }),
  ),
  {
    section: '8.2',
    name: 'values of one shown',
    request: 'GET /v1/federations/fleet',
    expect: {
      status: 200,
      body: {
        uuid: '{federation}',
        name: 'fleet',
        hostcluster_id: '{host}',
        member_ids: ['{member}'],
        status: 'CREATE_COMPLETE',
        status_reason: null,
        links: [
          { href: `${BASE_URL}/v1/federations/{federation}`, rel: 'self' },
          { href: `${BASE_URL}/federations/{federation}`, rel: 'bookmark' },
        ],
        created_at: TIME,
      },
    },
  },
  { section: '8.2', name: 'PUT is 405', request: 'PUT /v1/federations/fleet', expect: 405 },
  { section: '13.4', name: 'detail of one by name is 400', request: 'GET /v1/federations/fleet/detail', expect: 400 },
  {
    section: '8.2',
    name: 'detail of one by UUID is 404',
    request: 'GET /v1/federations/{federation}/detail',
    expect: 404,
  },
]

const create = (body: object, more: Partial<Call> = {}): Call => ({
  line: 'POST /v1/federations',
  body: { hostcluster_id: '{host}', properties: { 'dns-zone': 'example.com' }, ...body },
  ...more,
})

const GENERATED = expect.stringMatching(/-federation$/)
const TAKEN: [what: string, body: object, shown: object, better?: true][] = [
  ['a name of 242 characters', { name: text(242) }, { name: text(242) }],
  ['no name', {}, { name: GENERATED }],
  ['a null name', { name: null }, { name: GENERATED }],
  ['an empty name', { name: '' }, { name: GENERATED }],
  ['a name that is there', { name: 'fleet' }, { name: 'fleet' }],
  ['the host by name, stored as UUID (8.5)', { hostcluster_id: 'host' }, { hostcluster_id: '{host}' }, true],
  ['no members', { member_ids: [] }, { member_ids: [] }],
  ['members null', { member_ids: null }, { member_ids: [] }],
  ['a member', { member_ids: ['{member}'] }, { member_ids: ['{member}'] }],
  [
    'other properties',
    { properties: { 'dns-zone': 'a.example', x: 'y' } },
    { properties: { 'dns-zone': 'a.example', x: 'y' } },
  ],
  ['no dns-zone (design 2)', { properties: {} }, { properties: {} }, true],
  ['no properties (design 2)', { properties: undefined }, { properties: {} }, true],
  ['null properties (design 2)', { properties: null }, { properties: {} }, true],
  ['a uuid, which is ignored', { uuid: NOBODYS }, { uuid: expect.not.stringContaining(NOBODYS) }],
  ['a status, not kept', { status: 'CREATE_COMPLETE' }, { status: 'CREATE_IN_PROGRESS' }, true],
  ['a status_reason, not kept', { status_reason: 'x' }, { status_reason: expect.not.stringMatching(/^x$/) }, true],
]

const CREATES: Row[] = [
  ...TAKEN.map(
    ([what, body, shown, better]): Row => ({
      section: '8.2',
      name: `create with ${what}`,
      ...(better === undefined ? {} : { better }),
      request: create(body),
      expect: { status: 202, keys: ['uuid'] },
      after: { request: 'GET /v1/federations/{uuid}', expect: { status: 200, body: shown } },
    }),
  ),
  {
    section: '8.5',
    name: 'a create is stored before the 202',
    better: true,
    request: create({}),
    expect: 202,
    after: {
      request: 'GET /v1/federations/{uuid}',
      expect: { status: 200, body: { uuid: '{uuid}', status: 'CREATE_IN_PROGRESS' } },
    },
  },
]

const REFUSED: [what: string, body: object, status: number, better?: true][] = [
  ['a name of 243 characters', { name: text(243) }, 400],
  ['a name that begins with a digit', { name: '1a' }, 400],
  ['a name with a space', { name: 'a b' }, 400],
  ['a name that is a number', { name: 5 }, 400],
  ['no host', { hostcluster_id: undefined }, 400],
  ['an unknown host', { hostcluster_id: NOBODYS }, 404],
  ['an unknown host by name', { hostcluster_id: 'none' }, 404],
  ['member_ids as text', { member_ids: '{member}' }, 400],
  ['member_ids of numbers', { member_ids: [5] }, 400],
  ['an unknown member (8.5)', { member_ids: [NOBODYS] }, 404, true],
  ['a member twice (8.5)', { member_ids: ['{member}', '{member}'] }, 400, true],
  ['a property that is no text', { properties: { 'dns-zone': 5 } }, 400],
  ['properties as a list', { properties: [] }, 400],
  ['a dns-zone that is none (design 2)', { properties: { 'dns-zone': 'no zone' } }, 400, true],
  ['project_id', { project_id: 'blue' }, 400],
  ['links', { links: [] }, 400],
  ['created_at', { created_at: 'x' }, 400],
  ['an unknown attribute', { colour: 'red' }, 400],
]

const REFUSALS: Row[] = REFUSED.map(([what, body, status, better]) => ({
  section: '8.2',
  name: `create with ${what} is ${status}`,
  ...(better === undefined ? {} : { better }),
  request: create(body),
  expect: status,
}))

/** A settled federation `f` with the member `in`; the cluster `out` is none. */
const fresh: Given = async (lab, { host, pool }) => {
  const { id } = await givenFederation(lab, { host: host!, members: [pool!] })
  await settleFederation(lab, id, { properties: { 'dns-zone': 'example.com', x: 'y' } })
  return { f: id }
}

const op = (name: string, path: string, value?: unknown) => ({ op: name, path, value })
const patch = (body: unknown, query = ''): Call => ({ line: `PATCH /v1/federations/{f}${query}`, body })

type Change = [what: string, body: unknown, expected: number | Expectation, shown?: object | undefined, better?: true]

const ACCEPTED = { status: 202, keys: ['uuid'], body: { uuid: '{f}' } }
const MOVING = { status: 'UPDATE_IN_PROGRESS' }
const ZONE = { 'dns-zone': 'example.com' }
const BOTH = { ...MOVING, member_ids: ['{pool}', '{free}'] }

const CHANGES: Change[] = [
  ['join by UUID', [op('add', '/member_ids', '{free}')], ACCEPTED, MOVING],
  ['join by name (design 2)', [op('add', '/member_ids', 'free')], ACCEPTED, MOVING, true],
  ['join of a list (8.5)', [op('add', '/member_ids', ['{free}', '{other}'])], ACCEPTED, MOVING, true],
  ['join of a member', [op('add', '/member_ids', '{pool}')], 409],
  ['join of an unknown cluster', [op('add', '/member_ids', NOBODYS)], 404],
  ['join with /-', [op('add', '/member_ids/-', '{free}')], ACCEPTED, MOVING],
  ['join with /- of an unknown cluster', [op('add', '/member_ids/-', NOBODYS)], 404, undefined, true],
  ['join with /0 of a member', [op('add', '/member_ids/0', '{pool}')], 409, undefined, true],
  ['unjoin by UUID', [op('remove', '/member_ids', '{pool}')], ACCEPTED, MOVING],
  ['unjoin of no member', [op('remove', '/member_ids', '{free}')], 404],
  ['remove without value (design 2)', [op('remove', '/member_ids')], 400, undefined, true],
  ['remove by index (design 2)', [op('remove', '/member_ids/0')], 400, undefined, true],
  ['replace with a list (design 2)', [op('replace', '/member_ids', ['{free}'])], ACCEPTED, MOVING, true],
  ['replace with a number', [op('replace', '/member_ids', 5)], 400],
  [
    'one added and removed (design 2)',
    [op('add', '/member_ids', '{free}'), op('remove', '/member_ids', '{free}')],
    400,
    undefined,
    true,
  ],
  [
    'a join as second operation (8.5)',
    [op('replace', '/properties/x', 'z'), op('add', '/member_ids', '{free}')],
    ACCEPTED,
    { properties: { ...ZONE, x: 'z' } },
    true,
  ],
  [
    'two joins (8.5)',
    [op('add', '/member_ids', '{free}'), op('add', '/member_ids', '{other}')],
    ACCEPTED,
    MOVING,
    true,
  ],
  ['add of a property', [op('add', '/properties/new', 'v')], ACCEPTED, { properties: { ...ZONE, x: 'y', new: 'v' } }],
  ['add of a property that is there', [op('add', '/properties/x', 'v')], ACCEPTED, { properties: { ...ZONE, x: 'v' } }],
  ['replace of a property', [op('replace', '/properties/x', 'v')], ACCEPTED, { properties: { ...ZONE, x: 'v' } }],
  ['replace of no property', [op('replace', '/properties/none', 'v')], 400],
  ['remove of a property', [op('remove', '/properties/x')], ACCEPTED, { properties: ZONE }],
  ['remove of dns-zone', [op('remove', '/properties/dns-zone')], ACCEPTED, { properties: { x: 'y' } }],
  ['a dns-zone that is none', [op('replace', '/properties/dns-zone', '-')], 400, undefined, true],
  ['remove of all properties', [op('remove', '/properties')], ACCEPTED, { properties: {} }],
  [
    'replace of all properties by an object (8.5)',
    [op('replace', '/properties', { a: 'b' })],
    ACCEPTED,
    { properties: { a: 'b' } },
    true,
  ],
  [
    'add and replace of a property together',
    [op('add', '/properties/x', '1'), op('replace', '/properties/x', '2')],
    ACCEPTED,
    { properties: { ...ZONE, x: '2' } },
  ],
  ['an empty list (8.5)', [], ACCEPTED, { status: 'CREATE_COMPLETE' }, true],
  ...['name', 'hostcluster_id', 'status', 'status_reason'].flatMap((name): Change[] => [
    [`replace of ${name}`, [op('replace', `/${name}`, 'x')], 400],
    [`remove of ${name}`, [op('remove', `/${name}`)], 400],
  ]),
  ...['uuid', 'project_id', 'links', 'created_at', 'colour'].map(
    (name): Change => [`replace of ${name}`, [op('replace', `/${name}`, 'x')], 400],
  ),
]

const codeOf = (expected: number | Expectation): number => (typeof expected === 'number' ? expected : expected.status)

const PATCHES: Row[] = CHANGES.map(([what, body, expected, shown, better]) => ({
  section: '8.3',
  name: `${what} is ${codeOf(expected)}`,
  ...(better === undefined ? {} : { better }),
  given: fresh,
  request: patch(body),
  expect: expected,
  ...(shown === undefined
    ? {}
    : { after: { request: 'GET /v1/federations/{f}', expect: { status: 200, body: shown } } }),
}))

const MORE: Row[] = [
  {
    section: '8.3',
    name: 'a joining cluster is in member_ids at once',
    given: fresh,
    request: patch([op('add', '/member_ids', '{free}')]),
    expect: 202,
    after: { request: 'GET /v1/federations/{f}', expect: { status: 200, body: BOTH } },
  },
  ...['true', 'False'].map(
    (value): Row => ({
      section: '8.2',
      name: `rollback=${value} is taken`,
      given: fresh,
      request: patch([], `?rollback=${value}`),
      expect: 202,
    }),
  ),
  {
    section: '8.2',
    name: 'rollback=perhaps is 400',
    given: fresh,
    request: patch([], '?rollback=perhaps'),
    expect: 400,
  },
  {
    section: '8.2',
    name: 'DELETE is 204 and shows at once',
    given: fresh,
    request: 'DELETE /v1/federations/{f}',
    expect: { status: 204, body: null },
    after: {
      request: 'GET /v1/federations/{f}',
      expect: { status: 200, body: { status: 'DELETE_IN_PROGRESS' } },
    },
  },
  { section: '8.2', name: 'DELETE of none is 404', request: 'DELETE /v1/federations/none', expect: 404 },
  ...['host', 'member'].map(
    (role): Row => ({
      section: '8.5',
      name: `DELETE of a cluster that is ${role} is 409 naming the federation`,
      better: true,
      request: `DELETE /v1/clusters/{${role}}`,
      expect: { status: 409, says: 'fleet' },
    }),
  ),
]

type Right = [who: string, request: Call, status: number]
const READ: Call = { line: 'GET /v1/federations/{federation}' }
const RIGHTS: Row[] = (
  [
    ['a reader may read', { ...READ, as: BLUE_READER }, 200],
    ['a colleague may read', { ...READ, as: COLLEAGUE }, 200],
    ['a reader may not create', create({}, { as: BLUE_READER }), 403],
    ['a colleague may create', create({}, { as: COLLEAGUE }), 202],
    ['an administrator may create', create({}, { as: BLUE_ADMIN }), 202],
    ['a reader may not change', { line: 'PATCH /v1/federations/fleet', body: [], as: BLUE_READER }, 403],
    ['a reader may not delete', { line: 'DELETE /v1/federations/fleet', as: BLUE_READER }, 403],
    ['an administrator of another project does not see it', { ...READ, as: FOREIGN_ADMIN }, 404],
  ] as Right[]
).map(([who, request, status]) => ({ section: '9.4', name: `${who} (${status})`, request, expect: status }))

contractTables(
  { read: READS, create: CREATES, 'create that is refused': REFUSALS, PATCH: PATCHES, more: MORE, rights: RIGHTS },
  async (lab) => {
    const host = await givenCluster(lab, { name: 'host' })
    const member = await givenCluster(lab, { name: 'member' })
    const { id } = await givenFederation(lab, { name: 'fleet', host, members: [member] })
    return {
      host,
      member,
      federation: id,
      pool: await givenCluster(lab, { name: 'pool' }),
      free: await givenCluster(lab, { name: 'free' }),
      other: await givenCluster(lab, { name: 'other' }),
    }
  },
)
