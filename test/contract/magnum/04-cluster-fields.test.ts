import { expect } from 'vitest'
import { givenTemplate } from '../../support/api/entities.ts'
import { contractTables, type Row } from './row.ts'

/** Section 4.1: each attribute of a create, with what a GET shows of it. By rule 0.7 `null` and `""` are "not given". `{template}` gives every default that a template can give. */

const text = (length: number): string => 'x'.repeat(length)
const GENERATED = expect.stringMatching(/^[a-z]+-([1-9]|1\d|2[0-4])-cluster$/)

type Field = {
  /** Values that are taken, and what is shown then. */
  taken: [value: unknown, shown: unknown][]
  refused: unknown[]
  /** Other attributes of the same request. */
  beside?: object
}

/** Attributes that are text of 1 to 255 characters, or the template's. */
const textFrom = (ofTemplate: unknown): Field => ({
  taken: [
    ['x', 'x'],
    [text(255), text(255)],
    [null, ofTemplate],
    ['', ofTemplate],
    [undefined, ofTemplate],
  ],
  refused: [text(256), 5, true, [], {}],
})

const booleanFrom = (ofTemplate: boolean): Field => ({
  taken: [
    [true, true],
    [false, false],
    ['true', true],
    ['False', false],
    ['on', true],
    ['0', false],
    [null, ofTemplate],
    ['', ofTemplate],
    [undefined, ofTemplate],
  ],
  refused: ['perhaps', [], {}, 1.5],
})

const FIELDS: Record<string, Field> = {
  name: {
    taken: [
      ['a', 'a'],
      ['Ab_9.-z', 'Ab_9.-z'],
      [text(242), text(242)],
      [null, GENERATED],
      ['', GENERATED],
      [undefined, GENERATED],
    ],
    refused: [text(243), '1a', '_a', '-a', '.a', 'a b', 'a/b', 'ä', 'a\n', 5, true, [], {}],
  },
  keypair: textFrom('template-key'),
  node_count: {
    taken: [
      [0, 0],
      [1, 1],
      [100, 100],
      ['3', 3],
      [null, 1],
      ['', 1],
      [undefined, 1],
    ],
    refused: [-1, 1.5, 'x', [], {}, true, '-1', '1.5'],
  },
  master_count: {
    taken: [
      [1, 1],
      [3, 3],
      ['5', 5],
      [null, 1],
      ['', 1],
      [undefined, 1],
    ],
    refused: [0, -1, 2, 4, 1.5, 'x', [], {}],
    beside: { master_lb_enabled: true },
  },
  create_timeout: {
    taken: [
      [0, 0],
      [90, 90],
      ['90', 90],
      [null, null],
      [undefined, 60],
    ],
    refused: [-1, 1.5, 'x', [], {}],
  },
  discovery_url: {
    taken: [
      ['https://discovery.example.com/x', 'https://discovery.example.com/x'],
      [null, null],
      [undefined, null],
    ],
    refused: [5, [], {}],
  },
  docker_volume_size: {
    taken: [
      [1, 1],
      [1000, 1000],
      ['7', 7],
      [null, 5],
      ['', 5],
      [undefined, 5],
    ],
    refused: [0, -1, 1.5, 'x', [], {}],
  },
  flavor_id: textFrom('template-flavor'),
  master_flavor_id: textFrom('template-master-flavor'),
  fixed_network: textFrom('template-network'),
  fixed_subnet: textFrom('template-subnet'),
  floating_ip_enabled: booleanFrom(true),
  master_lb_enabled: booleanFrom(false),
}

const words = (value: unknown): string => {
  const json = JSON.stringify(value) ?? 'nothing'
  return json.length < 40 ? json : `${json.length - 2} characters`
}

const create = (body: object) => ({
  line: 'POST /v1/clusters',
  version: '1.10',
  body: { cluster_template_id: '{template}', ...body },
})

const rowsOf = ([field, { taken, refused, beside = {} }]: [string, Field]): Row[] => [
  ...taken.map(
    ([value, shown]): Row => ({
      section: '4.1',
      name: `${field} may be ${words(value)}`,
      request: create({ ...beside, [field]: value }),
      expect: 202,
      after: { request: 'GET /v1/clusters/{uuid}', expect: { status: 200, body: { [field]: shown } } },
    }),
  ),
  ...refused.map(
    (value): Row => ({
      section: '4.1',
      name: `${field} may not be ${words(value)}`,
      request: create({ ...beside, [field]: value }),
      expect: { status: 400, says: field },
    }),
  ),
]

const TEMPLATE: Row[] = [
  ...['{template}', 'base'].map(
    (ident): Row => ({
      section: '4.1',
      name: `cluster_template_id may be ${ident === 'base' ? 'a name' : 'a UUID'}`,
      request: create({ cluster_template_id: ident }),
      expect: 202,
      after: {
        request: 'GET /v1/clusters/{uuid}',
        expect: { status: 200, body: { cluster_template_id: '{template}' } },
      },
    }),
  ),
  ...[undefined, 5, [], {}].map(
    (value): Row => ({
      section: '4.1',
      name: `cluster_template_id may not be ${words(value)}`,
      request: create({ cluster_template_id: value }),
      expect: { status: 400, says: 'cluster_template_id' },
    }),
  ),
  {
    section: '4.1',
    name: 'cluster_template_id may not be a name of two',
    request: create({ cluster_template_id: 'twice' }),
    expect: 409,
  },
  {
    section: '13.7',
    name: 'cluster_template_id null at latest is 404',
    request: { ...create({ cluster_template_id: null }), version: 'latest' },
    expect: 404,
  },
]

const READ_ONLY: Row[] = [
  'stack_id',
  'cluster_id',
  'api_address',
  'coe_version',
  'container_version',
  'node_addresses',
  'master_addresses',
  'project_id',
  'user_id',
  'links',
  'created_at',
  'updated_at',
].map((field) => ({
  section: '4.1',
  name: `${field} is read-only`,
  request: create({ [field]: field.endsWith('addresses') || field === 'links' ? [] : 'x' }),
  expect: { status: 400, says: field },
}))

const FOREIGN_UUID = '00000000-0000-4000-8000-000000000001'
const IGNORED: Row[] = [
  ['uuid', FOREIGN_UUID, expect.not.stringContaining(FOREIGN_UUID)],
  ['status', 'CREATE_COMPLETE', 'CREATE_IN_PROGRESS'],
  ['status_reason', 'x', null],
  ['labels_overridden', { a: 'b' }, {}],
  ['labels_added', { a: 'b' }, {}],
  ['labels_skipped', { a: 'b' }, {}],
].map(([field, value, shown]) => ({
  section: '4.1',
  name: `${field} is ignored`,
  request: create({ [field as string]: value }),
  expect: 202,
  after: { request: 'GET /v1/clusters/{uuid}', expect: { status: 200, body: { [field as string]: shown } } },
}))

const HOLES: Row[] = [
  ['health_status', 'UNHEALTHY', null],
  ['health_status_reason', { api: 'x' }, {}],
].map(([field, value, shown]) => ({
  section: '4.1',
  name: `${field} is accepted, and not kept`,
  better: true,
  request: create({ [field as string]: value }),
  expect: 202,
  after: { request: 'GET /v1/clusters/{uuid}', expect: { status: 200, body: { [field as string]: shown } } },
}))

const FAULTS: Row = {
  section: '4.1',
  name: 'faults is ignored',
  request: create({ faults: { a: 'b' } }),
  expect: 202,
}

contractTables(
  {
    fields: Object.entries(FIELDS).flatMap(rowsOf),
    template: TEMPLATE,
    'read-only': READ_ONLY,
    ignored: [...IGNORED, ...HOLES, FAULTS],
  },
  async (lab) => {
    for (const name of ['twice', 'twice']) await givenTemplate(lab, { name })
    // Of a driver that holds no authority: making three keys is most of the time that a create takes.
    const spec = {
      keypairId: 'template-key',
      dockerVolumeSize: 5,
      flavorId: 'template-flavor',
      masterFlavorId: 'template-master-flavor',
      fixedNetwork: 'template-network',
      fixedSubnet: 'template-subnet',
      floatingIpEnabled: true,
      masterLbEnabled: false,
    }
    return { template: (await givenTemplate(lab, { name: 'base', driver: 'rigid@1', spec })).id }
  },
)
