import { expect } from 'vitest'
import { givenTemplate } from '../../support/api/entities.ts'
import { BASE_URL } from '../../support/api/lab.ts'
import { OWNER } from './principals.ts'
import { type Call, contractTables, type Row } from './row.ts'

/** Section 5: each attribute of a create. By rule 0.7 `null` and `""` are "not given". */

const text = (length: number): string => 'x'.repeat(length)

type Field = { taken: [value: unknown, shown: unknown][]; refused: unknown[] }

const TEXT: Field = {
  taken: [
    ['x', 'x'],
    [text(255), text(255)],
    [null, null],
    ['', null],
    [undefined, null],
  ],
  refused: [text(256), 5, [], {}],
}

const booleanFrom = (standard: boolean): Field => ({
  taken: [
    [true, true],
    [false, false],
    ['true', true],
    ['False', false],
    [null, standard],
    [undefined, standard],
  ],
  refused: ['perhaps', [], {}],
})

const FIELDS: Record<string, Field> = {
  coe: {
    taken: [['kubernetes', 'kubernetes']],
    refused: ['swarm', 'swarm-mode', 'mesos', 'dcos', 'k8s', '', null, undefined, 5],
  },
  image_id: {
    taken: [
      ['x', 'x'],
      [text(255), text(255)],
    ],
    refused: [text(256), '', null, undefined, 5],
  },
  name: {
    taken: [
      ['x', 'x'],
      ['free text, ä / 1', 'free text, ä / 1'],
      [text(255), text(255)],
      [null, expect.stringMatching(/-template$/)],
      ['', expect.stringMatching(/-template$/)],
      [undefined, expect.stringMatching(/-template$/)],
    ],
    refused: [text(256), 5, [], {}],
  },
  flavor_id: TEXT,
  master_flavor_id: TEXT,
  fixed_network: TEXT,
  fixed_subnet: TEXT,
  external_network_id: TEXT,
  http_proxy: TEXT,
  https_proxy: TEXT,
  no_proxy: TEXT,
  insecure_registry: TEXT,
  docker_storage_driver: TEXT,
  keypair_id: TEXT,
  network_driver: {
    taken: [
      ['flannel', 'flannel'],
      ['calico', 'calico'],
      [null, 'flannel'],
      [undefined, 'flannel'],
    ],
    refused: ['weave', 5, []],
  },
  volume_driver: {
    taken: [
      ['cinder', 'cinder'],
      [null, null],
      [undefined, null],
    ],
    refused: ['rexray', 'x', 5],
  },
  dns_nameserver: {
    taken: [
      ['8.8.8.8', '8.8.8.8'],
      ['8.8.8.8,1.1.1.1', '8.8.8.8,1.1.1.1'],
      [null, null],
      [undefined, null],
    ],
    refused: ['x', '8.8.8', '8.8.8.8;1.1.1.1', '256.1.1.1', 5],
  },
  apiserver_port: {
    taken: [
      [1024, 1024],
      [65535, 65535],
      ['8443', 8443],
      [null, null],
      [undefined, null],
    ],
    refused: [1023, 65536, 0, -1, 1.5, 'x'],
  },
  docker_volume_size: {
    taken: [
      [1, 1],
      ['7', 7],
      [null, null],
      [undefined, null],
    ],
    refused: [0, -1, 1.5, 'x'],
  },
  labels: {
    taken: [
      [{ a: 'b' }, { a: 'b' }],
      [
        { i: 1, f: 1.5, t: true },
        { i: '1', f: '1.5', t: 'True' },
      ],
      [{}, {}],
      [null, {}],
      [undefined, {}],
    ],
    refused: [{ a: null }, { a: {} }, { a: [] }, 'a=b', 5, []],
  },
  server_type: {
    taken: [
      ['vm', 'vm'],
      ['bm', 'bm'],
      [null, 'vm'],
      [undefined, 'vm'],
    ],
    refused: ['lxc', 5],
  },
  registry_enabled: booleanFrom(false),
  tls_disabled: booleanFrom(false),
  public: booleanFrom(false),
  hidden: booleanFrom(false),
  master_lb_enabled: booleanFrom(false),
  floating_ip_enabled: booleanFrom(true),
  tags: {
    taken: [
      ['a,b', 'a,b'],
      [text(255), text(255)],
      [null, null],
      [undefined, null],
    ],
    refused: [text(256), 5, ['a']],
  },
}

const create = (body: object, more: Partial<Call> = {}): Call => ({
  line: 'POST /v1/clustertemplates',
  body: { coe: 'kubernetes', image_id: 'ubuntu', ...body },
  ...more,
})

const words = (value: unknown): string => {
  const json = JSON.stringify(value) ?? 'nothing'
  return json.length < 40 ? json : `${json.length - 2} characters`
}

const rowsOf = ([field, { taken, refused }]: [string, Field]): Row[] => [
  ...taken.map(
    ([value, shown]): Row => ({
      section: '5',
      name: `${field} may be ${words(value)}`,
      request: create({ [field]: value }),
      expect: { status: 201, body: { [field]: shown } },
    }),
  ),
  ...refused.map(
    (value): Row => ({
      section: '5',
      name: `${field} may not be ${words(value)}`,
      request: create({ [field]: value }),
      expect: { status: 400, says: field },
    }),
  ),
]

/** Exact keys of every answer about templates. */
const KEYS = [
  ...Object.keys(FIELDS),
  'driver',
  'cluster_distro',
  'uuid',
  'project_id',
  'user_id',
  'links',
  'created_at',
  'updated_at',
]

const OWN_UUID = '00000000-0000-4000-8000-00000000abcd'

const CREATES: Row[] = [
  {
    section: '5',
    name: 'create is 201 with exact keys and Location',
    request: create({}),
    expect: {
      status: 201,
      keys: KEYS,
      headers: { location: expect.stringContaining(`${BASE_URL}/v1/clustertemplates/`) },
    },
  },
  {
    section: '5',
    name: 'uuid is honoured, and is in Location',
    request: create({ uuid: OWN_UUID }),
    expect: {
      status: 201,
      body: { uuid: OWN_UUID },
      headers: { location: `${BASE_URL}/v1/clustertemplates/${OWN_UUID}` },
    },
  },
  { section: '5', name: 'a uuid that is there is 409', request: create({ uuid: '{template}' }), expect: 409 },
  { section: '5', name: 'a uuid that is none is 400', request: create({ uuid: 'x' }), expect: 400 },
  {
    section: '5',
    name: 'driver, unknown, is 400',
    request: create({ driver: 'unknown' }),
    expect: { status: 400, says: 'driver' },
  },
  {
    section: '5',
    name: 'devicemapper needs 3 GB: 2 is 400',
    request: create({ docker_storage_driver: 'devicemapper', docker_volume_size: 2 }),
    expect: { status: 400, says: 'docker_volume_size' },
  },
  {
    section: '5',
    name: 'devicemapper needs 3 GB: 3 is taken',
    request: create({ docker_storage_driver: 'devicemapper', docker_volume_size: 3 }),
    expect: 201,
  },
  {
    section: '5',
    name: 'names need not be unique',
    request: create({ name: 'base' }),
    expect: { status: 201, body: { name: 'base' } },
  },
  {
    section: '10.1',
    name: 'the many nulls of the CLI',
    request: create({
      name: 'cli',
      ...Object.fromEntries(
        [
          'fixed_network',
          'fixed_subnet',
          'network_driver',
          'volume_driver',
          'driver',
          'http_proxy',
          'https_proxy',
          'no_proxy',
          'docker_volume_size',
          'insecure_registry',
          'master_flavor_id',
          'keypair_id',
          'external_network_id',
        ].map((key) => [key, null]),
      ),
      flavor_id: 'm1.medium',
      dns_nameserver: '8.8.8.8',
      docker_storage_driver: 'overlay2',
    }),
    expect: { status: 201, body: { links: [{}, {}] } },
  },
  ...['public', 'hidden'].map(
    (field): Row => ({
      section: '5',
      name: `${field}: true without the right to publish is 403`,
      request: create({ [field]: true }, { as: OWNER }),
      expect: { status: 403, says: 'publish' },
    }),
  ),
  ...['project_id', 'user_id', 'links', 'created_at', 'updated_at'].map(
    (field): Row => ({
      section: '2',
      name: `${field} is read-only`,
      request: create({ [field]: field === 'links' ? [] : 'x' }),
      expect: { status: 400, says: field },
    }),
  ),
]

const READS: Row[] = [
  ['GET /v1/clustertemplates?sort_key=name&limit=1', 'clustertemplates.0'],
  ['GET /v1/clustertemplates/detail?sort_key=name&limit=1', 'clustertemplates.0'],
  ['GET /v1/clustertemplates/{template}', ''],
].map(([line, of]) => ({
  section: '5',
  name: `${line?.split('?')[0]} has exact keys`,
  request: line!,
  expect: { status: 200, of: of!, keys: KEYS },
}))

contractTables({ fields: Object.entries(FIELDS).flatMap(rowsOf), create: CREATES, read: READS }, async (lab) => ({
  template: (await givenTemplate(lab, { name: 'base' })).id,
}))
