import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubernetesClient, Resource } from '../../../../functions/kubernetes/client.ts'
import { namespaces } from '../../../../functions/kubernetes/resources.ts'
import { type KarmadaLab, openKarmadaLab } from '../../../support/karmada/lab.ts'
import { KarmadaLife } from '../../../support/karmada/life.ts'

const TIMEOUT_MS = 60_000
const FEDERATION_LABEL = 'fedplane.io/federation'
const USED_BY = 'fedplane.io/used-by'

/** Calls `first` before the first write of a namespace: what another client does between an observation and a write. */
const overtaken = (client: KubernetesClient, first: () => Promise<void>): KubernetesClient => {
  let pending: (() => Promise<void>) | undefined = first
  return new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        const isWrite = ['create', 'apply', 'patch'].includes(String(property))
        if (isWrite && (given[0] as Partial<Resource>).plural === 'namespaces') {
          const run = pending
          pending = undefined
          await run?.()
        }
        return value.apply(target, given)
      }
    },
  })
}

describe('karmada@1 on one host of two projects', { timeout: TIMEOUT_MS }, () => {
  let lab: KarmadaLab
  beforeAll(async () => {
    lab = await openKarmadaLab()
  }, TIMEOUT_MS)
  afterAll(() => lab.close(), TIMEOUT_MS)

  const admin = () => lab.clusters[0]!.admin
  const pair = (namespace: string) => {
    const [one, other] = ['blue', 'red'].map((projectId) => {
      const life = new KarmadaLife(lab, { namespace })
      life.federation = { ...life.federation, projectId }
      return life
    })
    return { one: one!, other: other! }
  }
  /** One looks, then the other takes the namespace, then one writes. */
  const raced = async ({ one, other }: ReturnType<typeof pair>) => {
    const context = one.context()
    const client = overtaken(await context.host.client(), () => other.ensure('namespace'))
    const phase = one.driver.phases.create.find(({ id }) => id === 'namespace')!
    const ensure = () => phase.ensure({ ...context, host: { ...context.host, client: async () => client } })
    const first = await ensure()
    return first.done ? first : ensure()
  }

  it('gives a namespace that both make to the first, also when both saw none', async () => {
    const lives = pair('made-by-both')
    await expect(raced(lives)).rejects.toMatchObject({
      name: 'ForeignObject',
      message: expect.stringContaining(lives.other.federation.id),
    })
    const namespace = await admin().get(namespaces, 'made-by-both')
    expect(namespace?.metadata.labels).toMatchObject({ [FEDERATION_LABEL]: lives.other.federation.id })
    await lives.other.undoCreate()
  })

  it('gives a namespace that is there to the first that marks it, and takes the mark away at the end', async () => {
    const metadata = { name: 'there-before' }
    await admin().create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata })
    const lives = pair('there-before')
    await expect(raced(lives)).rejects.toMatchObject({
      name: 'ForeignObject',
      message: expect.stringContaining(lives.other.federation.id),
    })
    const used = await admin().get(namespaces, 'there-before')
    expect(used?.metadata.annotations).toMatchObject({ [USED_BY]: lives.other.federation.id })
    const { findings } = await lives.one.driver.checkHost(lives.one.context())
    expect(findings).toMatchObject([{ severity: 'error', reason: 'ForeignObject' }])

    await lives.other.undoCreate()
    const given = await admin().get(namespaces, 'there-before')
    expect(given?.metadata.annotations ?? {}).not.toHaveProperty(USED_BY)
    await lives.one.ensure('namespace')
    await lives.one.undoCreate()
  })
})
