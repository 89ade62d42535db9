import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenTemplate } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { givenReachable } from '../../support/api/node-groups.ts'
import { BOB } from '../../support/api/request.ts'

/**
 * One order on every route that changes an object (Magnum's): does the body parse (400) → is the object there for the caller (404) → may they (403) → does
 * it make sense (400, 409).
 */

let lab: ApiLab
let ids: Record<string, string>
beforeAll(async () => {
  lab = await createApiLab()
  const cluster = await givenReachable(lab)
  const { id: template } = await givenTemplate(lab)
  ids = { cluster, template }
})
afterAll(() => lab.dispose())

const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }]

/** Bodies that no object is needed to refuse. */
const MALFORMED: [what: string, body: unknown][] = [
  ['text', 'x'],
  ['no body', undefined],
  ['an operation that is none', [{ op: 'test', path: '/name', value: 'x' }]],
  ['a path that is no pointer', replace('name', 'x')],
  ['a value that is missing', [{ op: 'replace', path: '/name' }]],
  ['an internal attribute', replace('/uuid', 'x')],
]

/** Bodies that are well formed and make no sense, whatever object is meant. */
const SENSELESS: Record<string, [what: string, body: unknown][]> = {
  cluster: [
    ['an attribute that can not be changed', replace('/keypair', 'x')],
    ['one that there is not', replace('/nmae', 'x')],
    ['a value out of range', replace('/node_count', -1)],
    ['no nodes in an old version', replace('/node_count', 0)],
    ['a health that is none', replace('/health_status', 'FINE')],
    ['a context without a kubeconfig', replace('/context', 'x')],
  ],
  template: [
    ['an attribute that there is not', replace('/nmae', 'x')],
    ['a value of another type', replace('/public', 'perhaps')],
    ['a removal of what can not be removed', [{ op: 'remove', path: '/image_id' }]],
  ],
  group: [
    ['an attribute that can not be changed', replace('/name', 'x')],
    ['a value out of range', replace('/max_node_count', -1)],
    ['a label that is none', replace('/node_labels', 'a=x')],
  ],
}

const PATHS: Record<string, (at: { cluster: string; template: string; group: string }) => string> = {
  cluster: ({ cluster }) => `/v1/clusters/${cluster}`,
  template: ({ template }) => `/v1/clustertemplates/${template}`,
  group: ({ cluster, group }) => `/v1/clusters/${cluster}/nodegroups/${group}`,
}

const patch = async (kind: string, isThere: boolean, body: unknown): Promise<number> => {
  const there = { cluster: ids.cluster!, template: ids.template!, group: 'default-worker' }
  const target = PATHS[kind]!(isThere ? there : { cluster: 'none', template: 'none', group: 'none' })
  return (await lab.call('PATCH', target, { body, headers: { 'OpenStack-API-Version': 'container-infra 1.9' } })).status
}

describe.each(Object.keys(PATHS))('PATCH of a %s', (kind) => {
  it.each(MALFORMED)('with %s is 400, there or not', async (_, body) => {
    expect([await patch(kind, true, body), await patch(kind, false, body)]).toEqual([400, 400])
  })

  it.each(SENSELESS[kind]!)('with %s is 404 where there is none, and refused where there is one', async (_, body) => {
    expect(await patch(kind, false, body)).toBe(404)
    expect([400, 409]).toContain(await patch(kind, true, body))
  })

  it('of another project is 404, whatever it says', async () => {
    const [[, body]] = SENSELESS[kind]! as [[string, unknown]]
    const target = PATHS[kind]!({ cluster: ids.cluster!, template: ids.template!, group: 'default-worker' })
    const { status } = await lab.call('PATCH', target, {
      as: BOB,
      body,
      headers: { 'OpenStack-API-Version': 'container-infra 1.9' },
    })
    expect(status).toBe(404)
  })
})
