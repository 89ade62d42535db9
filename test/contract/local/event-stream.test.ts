import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { Api } from '../../support/api/api.ts'

/** Server-sent events of a whole server: from a request to the stream of somebody who listens. */

describe('GET /v1/events?follow=true', { timeout: 120_000 }, () => {
  let fedplane: Fedplane
  let api: Api
  beforeAll(async () => {
    fedplane = await startFedplane({ drivers: { enabledCluster: ['memory@1'] } })
    api = new Api(fedplane.url)
  })
  afterAll(() => fedplane.close())

  const follow = async (headers: Record<string, string> = {}) => {
    const ended = new AbortController()
    const response = await fetch(`${fedplane.url}/v1/events?follow=true`, { headers, signal: ended.signal })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    /** True when there is no more. */
    const read = async (): Promise<boolean> => {
      const { done, value = '' } = await reader.read()
      text += value
      return done
    }
    const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
      while (!pattern.test(text)) if (await read()) throw new Error(`the stream ended without ${pattern}: ${text}`)
      return pattern.exec(text)!
    }
    const rest = async (): Promise<string> => {
      while (!(await read()));
      return text
    }
    return { until, rest, close: () => ended.abort() }
  }

  it('tells of a cluster while it is made, and resumes after what the client had', async () => {
    const { until, close } = await follow()
    await until(/^retry: 2000\n\n/)
    const template = { name: 't', coe: 'kubernetes', image_id: 'none', labels: { driver: 'memory@1' } }
    const templateId = await api.create('/v1/clustertemplates', template)
    await api.create('/v1/clusters', { name: 'paris', cluster_template_id: templateId, node_count: 1 })
    const [, first] = await until(/id: (\d+)\ndata: .*"type":"cluster.create.pending".*\n\n/)
    await until(/"type":"cluster.create.success"/)
    close()
    const again = await follow({ 'last-event-id': String(first) })
    const [, resumed] = await again.until(/^retry: 2000\n\nid: \d+\ndata: .*?"type":"([^"]+)"/)
    expect(resumed).toBe('cluster.health.changed')
    again.close()
  })

  it('ends when the server does, which waits for nobody who listens', async () => {
    const { until, rest } = await follow()
    await until(/^retry/)
    const closed = fedplane.close()
    expect(await rest()).toBe('retry: 2000\n\n')
    await closed
  })
})
