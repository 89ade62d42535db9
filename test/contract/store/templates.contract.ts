import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterTemplate, ClusterTemplateChange } from '../../../functions/core/cluster/cluster-template.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes } from '../../support/store/contract-subject.ts'
import { sampleId, sampleTemplate } from '../../support/store/samples.ts'

/** What every implementation of `ClusterTemplateStore` does, beside visibility. */
export const templateStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  const inserted = async (changes: Partial<ClusterTemplate> = {}) => {
    const template = sampleTemplate(changes)
    await stores.commit([stores.templates.insert(template)])
    return template
  }
  const reread = async (key: { projectId: string; id: string }) => {
    const template = await stores.templates.get(key)
    if (template === undefined) throw new Error('the template is gone')
    return template
  }
  const namesOf = (projectId: string, name: string) =>
    stores.templates.locateByName({ projectId, allProjects: false }, name)

  describe('get and insert', () => {
    it.each([{}, { name: null, tags: null, public: true, hidden: true }])(
      'gives back what was stored, in every attribute: %j',
      async (changes) => {
        const template = await inserted(changes)
        expect(await stores.templates.get(template)).toEqual(template)
        expect(await stores.templates.get({ ...template, projectId: 'green' })).toBeUndefined()
      },
    )

    it('lets one of 10 with the same id in', async () => {
      const template = sampleTemplate()
      const inserts = Array.from({ length: 10 }, () => stores.commit([stores.templates.insert(template)]))
      expect(await outcomes(inserts)).toEqual({ done: 1, errors: Array(9).fill('AlreadyExists') })
    })
  })

  describe('an id', () => {
    const elsewhere = (template: ClusterTemplate, changes: Partial<ClusterTemplate> = {}) =>
      stores.commit([stores.templates.insert({ ...template, projectId: 'green', ...changes })])

    it.each([{}, { public: true }])('is taken in all projects: %j', async (changes) => {
      const template = await inserted()
      await expect(elsewhere(template, changes)).rejects.toMatchObject({ name: 'AlreadyExists' })
      expect(await stores.templates.get({ projectId: 'green', id: template.id })).toBeUndefined()
    })

    it('goes to one of 10 projects that want it at once', async () => {
      const template = sampleTemplate()
      const inserts = Array.from({ length: 10 }, (_, index) => elsewhere(template, { projectId: `green-${index}` }))
      expect(await outcomes(inserts)).toEqual({ done: 1, errors: Array(9).fill('AlreadyExists') })
    })

    it('is free again when its template was removed', async () => {
      const template = await inserted()
      await stores.commit([stores.templates.change(template, { tags: 'x' })])
      await stores.commit([stores.templates.remove(await reread(template))])
      await elsewhere(template)
      expect(await reread({ projectId: 'green', id: template.id })).toMatchObject({ projectId: 'green' })
    })
  })

  describe('change', () => {
    it('sets every field that may change, and adds 1 to the revision', async () => {
      const template = await inserted()
      const fields: ClusterTemplateChange = {
        name: 'large',
        spec: { ...template.spec, labels: {}, dockerVolumeSize: 5 },
        public: true,
        hidden: true,
        tags: null,
        updatedAt: '2026-11-27T12:00:00.000Z',
      }
      await stores.commit([stores.templates.change(template, fields)])
      expect(await stores.templates.get(template)).toEqual({ ...template, ...fields, revision: 2 })
    })

    it('lets exactly one of 20 writers of one revision win', async () => {
      const template = await inserted()
      const changes = Array.from({ length: 20 }, (_, index) =>
        stores.commit([stores.templates.change(template, { tags: `${index}` })]),
      )
      expect(await outcomes(changes)).toEqual({ done: 1, errors: Array(19).fill('RevisionConflict') })
    })

    it('moves the name, also to none and back', async () => {
      const projectId = sampleId()
      const template = await inserted({ projectId, name: 'before' })
      await stores.commit([stores.templates.change(template, { name: null })])
      expect(await namesOf(projectId, 'before')).toEqual([])
      await stores.commit([stores.templates.change(await reread(template), { name: 'after' })])
      expect(await namesOf(projectId, 'after')).toEqual([{ projectId, id: template.id }])
    })

    it('leaves the count of clusters as it is now, not as it was read', async () => {
      const template = await inserted()
      await stores.commit([stores.templates.countUse(template, 1)])
      await stores.commit([stores.templates.change(template, { tags: 'x' })])
      expect(await stores.templates.get(template)).toMatchObject({ tags: 'x', revision: 2, clusterCount: 1 })
    })

    it('with unlessUsed tells a template in use from one that changed', async () => {
      const template = await inserted()
      const change = () => stores.commit([stores.templates.change(template, { tags: 'x' }, { unlessUsed: true })])
      await stores.commit([stores.templates.countUse(template, 1)])
      await expect(change()).rejects.toMatchObject({ name: 'TemplateInUse', details: { clusterCount: 1 } })
      await stores.commit([stores.templates.countUse(template, -1)])
      await change()
      await expect(change()).rejects.toMatchObject({ name: 'RevisionConflict' })
    })
  })

  describe('remove', () => {
    it('removes the template as it was read, and its name', async () => {
      const projectId = sampleId()
      const template = await inserted({ projectId, name: 'goes' })
      const stale = stores.commit([stores.templates.remove({ ...template, revision: 7 })])
      await expect(stale).rejects.toMatchObject({ name: 'RevisionConflict' })
      await stores.commit([stores.templates.remove(template)])
      expect(await stores.templates.get(template)).toBeUndefined()
      expect(await namesOf(projectId, 'goes')).toEqual([])
      const again = stores.commit([stores.templates.remove(template)])
      await expect(again).rejects.toMatchObject({ name: 'RevisionConflict' })
    })

    it('demands that no cluster uses it', async () => {
      const template = await inserted()
      await stores.commit([stores.templates.countUse(template, 1)])
      await stores.commit([stores.templates.countUse(template, 1)])
      const removal = stores.commit([stores.templates.remove(template)])
      await expect(removal).rejects.toMatchObject({ name: 'TemplateInUse', details: { clusterCount: 2 } })
      expect((await reread(template)).clusterCount).toBe(2)
    })
  })

  describe('countUse', () => {
    it('of many at once is exact, and bumps no revision', async () => {
      const template = await inserted()
      await Promise.all(Array.from({ length: 20 }, () => stores.commit([stores.templates.countUse(template, 1)])))
      expect(await stores.templates.get(template)).toEqual({ ...template, clusterCount: 20 })
    })

    it('demands the template for one more, and nothing for one less', async () => {
      const gone = { projectId: 'blue', id: sampleId() }
      const more = stores.commit([stores.templates.countUse(gone, 1)])
      await expect(more).rejects.toMatchObject({ name: 'TemplateGone', kind: 'conflict' })
      await stores.commit([stores.templates.countUse(gone, -1)])
      expect(await stores.templates.get(gone)).toBeUndefined()
      const unused = await inserted()
      await stores.commit([stores.templates.countUse(unused, -1)])
      expect((await reread(unused)).clusterCount).toBe(0)
    })

    it('and removal at once: one of both is refused', async () => {
      const rounds = Array.from({ length: 10 }, async () => {
        const template = await inserted()
        return outcomes([
          stores.commit([stores.templates.countUse(template, 1)]),
          stores.commit([stores.templates.remove(template)]),
        ])
      })
      for (const { done, errors } of await Promise.all(rounds)) {
        expect(done).toBe(1)
        expect(['TemplateGone', 'TemplateInUse']).toContain(errors[0])
      }
    })
  })
}
