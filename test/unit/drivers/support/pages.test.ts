import { describe, expect, it } from 'vitest'
import { listAll } from '../../../../functions/drivers/support/owned.ts'
import { pagesOf } from '../../../../functions/drivers/support/pages.ts'
import type { KubernetesClient, KubernetesObject, ObjectList } from '../../../../functions/kubernetes/client.ts'
import { ListTooLong } from '../../../../functions/kubernetes/errors.ts'

const PODS = { group: '', version: 'v1', plural: 'pods' }

const podNamed = (name: string): KubernetesObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } })

/** An API server whose n-th page, from 0 on, is what `page` says; counts what it is asked. */
const serving = (page: (index: number) => ObjectList): { client: KubernetesClient; asked: () => number } => {
  let asked = 0
  const list: KubernetesClient['list'] = async () => {
    asked += 1
    return page(asked - 1)
  }
  return { client: { list } as unknown as KubernetesClient, asked: () => asked }
}

describe('lists of an API server that is not ours', () => {
  it('are read to their end', async () => {
    const { client } = serving((index) => ({
      items: [podNamed(`pod-${index}`)],
      ...(index === 2 ? {} : { continue: `after-${index}` }),
    }))
    const names = (await listAll(client, PODS)).map(({ metadata }) => metadata.name)
    expect(names).toEqual(['pod-0', 'pod-1', 'pod-2'])
  })

  it.each([
    ['pages', { items: [] as KubernetesObject[] }],
    ['objects', { items: Array.from({ length: 5_000 }, () => podNamed('pod')) }],
    ['bytes', { items: [podNamed('pod')], bytes: 10_000_000 }],
  ])('end where there are too many %s', async (_, page) => {
    const { client, asked } = serving((index) => ({ ...page, continue: `after-${index}` }))
    await expect(listAll(client, PODS)).rejects.toBeInstanceOf(ListTooLong)
    expect(asked()).toBeLessThanOrEqual(200)
  })

  it('end where a page follows itself', async () => {
    const { client, asked } = serving(() => ({ items: [podNamed('pod')], continue: 'again' }))
    await expect(listAll(client, PODS)).rejects.toBeInstanceOf(ListTooLong)
    expect(asked()).toBe(2)
  })

  it('say what was read, and are not asked for again by themselves', async () => {
    const { client } = serving((index) => ({ items: [], continue: `after-${index}` }))
    const error = await listAll(client, PODS).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ retryable: false, message: expect.stringMatching(/^The list of pods .* 200 pages/) })
  })

  it('are read no further than they are needed', async () => {
    const { client, asked } = serving((index) => ({ items: [podNamed('pod')], continue: `after-${index}` }))
    for await (const page of pagesOf(client, PODS)) if (page.length > 0) break
    expect(asked()).toBe(1)
  })
})
