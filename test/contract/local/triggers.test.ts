import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { Api } from '../../support/api/api.ts'
import { Receiver } from '../../support/triggers.ts'

/** Triggers of a whole server: from a request to the receivers, of which one hangs. */

describe('triggers', { timeout: 120_000 }, () => {
  let fedplane: Fedplane
  let api: Api
  let receivers: Receiver[]
  beforeAll(async () => {
    receivers = await Promise.all([new Receiver().start(), new Receiver().start()])
    fedplane = await startFedplane({ drivers: { enabledCluster: ['memory@1'] } })
    api = new Api(fedplane.url)
  })
  afterAll(async () => {
    await fedplane.close()
    await Promise.all(receivers.map((receiver) => receiver.close()))
  })

  const until = (receiver: Receiver, holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (holds()) resolve()
      }
      receiver.onMessage = look
      look()
    })
  const typesOf = ({ got }: Receiver): string[] => got.map(({ body }) => JSON.parse(body).type)

  it('have events delivered as they happen, whatever another receiver does', async () => {
    const [hanging, quick] = receivers as [Receiver, Receiver]
    hanging.behave = () => undefined
    for (const { url } of [hanging, quick]) {
      await api.create('/v1/triggers', { name: 'all', events: ['cluster.*'], target: { url } })
    }
    const template = { name: 't', coe: 'kubernetes', image_id: 'none', labels: { driver: 'memory@1' } }
    const templateId = await api.create('/v1/clustertemplates', template)
    for (const name of ['paris', 'tokyo', 'oslo']) {
      await api.create('/v1/clusters', { name, cluster_template_id: templateId, node_count: 1 })
    }
    const done = () => typesOf(quick).filter((type) => type === 'fedplane.cluster.create.success').length === 3
    await until(quick, done)
    expect(hanging.got.length).toBeLessThanOrEqual(2)
  })

  it('deliver a test at once', async () => {
    const [, quick] = receivers as [Receiver, Receiver]
    const uuid = await api.create('/v1/triggers', { name: 'one', events: ['*'], target: { url: quick.url } })
    await api.ask('POST', `/v1/triggers/${uuid}/actions/test`)
    await until(quick, () => typesOf(quick).includes('fedplane.trigger.test'))
  })
})
