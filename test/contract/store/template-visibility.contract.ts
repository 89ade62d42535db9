import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { ClusterTemplate, ClusterTemplateChange } from '../../../functions/core/cluster/cluster-template.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes } from '../../support/store/contract-subject.ts'
import { sampleId, sampleTemplate } from '../../support/store/samples.ts'

const GREEN = { projectId: 'green', allProjects: false }
const ADMIN = { projectId: 'green', allProjects: true }
const PUBLISHED = { public: true, hidden: false }

/** Who sees which template, and in which order. */
export const templateVisibilityContract = (make: MakeSubject): void => {
  let subject: ContractSubject | undefined
  let stores: Stores
  beforeEach(async () => {
    await subject?.dispose()
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject?.dispose())

  const inserted = async (changes: Partial<ClusterTemplate> = {}) => {
    const template = sampleTemplate(changes)
    await stores.commit([stores.templates.insert(template)])
    return template
  }
  const changed = async (read: ClusterTemplate, change: ClusterTemplateChange) => {
    await stores.commit([stores.templates.change(read, change)])
    return { ...read, ...change, revision: read.revision + 1 }
  }
  const keyOf = ({ projectId, id }: ClusterTemplate) => ({ projectId, id })
  /** Everything that tells whether a template is seen. */
  const seenBy = async (reach: typeof GREEN, { id, name }: ClusterTemplate) => ({
    located: (await stores.templates.locate(reach, id)) !== undefined,
    named: (await stores.templates.locateByName(reach, name ?? '')).length > 0,
    listed: (await stores.templates.listWithin(reach, { limit: 99 })).items.some((item) => item.id === id),
  })
  const SEEN = { located: true, named: true, listed: true }
  const UNSEEN = { located: false, named: false, listed: false }

  describe('of a template of another project', () => {
    it.each([
      [false, false, UNSEEN],
      [true, false, SEEN],
      [true, true, UNSEEN],
      [false, true, UNSEEN],
    ])('public %s, hidden %s', async (isPublic, hidden, expected) => {
      const template = await inserted({ public: isPublic, hidden })
      expect(await seenBy(GREEN, template)).toEqual(expected)
      expect(await seenBy(ADMIN, template)).toEqual(SEEN)
      expect(await seenBy({ ...GREEN, projectId: 'blue' }, template)).toEqual(SEEN)
    })

    it('follows publishing, hiding, showing again, and unpublishing', async () => {
      let template = await inserted()
      const steps: [ClusterTemplateChange, typeof SEEN][] = [
        [{ public: true }, SEEN],
        [{ hidden: true }, UNSEEN],
        [{ tags: 'x' }, UNSEEN],
        [{ hidden: false }, SEEN],
        [{ tags: 'y' }, SEEN],
        [{ public: false }, UNSEEN],
      ]
      for (const [change, expected] of steps) {
        template = await changed(template, change)
        expect(await seenBy(GREEN, template)).toEqual(expected)
      }
    })

    it('follows a rename, to no name and back', async () => {
      const template = await inserted({ ...PUBLISHED, name: 'before' })
      const nameless = await changed(template, { name: null })
      expect(await stores.templates.locateByName(GREEN, 'before')).toEqual([])
      expect(await stores.templates.locate(GREEN, template.id)).toEqual(nameless)
      await changed(nameless, { name: 'after' })
      expect(await stores.templates.locateByName(GREEN, 'after')).toEqual([keyOf(template)])
    })

    it('follows hiding and renaming in one change', async () => {
      const template = await inserted({ ...PUBLISHED, name: 'before' })
      const hidden = await changed(template, { hidden: true, name: 'after' })
      expect(await stores.templates.locateByName(GREEN, 'before')).toEqual([])
      expect(await seenBy(GREEN, hidden)).toEqual(UNSEEN)
      const shown = await changed(hidden, { hidden: false, name: 'last' })
      expect(await stores.templates.locateByName(GREEN, 'after')).toEqual([])
      expect(await seenBy(GREEN, shown)).toEqual(SEEN)
    })

    it('ends with the template', async () => {
      const template = await inserted(PUBLISHED)
      await stores.commit([stores.templates.remove(template)])
      expect(await seenBy(GREEN, template)).toEqual(UNSEEN)
      expect(await seenBy(ADMIN, template)).toEqual(UNSEEN)
    })

    it('is not left behind by writers at once: one wins whole', async () => {
      const template = await inserted()
      const writers = Array.from({ length: 10 }, (_, index) =>
        stores.commit([stores.templates.change(template, { public: true, name: `name-${index}` })]),
      )
      expect(await outcomes(writers)).toEqual({ done: 1, errors: Array(9).fill('RevisionConflict') })
      const winner = await stores.templates.get(template)
      const names = Array.from({ length: 10 }, (_, index) => `name-${index}`)
      const found = await Promise.all(names.map((name) => stores.templates.locateByName(GREEN, name)))
      expect(names.filter((_, index) => found[index]!.length > 0)).toEqual([winner?.name])
    })
  })

  describe('of ids that callers chose', () => {
    const id = sampleId()
    const refused = { name: 'AlreadyExists' }

    it('an id that another project has is taken for all, published or not, until its template is removed', async () => {
      const published = await inserted({ id, ...PUBLISHED })
      const insert = (changes: Partial<ClusterTemplate>) =>
        stores.commit([stores.templates.insert(sampleTemplate({ id, projectId: 'green', ...changes }))])
      await expect(insert({})).rejects.toMatchObject(refused)
      await expect(insert(PUBLISHED)).rejects.toMatchObject(refused)
      expect(await stores.templates.get({ projectId: 'green', id })).toBeUndefined()
      const withdrawn = await changed(published, { hidden: true })
      await expect(insert({})).rejects.toMatchObject(refused)
      await stores.commit([stores.templates.remove(withdrawn)])
      await insert({})
    })

    it('published by two at once is published by one', async () => {
      const both = [sampleTemplate({ id, ...PUBLISHED }), sampleTemplate({ id, projectId: 'green', ...PUBLISHED })]
      const inserts = both.map((template) => stores.commit([stores.templates.insert(template)]))
      expect(await outcomes(inserts)).toEqual({ done: 1, errors: ['AlreadyExists'] })
    })
  })

  describe('locateByName', () => {
    it('tells own ones first, each oldest first', async () => {
      const name = 'twin'
      const foreign = await inserted({ name, ...PUBLISHED })
      const own = await inserted({ name, projectId: 'green', ...PUBLISHED })
      const ownLater = await inserted({ name, projectId: 'green' })
      const secret = await inserted({ name })
      const foreignLater = await inserted({ name, projectId: 'red', ...PUBLISHED })
      await inserted({ name: 'twin-2', projectId: 'green' })
      const keys = [own, ownLater, foreign, foreignLater].map(keyOf)
      expect(await stores.templates.locateByName(GREEN, name)).toEqual(keys)
      const all = [own, ownLater, foreign, secret, foreignLater].map(keyOf)
      expect(await stores.templates.locateByName(ADMIN, name)).toEqual(all)
    })

    it.each(['', '#', 'a#b', '%', 'a'.repeat(3000), '\u0000', 'näme'])('finds nothing under %j', async (name) => {
      for (const reach of [GREEN, ADMIN]) expect(await stores.templates.locateByName(reach, name)).toEqual([])
    })
  })

  describe('listWithin', () => {
    const readAll = async (reach: typeof GREEN) => {
      const found: string[] = []
      for (let more = true; more; ) {
        const marker = found.at(-1)
        const page = await stores.templates.listWithin(reach, { limit: 4, ...(marker === undefined ? {} : { marker }) })
        expect(page.items.length).toBeLessThanOrEqual(4)
        found.push(...page.items.map(({ id }) => id))
        more = page.more
      }
      return found
    }

    it('merges own and published ones by id, page by page, without loss or repetition', async () => {
      const kinds = [
        { projectId: 'green' },
        PUBLISHED,
        { projectId: 'green', ...PUBLISHED },
        {},
        { public: true, hidden: true },
      ]
      const templates = await Promise.all(Array.from({ length: 25 }, (_, index) => inserted(kinds[index % 5])))
      const idsOf = (visible: (index: number) => boolean) =>
        templates.filter((_, index) => visible(index % 5)).map(({ id }) => id)
      expect(await readAll(GREEN)).toEqual(idsOf((kind) => kind < 3))
      expect(await readAll(ADMIN)).toEqual(idsOf(() => true))
    })

    it('says that there is no more when the page is just full', async () => {
      const [own, foreign] = [await inserted({ projectId: 'green' }), await inserted(PUBLISHED)]
      expect(await stores.templates.listWithin(GREEN, { limit: 2 })).toEqual({ items: [own, foreign], more: false })
      expect(await stores.templates.listWithin(GREEN, { limit: 1 })).toEqual({ items: [own], more: true })
    })
  })
}
