import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { templateAnswer } from '../../../functions/api/clustertemplates/template.answer.schema.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { type Answer, type ApiLab, BASE_URL, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'
import { MIA, postTemplate } from '../../support/api/template-calls.ts'

const BUILTIN = 'fed91a4e-0000-4000-8000-000000000001'

/** Administrator of another project. */
const ADA: Principal = { userId: 'ada', projectId: 'green', roles: ['admin'], source: 'token-file' }

let lab: ApiLab
/** Of the project `blue`, by name. */
let ids: Record<'zoe' | 'anna' | 'published' | 'hidden' | 'both' | 'green' | 'twin' | 'other', string>

beforeAll(async () => {
  lab = await createApiLab()
  ids = {
    zoe: await postTemplate(lab, { name: 'zoe', image_id: 'b' }),
    anna: await postTemplate(lab, { name: 'anna', image_id: 'a', labels: { k: 'v' } }),
    published: await postTemplate(lab, { name: 'published', public: true }),
    hidden: await postTemplate(lab, { name: 'hidden', hidden: true }),
    both: await postTemplate(lab, { name: 'both', public: true, hidden: true }),
    green: await postTemplate(lab, { name: 'green' }, BOB),
    twin: await postTemplate(lab, { name: 'twin' }),
    other: await postTemplate(lab, { name: 'twin' }),
  }
})
afterAll(() => lab.dispose())

const get = (target: string, as: Principal = MIA): Promise<Answer> => lab.call('GET', target, { as })

const idsOf = async (target: string, as: Principal = MIA): Promise<string[]> =>
  (await get(target, as)).body.clustertemplates.map(({ uuid }: { uuid: string }) => uuid)

/** All that the project `blue` sees, as it was made. */
const blue = (): string[] => [BUILTIN, ids.zoe, ids.anna, ids.published, ids.hidden, ids.both, ids.twin, ids.other]

describe('GET /v1/clustertemplates', () => {
  it.each(['/v1/clustertemplates', '/v1/clustertemplates/detail', '/v1/clustertemplates/'])(
    '%s has whole templates: built-in ones, then one’s own',
    async (target) => {
      const { status, body } = await get(target)
      expect(status).toBe(200)
      expect(body.clustertemplates.map(({ uuid }: { uuid: string }) => uuid)).toEqual(blue())
      for (const item of body.clustertemplates) expect(templateAnswer.strict().parse(item)).toEqual(item)
      expect(body).not.toHaveProperty('next')
    },
  )

  it('has the published ones of others, but not the hidden ones', async () => {
    expect(await idsOf('/v1/clustertemplates', BOB)).toEqual([BUILTIN, ids.published, ids.green])
  })

  it.each(['/v1/clustertemplates', '/v1/clustertemplates/detail'])('%s has all for administrators', async (target) => {
    expect([...(await idsOf(target, ADA))].sort()).toEqual([...blue(), ids.green].sort())
  })

  it('is there for readers', async () => {
    expect(await idsOf('/v1/clustertemplates', READER)).toEqual(blue())
  })

  it('sorts by a column, ids second', async () => {
    const byName = await idsOf('/v1/clustertemplates?sort_key=name')
    expect(byName).toEqual([ids.anna, ids.both, BUILTIN, ids.hidden, ids.published, ids.twin, ids.other, ids.zoe])
    expect((await idsOf('/v1/clustertemplates?sort_key=image_id&sort_dir=desc')).at(-1)).toBe(ids.anna)
    expect((await idsOf('/v1/clustertemplates?sort_key=labels'))[0]).toBe(ids.anna)
    expect((await idsOf('/v1/clustertemplates?sort_key=public&sort_dir=desc')).slice(0, 3).sort()).toEqual(
      [BUILTIN, ids.published, ids.both].sort(),
    )
  })

  it('goes downwards as it goes upwards', async () => {
    expect(await idsOf('/v1/clustertemplates?sort_dir=desc')).toEqual(blue().reverse())
  })

  it.each([
    ['', 1],
    ['', 3],
    ['&sort_dir=desc', 3],
    ['&sort_key=name', 3],
  ])('gives everything once over pages%s of %i', async (order, limit) => {
    const seen: string[] = []
    for (let target = `/v1/clustertemplates?limit=${limit}${order}`; target !== ''; ) {
      const { body } = await get(target)
      seen.push(...body.clustertemplates.map(({ uuid }: { uuid: string }) => uuid))
      target = (body.next ?? '').replace(BASE_URL, '')
    }
    expect(seen).toEqual(await idsOf(`/v1/clustertemplates?limit=1000${order}`))
  })

  it('has next exactly when the page is full, and it leads on in the same shape', async () => {
    const total = blue().length
    const pages = await Promise.all([total, total + 1].map((limit) => get(`/v1/clustertemplates?limit=${limit}`)))
    expect(pages.map(({ body }) => 'next' in body)).toEqual([true, false])
    const { body } = await get('/v1/clustertemplates/detail?limit=2')
    expect(body.next).toBe(`${BASE_URL}/v1/clustertemplates/detail?sort_key=id&sort_dir=asc&limit=2&marker=${ids.zoe}`)
  })

  it.each([
    ['limit=0', 400],
    ['limit=x', 400],
    ['marker=x', 400],
    ['marker=00000000-0000-4000-8000-000000000009', 404],
    ['sort_key=cluster_count', 400],
    ['sort_key=links', 400],
    ['sort_dir=up', 400],
    ['all_tenants=True', 400],
    ['name=zoe', 400],
  ])('answers %s with %i', async (query, status) => {
    expect((await get(`/v1/clustertemplates?${query}`)).status).toBe(status)
  })

  it('goes on after a marker that the caller can’t see as after one that is deleted', async () => {
    const { status, body } = await get(`/v1/clustertemplates?marker=${ids.zoe}`, BOB)
    expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining(ids.zoe!)])
    expect((await get(`/v1/clustertemplates?marker=${ids.published}`, BOB)).status).toBe(200)
  })
})

describe('GET /v1/clustertemplates/{clustertemplate}', () => {
  it.each<[string, () => string, Principal, number]>([
    ['an id', () => ids.zoe, MIA, 200],
    ['a name', () => 'zoe', MIA, 200],
    ['a hidden one of the own project', () => ids.hidden, MIA, 200],
    ['the id of a built-in one', () => BUILTIN, BOB, 200],
    ['the name of a built-in one', () => 'external', BOB, 200],
    ['a published one of another project', () => ids.published, BOB, 200],
    ['the name of a published one of another project', () => 'published', BOB, 200],
    ['one of another project', () => ids.zoe, BOB, 404],
    ['a hidden one of another project', () => ids.hidden, BOB, 404],
    ['a public one of another project that is hidden', () => ids.both, BOB, 404],
    ['the same for an administrator', () => ids.both, ADA, 200],
    ['any of another project for an administrator', () => ids.zoe, ADA, 200],
    ['a name of another project for an administrator', () => 'anna', ADA, 200],
    ['a name that two have', () => 'twin', MIA, 409],
    ['a name that nobody has', () => 'nobody', MIA, 404],
    ['an id in capitals', () => ids.zoe.toUpperCase(), MIA, 404],
  ])('%s', async (_what, ident, as, status) => {
    expect((await get(`/v1/clustertemplates/${ident()}`, as)).status).toBe(status)
  })

  it('shows what the list shows', async () => {
    const { body } = await get('/v1/clustertemplates')
    for (const item of body.clustertemplates) {
      expect((await get(`/v1/clustertemplates/${item.uuid}`)).body).toEqual(item)
    }
  })

  it('is found without v1 and with a slash at the end', async () => {
    expect((await get(`/clustertemplates/${ids.zoe}/`)).body.uuid).toBe(ids.zoe)
  })

  it('prefers a stored template to the built-in one of the same name', async () => {
    const mine = await postTemplate(lab, { name: 'external' }, { ...BOB, projectId: 'red' })
    expect((await get('/v1/clustertemplates/external', { ...BOB, projectId: 'red' })).body.uuid).toBe(mine)
    expect((await get('/v1/clustertemplates/external', ALICE)).status).toBe(200)
  })

  it('has no detail', async () => {
    expect((await get(`/v1/clustertemplates/${ids.zoe}/detail`)).status).toBe(404)
  })
})
