import { givenTemplate } from '../../support/api/entities.ts'
import { useTemplate } from '../../support/api/template-calls.ts'
import { BLUE_READER, COLLEAGUE, FOREIGN_ADMIN, OWNER, STRANGER } from './principals.ts'
import { type Call, contractTables, type Expectation, type Given, type Row } from './row.ts'

/** Section 5: PATCH, DELETE, what is in use, who sees what. */

const SPEC = { flavorId: 'small', labels: { a: '1' }, dnsNameserver: '8.8.8.8', dockerVolumeSize: 5 }
const fresh: Given = async (lab) => ({ t: (await givenTemplate(lab, { name: 'old', tags: 'x', spec: SPEC })).id })

const patch = (body: unknown): Call => ({ line: 'PATCH /v1/clustertemplates/{t}', body })
const op = (name: string, path: string, value?: unknown) => ({ op: name, path, value })
const replace = (path: string, value: unknown) => [op('replace', path, value)]
const remove = (path: string) => [op('remove', path)]

type Change = [what: string, body: unknown, shown: object]

const CHANGES: Change[] = [
  ['name', replace('/name', 'new'), { name: 'new' }],
  ['image_id', replace('/image_id', 'other'), { image_id: 'other' }],
  ['flavor_id', replace('/flavor_id', 'big'), { flavor_id: 'big' }],
  ['flavor_id, added where it is null', [op('add', '/master_flavor_id', 'big')], { master_flavor_id: 'big' }],
  ['labels as a Python literal', replace('/labels', "{'k':'v'}"), { labels: { k: 'v' } }],
  ['one label, added', [op('add', '/labels/b', '2')], { labels: { a: '1', b: '2' } }],
  ['one label, overwritten by add', [op('add', '/labels/a', '2')], { labels: { a: '2' } }],
  ['one label, replaced', replace('/labels/a', '3'), { labels: { a: '3' } }],
  ['a boolean', replace('/registry_enabled', true), { registry_enabled: true }],
  ['a boolean as text', replace('/registry_enabled', 'True'), { registry_enabled: true }],
  ['tls_disabled', replace('/tls_disabled', true), { tls_disabled: true }],
  ['public', replace('/public', true), { public: true }],
  ['hidden', replace('/hidden', true), { hidden: true }],
  ['tags', replace('/tags', 'a,b'), { tags: 'a,b' }],
  ['docker_volume_size', replace('/docker_volume_size', 9), { docker_volume_size: 9 }],
  ['apiserver_port', [op('add', '/apiserver_port', 8443)], { apiserver_port: 8443 }],
  ['network_driver', replace('/network_driver', 'calico'), { network_driver: 'calico' }],
  ['server_type', replace('/server_type', 'bm'), { server_type: 'bm' }],
  ['flavor_id, removed', remove('/flavor_id'), { flavor_id: null }],
  ['dns_nameserver, removed', remove('/dns_nameserver'), { dns_nameserver: null }],
  ['docker_volume_size, removed', remove('/docker_volume_size'), { docker_volume_size: null }],
  ['tags, removed', remove('/tags'), { tags: null }],
  ['name, removed', remove('/name'), { name: null }],
  ['nothing', [], { name: 'old' }],
]

const BETTER: Change[] = [
  ['labels as an object', replace('/labels', { k: 'v' }), { labels: { k: 'v' } }],
  ['a number as text (11.6)', replace('/docker_volume_size', '7'), { docker_volume_size: 7 }],
  ['a label with a dot', [op('add', '/labels/a.b', '1')], { labels: { a: '1', 'a.b': '1' } }],
  ['a label with a slash', [op('add', '/labels/a~1b', '1')], { labels: { a: '1', 'a/b': '1' } }],
  ['a plain object', { name: 'new', registry_enabled: true }, { name: 'new', registry_enabled: true }],
]

const changeRows = (changes: Change[], better?: true): Row[] =>
  changes.map(([what, body, shown]) => ({
    section: '5',
    name: `PATCH of ${what} is 200`,
    ...(better === undefined ? {} : { better }),
    given: fresh,
    request: patch(body),
    expect: { status: 200, body: shown },
  }))

const LABELS: Row[] = [
  {
    section: '5',
    name: 'labels, removed, are {} afterwards',
    given: fresh,
    request: patch(remove('/labels')),
    expect: 200,
    after: { request: 'GET /v1/clustertemplates/{t}', expect: { status: 200, of: 'labels', keys: [] } },
  },
  {
    section: '5',
    name: 'one label, removed',
    given: fresh,
    request: patch(remove('/labels/a')),
    expect: { status: 200, of: 'labels', keys: [] },
  },
]

const NOT_REMOVABLE: Row[] = [
  'coe',
  'image_id',
  'network_driver',
  'external_network_id',
  'tls_disabled',
  'public',
  'server_type',
  'registry_enabled',
  'cluster_distro',
  'hidden',
].map((name) => ({
  section: '5',
  name: `/${name} may not be removed`,
  request: { line: 'PATCH /v1/clustertemplates/{template}', body: remove(`/${name}`) },
  expect: { status: 400, says: name },
}))

const REFUSED: Row[] = (
  [
    ['/coe', 'swarm'],
    ['/image_id', ''],
    ['/name', 'x'.repeat(256)],
    ['/network_driver', 'weave'],
    ['/volume_driver', 'x'],
    ['/dns_nameserver', 'x'],
    ['/apiserver_port', 80],
    ['/docker_volume_size', 0],
    ['/docker_volume_size', 'x'],
    ['/server_type', 'x'],
    ['/registry_enabled', 'perhaps'],
    ['/labels', 'a=b'],
    ['/labels', "{'a': None}"],
    ['/labels/none', 'x'],
    ['/tags', 'x'.repeat(256)],
    ['/uuid', 'x'],
    ['/project_id', 'x'],
    ['/user_id', 'x'],
    ['/created_at', 'x'],
    ['/updated_at', 'x'],
    ['/links', 'x'],
    ['/colour', 'red'],
  ] as const
).map(([path, value]) => ({
  section: '5',
  name: `PATCH of ${path} to ${JSON.stringify(value).slice(0, 20)} is 400`,
  request: { line: 'PATCH /v1/clustertemplates/{template}', body: replace(path, value) },
  expect: { status: 400, says: path.split('/')[1]! },
}))

const inUse: Given = async (lab, names) => {
  const { t } = await fresh(lab, names)
  await useTemplate(lab, { id: t! }, { name: 'user-of-it' })
  return { t: t! }
}

const IN_USE: [what: string, body: unknown, expected: number | Expectation][] = [
  ['name', replace('/name', 'new'), { status: 200, body: { name: 'new' } }],
  ['name, removed', remove('/name'), 200],
  ['tags', replace('/tags', 'new'), 200],
  ['hidden to true', replace('/hidden', true), 200],
  ['hidden to false', replace('/hidden', false), 400],
  ['public to true', replace('/public', true), 200],
  ['flavor_id', replace('/flavor_id', 'big'), 400],
  ['labels', replace('/labels', "{'k':'v'}"), 400],
  ['name and flavor_id', [...replace('/name', 'new'), ...replace('/flavor_id', 'big')], 400],
  ['name and tags', [...replace('/name', 'new'), ...replace('/tags', 'new')], 400],
  ['nothing (13.9)', [], 400],
]

const USED: Row[] = [
  ...IN_USE.map(
    ([what, body, expected]): Row => ({
      section: '5',
      name: `PATCH of a template in use: ${what} is ${typeof expected === 'number' ? expected : expected.status}`,
      ...(expected === 400 ? {} : { given: inUse }),
      request: patch(body),
      expect: expected,
    }),
  ),
  {
    section: '5',
    name: 'public of a template in use may not become false',
    given: async (lab) => {
      const { id } = await givenTemplate(lab, { public: true })
      await useTemplate(lab, { id }, { name: 'user-of-it' })
      return { t: id }
    },
    request: patch(replace('/public', false)),
    expect: 400,
  },
  {
    section: '11.8',
    name: 'the refusal names the clusters in the way',
    better: true,
    request: patch(replace('/flavor_id', 'big')),
    expect: { status: 400, says: 'user-of-it' },
  },
  {
    section: '5',
    name: 'DELETE of a template in use is 400',
    request: 'DELETE /v1/clustertemplates/{t}',
    expect: { status: 400, says: 'user-of-it' },
  },
  {
    section: '5',
    name: 'DELETE is 204, then it is 404',
    given: fresh,
    request: 'DELETE /v1/clustertemplates/{t}',
    expect: { status: 204, body: null },
    after: { request: 'GET /v1/clustertemplates/{t}', expect: 404 },
  },
  { section: '5', name: 'DELETE of none is 404', request: 'DELETE /v1/clustertemplates/none', expect: 404 },
]

const SEEN: [template: string, who: string, as: Call['as'], status: number][] = [
  ['private', 'a colleague', COLLEAGUE, 200],
  ['private', 'a stranger', STRANGER, 404],
  ['private', 'a foreign administrator', FOREIGN_ADMIN, 200],
  ['public', 'a stranger', STRANGER, 200],
  ['hidden', 'a colleague', COLLEAGUE, 200],
  ['hidden', 'a stranger', STRANGER, 404],
  ['hidden', 'a foreign administrator', FOREIGN_ADMIN, 200],
  ['hiddenPublic', 'a colleague', COLLEAGUE, 200],
  ['hiddenPublic', 'a stranger', STRANGER, 404],
  ['hiddenPublic', 'a foreign administrator', FOREIGN_ADMIN, 200],
]

const VISIBILITY: Row[] = [
  ...SEEN.flatMap(([template, who, as, status]): Row[] => [
    {
      section: '5',
      name: `a ${template} template shown to ${who} is ${status}`,
      request: { line: `GET /v1/clustertemplates/{${template}}`, as: as! },
      expect: status,
    },
    {
      section: '5',
      name: `a ${template} template is ${status === 200 ? '' : 'not '}in the list of ${who}`,
      request: { line: 'GET /v1/clustertemplates', as: as! },
      expect: { status: 200, of: 'clustertemplates', [status === 200 ? 'has' : 'lacks']: [`{${template}}`] },
    },
  ]),
  {
    section: '5',
    name: 'a member may not create from an own hidden template',
    request: { line: 'POST /v1/clusters', body: { cluster_template_id: '{hidden}' }, as: OWNER },
    expect: 403,
  },
  ...['public', 'hidden'].map(
    (name): Row => ({
      section: '5',
      name: `PATCH of ${name} without the right to publish is 403`,
      given: fresh,
      request: { ...patch(replace(`/${name}`, true)), as: OWNER },
      expect: { status: 403, says: 'publish' },
    }),
  ),
  ...['PATCH', 'DELETE'].map(
    (method): Row => ({
      section: '9.4',
      name: `${method} by a reader is 403`,
      request: {
        line: `${method} /v1/clustertemplates/{template}`,
        as: BLUE_READER,
        ...(method === 'PATCH' ? { body: [] } : {}),
      },
      expect: 403,
    }),
  ),
]

contractTables(
  {
    PATCH: [...changeRows(CHANGES), ...changeRows(BETTER, true), ...LABELS],
    'PATCH that is refused': [...NOT_REMOVABLE, ...REFUSED],
    'in use': USED,
    visibility: VISIBILITY,
  },
  async (lab) => ({
    // In use, for what is refused.
    ...(await inUse(lab, {})),
    template: (await givenTemplate(lab, { name: 'base', spec: { ...SPEC, externalNetworkId: 'net' } })).id,
    private: (await givenTemplate(lab)).id,
    public: (await givenTemplate(lab, { public: true })).id,
    hidden: (await givenTemplate(lab, { hidden: true })).id,
    hiddenPublic: (await givenTemplate(lab, { hidden: true, public: true })).id,
  }),
)
