import { givenTemplate } from '../../support/api/entities.ts'
import { copyCluster, givenReachable } from '../../support/api/node-groups.ts'
import { type Call, contractTables, type Given, type Row } from './row.ts'

/** Section 9.1, tried on templates: they have texts, integers, booleans and labels. */

const LABELS = { a: '1' }
const SPEC = { flavorId: 'small', dockerVolumeSize: 5, labels: LABELS }
const fresh: Given = async (lab) => ({ t: (await givenTemplate(lab, { name: 'old', spec: SPEC })).id })

const op = (name: unknown, path: unknown, value?: unknown) => ({ op: name, path, value })
const patch = (body: unknown, ident = '{t}'): Call => ({ line: `PATCH /v1/clustertemplates/${ident}`, body })

type Taken = [what: string, operations: unknown, shown: object]

const TAKEN: Taken[] = [
  ['add where it is null', [op('add', '/master_flavor_id', 'x')], { master_flavor_id: 'x' }],
  ['add of a boolean', [op('replace', '/registry_enabled', true)], { registry_enabled: true }],
  ['add of a key', [op('add', '/labels/b', '2')], { labels: { ...LABELS, b: '2' } }],
  ['add of a key that is there', [op('add', '/labels/a', '2')], { labels: { a: '2' } }],
  ['add of an integer as a label', [op('add', '/labels/b', 2)], { labels: { ...LABELS, b: '2' } }],
  ['replace', [op('replace', '/flavor_id', 'x')], { flavor_id: 'x' }],
  ['replace where it is null', [op('replace', '/master_flavor_id', 'x')], { master_flavor_id: 'x' }],
  ['replace of a key', [op('replace', '/labels/a', '2')], { labels: { a: '2' } }],
  ['remove', [op('remove', '/flavor_id')], { flavor_id: null }],
  ['remove of a key', [op('remove', '/labels/a')], { labels: {} }],
  ['remove with a value, which says nothing', [op('remove', '/flavor_id', 'x')], { flavor_id: null }],
  [
    'several operations, in order',
    [op('replace', '/flavor_id', 'x'), op('remove', '/labels/a'), op('replace', '/flavor_id', 'y')],
    { flavor_id: 'y', labels: {} },
  ],
  [
    'an operation on what one before has made',
    [op('add', '/labels/b', '2'), op('replace', '/labels/b', '3')],
    { labels: { ...LABELS, b: '3' } },
  ],
]

/** Dictionaries as text, for `replace /labels`. */
const LITERALS: [text: string, labels: object][] = [
  ["{'k':'v'}", { k: 'v' }],
  ["{'k': 'v', 'l': 'w'}", { k: 'v', l: 'w' }],
  ['{"k": "v"}', { k: 'v' }],
  [`{'k': "it's"}`, { k: "it's" }],
  ["{'k': 'a\\'b'}", { k: "a'b" }],
  ["{'k': 1}", { k: '1' }],
  ["{'k': True}", { k: 'True' }],
  ["{u'k': u'v'}", { k: 'v' }],
  ["{'k': 'v',}", { k: 'v' }],
  ['{}', {}],
]

const BOOLEANS: [value: unknown, shown: boolean][] = [
  [true, true],
  [false, false],
  ...['true', 'True', 'TRUE', '1', 'on', 'yes', 't', 'y'].map((text): [string, boolean] => [text, true]),
  ...['false', 'False', '0', 'off', 'no', 'f', 'n'].map((text): [string, boolean] => [text, false]),
]

const taken = (rows: Taken[], better?: true): Row[] =>
  rows.map(([what, operations, shown]) => ({
    section: '9.1',
    name: what,
    better,
    given: fresh,
    request: patch(operations),
    expect: { status: 200, body: shown },
  }))

const BETTER: Taken[] = [
  ['a path with a dot', [op('add', '/labels/a.b', '2')], { labels: { ...LABELS, 'a.b': '2' } }],
  ['a path with ~1', [op('add', '/labels/a~1b', '2')], { labels: { ...LABELS, 'a/b': '2' } }],
  ['a path with ~0', [op('add', '/labels/a~0b', '2')], { labels: { ...LABELS, 'a~b': '2' } }],
  ['labels as an object', [op('replace', '/labels', { k: 'v' })], { labels: { k: 'v' } }],
  ['JSON text with true', [op('replace', '/labels', '{"k": true}')], { labels: { k: 'True' } }],
  ['a float as a label', [op('add', '/labels/b', 1.5)], { labels: { ...LABELS, b: '1.5' } }],
  ['a plain object', { flavor_id: 'x', registry_enabled: true }, { flavor_id: 'x', registry_enabled: true }],
  ['null in a plain object removes', { flavor_id: null }, { flavor_id: null }],
]

const REFUSED: [what: string, operations: unknown][] = [
  ...['move', 'copy', 'test', 'ADD', '', null, 5, undefined].map((name): [string, unknown] => [
    `op ${JSON.stringify(name)}`,
    [op(name, '/flavor_id', 'x')],
  ]),
  ...['flavor_id', '', '/', '//flavor_id', '/flavor_id/', '/labels//a', '/labels/a~2', null, 5, undefined].map(
    (path): [string, unknown] => [`path ${JSON.stringify(path)}`, [op('replace', path, 'x')]],
  ),
  ...[1.5, {}, [], null, undefined].flatMap((value): [string, unknown][] => [
    [`replace of a text by ${JSON.stringify(value)}`, [op('replace', '/flavor_id', value)]],
    [`add of the text ${JSON.stringify(value)}`, [op('add', '/master_flavor_id', value)]],
  ]),
  ...[1.5, '1.5', 'x', {}, true].map((value): [string, unknown] => [
    `replace of an integer by ${JSON.stringify(value)}`,
    [op('replace', '/docker_volume_size', value)],
  ]),
  ...['perhaps', 2, {}, ''].map((value): [string, unknown] => [
    `replace of a boolean by ${JSON.stringify(value)}`,
    [op('replace', '/registry_enabled', value)],
  ]),
  ...['k=v', '{', "{'k'}", "{'k': v}", '["k"]', "'k'", "{'k': None}", "{'k': {}}", 5].map(
    (value): [string, unknown] => [`labels ${JSON.stringify(value)}`, [op('replace', '/labels', value)]],
  ),
  ['a label that is an object', [op('add', '/labels/b', {})]],
  ['a label that is null', [op('add', '/labels/b', null)]],
  ['add of an unknown attribute', [op('add', '/colour', 'red')]],
  ['replace of an unknown attribute', [op('replace', '/colour', 'red')]],
  ['remove of an unknown attribute', [op('remove', '/colour')]],
  ['add where it is set', [op('add', '/flavor_id', 'x')]],
  ['replace of no key', [op('replace', '/labels/none', 'x')]],
  ['remove of no key', [op('remove', '/labels/none')]],
  ['a path into a text', [op('replace', '/flavor_id/x', 'y')]],
  ['a path into a label', [op('add', '/labels/a/b', 'y')]],
  ['an operation that is no object', ['x']],
  ['an operation that is null', [null]],
  ['a text', '"x"'],
  ['a number', '5'],
  ['null', 'null'],
  ['no body', undefined],
]

const REFUSALS: Row[] = REFUSED.map(([what, operations]) => ({
  section: '9.1',
  name: `${what} is 400`,
  request: patch(operations, '{kept}'),
  expect: { status: 400, code: 'client' },
}))

const ATOMIC: Row[] = [
  {
    section: '9.1',
    name: 'add where it is set says to use replace',
    request: patch([op('add', '/flavor_id', 'x')], '{kept}'),
    expect: { status: 400, says: 'replace' },
  },
  {
    section: '9.1',
    name: 'a good operation before a bad one changes nothing',
    given: fresh,
    request: patch([op('replace', '/flavor_id', 'x'), op('replace', '/colour', 'x')]),
    expect: 400,
    after: {
      request: 'GET /v1/clustertemplates/{t}',
      expect: { status: 200, body: { flavor_id: 'small', updated_at: null } },
    },
  },
  {
    section: '9.1',
    name: 'the refusals above have changed nothing',
    request: 'GET /v1/clustertemplates/{kept}',
    expect: { status: 200, body: { flavor_id: 'small', docker_volume_size: 5, labels: LABELS, updated_at: null } },
  },
]

/** The other resources that take patches: a plain object, and the same refusals. */
const OTHERS: Row[] = [
  ['clusters/{c}', { node_count: 2 }],
  ['clusters/{c}/nodegroups/default-worker', { max_node_count: 5 }],
].flatMap(([path, object]): Row[] => {
  const given: Given = async (lab, { done }) => ({ c: await copyCluster(lab, done!) })
  const row = (name: string, body: unknown, status: number, better?: true): Row => ({
    section: '9.1',
    name: `${path}: ${name} is ${status}`,
    better,
    given,
    request: { line: `PATCH /v1/${path}`, version: '1.9', body },
    expect: status,
  })
  const [attribute, value] = Object.entries(object!)[0] as [string, unknown]
  return [
    row('a plain object', object, 202, true),
    row('replace', [op('replace', `/${attribute}`, value)], 202),
    row('move', [op('move', `/${attribute}`, value)], 400),
    row('an unknown attribute', [op('replace', '/colour', 'x')], 400),
    row('a path without a slash', [op('replace', attribute, value)], 400),
    row('no value', [op('replace', `/${attribute}`)], 400),
    row('null', [op('replace', `/${attribute}`, null)], 400),
    row('a float', [op('replace', `/${attribute}`, 1.5)], 400),
  ]
})

contractTables(
  {
    operations: taken(TAKEN),
    'dictionaries as text': taken(
      LITERALS.map(([text, labels]) => [`labels ${text}`, [op('replace', '/labels', text)], { labels }]),
    ),
    booleans: taken(
      BOOLEANS.map(([value, shown]) => [
        `a boolean ${JSON.stringify(value)}`,
        [op('replace', '/floating_ip_enabled', value)],
        { floating_ip_enabled: shown },
      ]),
    ),
    'beyond Magnum': taken(BETTER, true),
    refusals: [...REFUSALS, ...ATOMIC],
    'other resources': OTHERS,
  },
  async (lab) => ({
    kept: (await givenTemplate(lab, { name: 'kept', spec: SPEC })).id,
    done: await givenReachable(lab),
  }),
)
