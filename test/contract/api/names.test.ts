import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RESERVED_NAMES } from '../../../functions/api/body/fields.ts'
import { ROUTES } from '../../../functions/api/routes.ts'
import { changeCluster, givenCluster, givenFederation, givenTemplate } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'

/** Names that a path can't address, and pages after what is gone. */

let lab: ApiLab
let host: string
beforeAll(async () => {
  lab = await createApiLab()
  host = await givenCluster(lab, { name: 'host' })
})
afterAll(() => lab.dispose())

/** Words of routes that stand where an id or name could. */
const words = new Set(
  ROUTES.flatMap(({ path }) => {
    const [, collection, next] = path.slice(1).split('/')
    const hasItems = ROUTES.some((route) => route.path.startsWith(`/v1/${collection}/{`))
    return hasItems && next !== undefined && !next.startsWith('{') ? [next] : []
  }),
)

describe('reserved names', () => {
  it('are all words of routes that stand in the place of a name, and `actions`', () => {
    expect([...words, 'actions'].toSorted()).toEqual([...RESERVED_NAMES])
  })

  describe.each(RESERVED_NAMES)('%s', (name) => {
    it.each<[string, () => Record<string, unknown>]>([
      ['/v1/clusters', () => ({ name, driver: 'memory@1' })],
      ['/v1/federations', () => ({ name, hostcluster_id: host })],
      ['/v1/clustertemplates', () => ({ name, coe: 'kubernetes', image_id: 'fedora' })],
    ])('is refused by POST %s, which makes nothing', async (target, body) => {
      const { status, body: answer } = await lab.call('POST', target, { body: body() })
      expect([status, answer.errors[0].detail]).toEqual([400, expect.stringContaining('Try another')])
      expect(JSON.stringify((await lab.call('GET', target)).body)).not.toContain(`"name":"${name}"`)
    })

    it('is refused by PATCH of a template', async () => {
      const { id } = await givenTemplate(lab)
      const body = [{ op: 'replace', path: '/name', value: name }]
      expect((await lab.call('PATCH', `/v1/clustertemplates/${id}`, { body })).status).toBe(400)
    })

    it('is shown and deleted by id where it was stored before', async () => {
      const id = await givenCluster(lab)
      await changeCluster(lab, id, { name })
      expect((await lab.call('GET', `/v1/clusters/${id}`)).body).toMatchObject({ uuid: id, name })
      expect((await lab.call('DELETE', `/v1/clusters/${id}`)).status).toBe(204)
    })
  })
})

describe('a page after what was deleted meanwhile', () => {
  it.each(['clusters', 'federations', 'clustertemplates'])('goes on after it: %s', async (collection) => {
    const make: Record<string, () => Promise<string>> = {
      clusters: () => givenCluster(lab),
      federations: async () => (await givenFederation(lab)).id,
      clustertemplates: async () => (await givenTemplate(lab)).id,
    }
    const ids = [await make[collection]!(), await make[collection]!(), await make[collection]!()]
    const gone = `${ids[1]!.slice(0, -1)}${ids[1]!.endsWith('0') ? '1' : '0'}`
    const { status, body } = await lab.call('GET', `/v1/${collection}?marker=${gone}&limit=1`)
    const [next] = body[collection]
    expect([status, next.uuid]).toEqual([200, [ids[1]!, ids[2]!].find((id) => id > gone)])
  })
})
