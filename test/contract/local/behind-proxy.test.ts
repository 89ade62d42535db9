import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedplane, type FedplaneOptions, startFedplane } from '../../../local/server.ts'
import { keptLog, until } from '../../support/local/engine-lab.ts'

const MOUNT = '/cloud/magnum'
const OUTSIDE = { proto: 'https', host: 'cloud.example.com:8443' }
const OUTSIDE_URL = `${OUTSIDE.proto}://${OUTSIDE.host}${MOUNT}`

/** What the proxy does to a request before it passes it on. */
type Manner = { strips: boolean; forwards: boolean }

const forwarded = {
  'x-forwarded-proto': OUTSIDE.proto,
  'x-forwarded-host': OUTSIDE.host,
  'x-forwarded-prefix': MOUNT,
}

/** A reverse proxy for everything under the mount path; 404 without a body for the rest. */
const startProxy = async (target: () => string, { strips, forwards }: Manner): Promise<Server> => {
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    if (!path.startsWith(`${MOUNT}/`)) {
      outgoing.writeHead(404).end()
      return
    }
    const { host: _, ...kept } = incoming.headers
    const headers = { ...kept, ...(forwards ? forwarded : {}) }
    const passed = request(`${target()}${strips ? path.slice(MOUNT.length) : path}`, {
      method: incoming.method ?? 'GET',
      headers,
    })
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}

const CLUSTERS = 5
const GROUPS = 3

type Page = { next?: string } & Record<string, unknown>

/** One way to stand behind a proxy: how fedplane is set, and what the proxy does. */
const behind = (name: string, { options, manner }: { options: FedplaneOptions; manner: Manner }) => {
  describe(name, () => {
    let fedplane: Fedplane
    let proxy: Server
    let entry: string

    beforeAll(async () => {
      const drivers = { enabledFederation: ['memory@1'], enabledCluster: ['memory@1'] }
      fedplane = await startFedplane({ drivers, log: keptLog(), ...options })
      proxy = await startProxy(() => fedplane.url, manner)
      entry = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
      await fill()
    }, 60_000)
    afterAll(async () => {
      proxy.closeAllConnections()
      proxy.close()
      await fedplane.close()
    })

    /** Asks for an outside URL, by the way of the proxy. */
    const ask = async (url: string, body?: unknown): Promise<{ status: number; body: Page }> => {
      expect(url.startsWith(`${OUTSIDE_URL}/`)).toBe(true)
      const response = await fetch(`${entry}${MOUNT}${url.slice(OUTSIDE_URL.length)}`, {
        headers: { 'content-type': 'application/json', 'openstack-api-version': 'container-infra latest' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Page }
    }

    const create = async (path: string, body: unknown): Promise<string> => {
      const answer = await ask(`${OUTSIDE_URL}/v1/${path}`, body)
      expect([201, 202]).toContain(answer.status)
      return String(answer.body.uuid ?? answer.body.project_id)
    }

    let cluster: string
    const fill = async (): Promise<void> => {
      const template = await create('clustertemplates', { coe: 'kubernetes', image_id: 'none' })
      for (let index = 0; index < CLUSTERS; index++) {
        cluster = await create('clusters', { name: `c${index}`, cluster_template_id: template })
      }
      // A cluster takes no changes before it is made.
      await until(async () => (await ask(`${OUTSIDE_URL}/v1/clusters/${cluster}`)).body.status === 'CREATE_COMPLETE')
      for (let index = 0; index < GROUPS; index++) {
        await create(`clusters/${cluster}/nodegroups`, { name: `g${index}`, role: 'gpu' })
      }
      for (const project of ['a', 'b', 'c']) {
        await create('quotas', { project_id: project, resource: 'Cluster', hard_limit: 3 })
      }
    }

    /** Follows `next` to the end; the URLs that were asked for, and all items. */
    const follow = async (first: string, collection: string): Promise<{ urls: URL[]; items: Page[] }> => {
      const urls: URL[] = []
      const items: Page[] = []
      for (let url: string | undefined = first; url !== undefined; ) {
        urls.push(new URL(url))
        const { status, body } = await ask(url)
        expect(status).toBe(200)
        items.push(...(body[collection] as Page[]))
        url = body.next
      }
      return { urls, items }
    }

    it.each([
      ['clusters', 'clusters', { limit: '2', sort_key: 'name', sort_dir: 'desc' }, CLUSTERS],
      ['clusters/detail', 'clusters', { limit: '2', sort_key: 'id', sort_dir: 'asc' }, CLUSTERS],
      ['quotas', 'quotas', { limit: '1', sort_key: 'project_id', sort_dir: 'desc', all_tenants: 'True' }, 3],
    ])('follows next of %s to the end, with every parameter', async (path, collection, query, count) => {
      const { urls, items } = await follow(`${OUTSIDE_URL}/v1/${path}?${new URLSearchParams(query)}`, collection)
      expect(items).toHaveLength(count)
      expect(new Set(items.map((item) => item.uuid ?? item.project_id)).size).toBe(count)
      expect(urls.length).toBeGreaterThan(1)
      for (const url of urls) expect(Object.fromEntries(url.searchParams)).toMatchObject(query)
    })

    it('follows next of node groups to the end, with the role', async () => {
      const query = { limit: '1', sort_key: 'name', sort_dir: 'asc', role: 'gpu' }
      const first = `${OUTSIDE_URL}/v1/clusters/${cluster}/nodegroups?${new URLSearchParams(query)}`
      const { urls, items } = await follow(first, 'nodegroups')
      expect(items.map(({ name }) => name)).toEqual(['g0', 'g1', 'g2'])
      for (const url of urls) expect(Object.fromEntries(url.searchParams)).toMatchObject(query)
    })

    it('points links, discovery and the OpenAPI document outside', async () => {
      const show = await ask(`${OUTSIDE_URL}/v1/clusters/${cluster}`)
      expect(show.body.links).toEqual([
        { href: `${OUTSIDE_URL}/v1/clusters/${cluster}`, rel: 'self' },
        { href: `${OUTSIDE_URL}/clusters/${cluster}`, rel: 'bookmark' },
      ])
      const versions = await ask(`${OUTSIDE_URL}/`)
      expect(versions.body).toMatchObject({ versions: [{ links: [{ href: `${OUTSIDE_URL}/v1/` }] }] })
      const document = await ask(`${OUTSIDE_URL}/v1/openapi.json`)
      expect(document.body).toMatchObject({ servers: [{ url: OUTSIDE_URL }] })
    })
  })
}

behind('a proxy that strips the mount path and says so', {
  options: { trustForwarded: true },
  manner: { strips: true, forwards: true },
})
behind('a proxy that leaves the mount path and says nothing', {
  options: { publicUrl: OUTSIDE_URL },
  manner: { strips: false, forwards: false },
})

describe('forwarded headers', () => {
  it('say nothing to a server that trusts no proxy', async () => {
    const fedplane = await startFedplane({ drivers: { enabledCluster: ['memory@1'] }, log: keptLog() })
    try {
      const response = await fetch(`${fedplane.url}/v1/`, { headers: forwarded })
      expect(JSON.stringify(await response.json())).not.toContain(OUTSIDE.host)
    } finally {
      await fedplane.close()
    }
  })
})
