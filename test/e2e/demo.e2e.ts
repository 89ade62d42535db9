import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import type { KubernetesClient, Resource } from '../../functions/kubernetes/client.ts'
import type { ClusterSet, DemoCluster } from '../../local/clusters/take-clusters.ts'
import { descendantsOf, livingOf } from '../support/local/fedplane-process.ts'
import { adminClients, takeClusters } from './support/clusters.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const OURS = 'app.kubernetes.io/managed-by=fedplane'
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' }
const KINDS: readonly Resource[] = [
  { group: '', version: 'v1', plural: 'namespaces' },
  { group: '', version: 'v1', plural: 'secrets' },
  { group: '', version: 'v1', plural: 'serviceaccounts' },
  { ...RBAC, plural: 'clusterrolebindings' },
  { ...RBAC, plural: 'roles' },
  { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
]

type Part = 'clusters' | 'users' | 'contexts'

/** One kubeconfig with all clusters, as somebody has it in ~/.kube/config. */
const merged = (clusters: readonly DemoCluster[]): string => {
  const parts = clusters.map(({ kubeconfig }) => parse(kubeconfig) as Record<Part, unknown[]>)
  const all = (part: Part) => parts.flatMap((config) => config[part])
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: all('clusters'),
    users: all('users'),
    contexts: all('contexts'),
  })
}

const ownedIn = async (client: KubernetesClient): Promise<string[]> => {
  const lists = await Promise.all(KINDS.map((kind) => client.list(kind, { labelSelector: OURS })))
  return lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`))
}

/** Where the demos put their temporary folders: one that is killed can't remove them. */
let temporary: string
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'fedplane-demo-e2e-'))
})
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

const runDemo = (...args: string[]) => {
  const child = spawn(process.execPath, ['local/demo/main.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, output }))
  return { child, ended, output: () => output }
}

describe('npm run demo with a kubeconfig of yours', () => {
  let set: ClusterSet
  let admins: ReturnType<typeof adminClients>
  let file: string

  beforeAll(async () => {
    set = await takeClusters(3)
    admins = adminClients(set.clusters)
    file = join(temporary, 'config')
    writeFileSync(file, merged(set.clusters), { mode: 0o600 })
  })
  afterAll(async () => {
    admins?.close()
    await set?.close()
  })

  const expectClean = async (): Promise<void> => {
    await expect
      .poll(() => Promise.all(admins.clients.map(ownedIn)), { timeout: 240_000, interval: 500 })
      .toEqual([[], [], []])
  }

  it('does the main job and leaves nothing', async () => {
    const { code, output } = await runDemo('--kubeconfig', file).ended
    expect(output).toContain('Every check held.')
    expect(code).toBe(0)
    expect(output).toContain(`your own: contexts ${set.clusters.map(({ context }) => context).join(', ')}`)
    await expectClean()
  })

  it('cleans up when it is interrupted', async () => {
    const demo = runDemo('--kubeconfig', file)
    await expect.poll(() => demo.output(), { timeout: 240_000 }).toContain('joined')
    demo.child.kill('SIGINT')
    const { code, output } = await demo.ended
    expect(code, output).toBe(130)
    expect(output).toContain('cleaned up in your clusters')
    expect(output).not.toContain('could not be done')
    await expectClean()
  })
})

describe('npm run demo with clusters of its own', () => {
  it('leaves no process behind when it is killed', async () => {
    const demo = runDemo()
    await expect.poll(() => demo.output(), { timeout: 240_000 }).toContain('started fedplane')
    const children = descendantsOf(demo.child.pid!)
    expect(children.length).toBeGreaterThan(0)
    demo.child.kill('SIGKILL')
    await demo.ended
    await expect.poll(() => livingOf(children), { timeout: 240_000 }).toEqual([])
  })
})
