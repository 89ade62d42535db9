import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { whoAmI } from '../../../functions/drivers/support/who-am-i.ts'
import { clientOf } from '../../../local/clusters/started-cluster.ts'
import { runDemo } from '../../../local/demo/demo.ts'
import { readDemoOptions } from '../../../local/demo/options.ts'
import { chooseDemoClusters, clustersOfKubeconfig } from '../../../local/demo/own-clusters.ts'
import { Printer } from '../../../local/demo/printer.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { Api } from '../../support/api/api.ts'

type Options = Parameters<typeof runDemo>[0]['options']

/** Runs the demo; interrupts it when its output says so, and something has been done. */
const play = async (options: Partial<Options>, interruptAt?: string, first?: (output: string) => Promise<void>) => {
  const interrupt = new AbortController()
  let output = ''
  let interrupting: Promise<void> | undefined
  const printer = new Printer((text) => {
    output += text
    if (interruptAt === undefined || interrupting || !output.includes(interruptAt)) return
    interrupting = Promise.resolve(first?.(output)).finally(() => interrupt.abort(new Error('interrupted')))
    interrupting.catch(() => undefined)
  })
  const all = { kubeconfig: undefined, contexts: undefined, keep: false, ...options }
  const good = await runDemo({ options: all, assetsFolder: undefined, printer, signal: interrupt.signal })
  await interrupting
  return { good, output }
}

/** What the kept demo offers, tried: its kubeconfigs and its API, with members and federations changed. Returns the files. */
const lookAround = async (output: string): Promise<string[]> => {
  const url = /FEDPLANE_SERVER=(http:\S+)/.exec(output)?.[1] ?? ''
  const files = (/KUBECONFIG=(\S+)/.exec(output)?.[1] ?? '').split(':')
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  const [hub = ''] = files
  const host = clientOf({ kubeconfig: readFileSync(hub, 'utf8'), context: 'hub' })
  const { items } = await host.list({ group: '', version: 'v1', plural: 'namespaces' }, {}).finally(() => host.close())
  expect(items.map(({ metadata }) => metadata.name)).toContainEqual(expect.stringMatching(/^fedplane-.*-inventory$/))
  const api = new Api(url)
  await api.create('/v1/clusters', { name: 'again', kubeconfig: readFileSync(files[1] ?? '', 'utf8') })
  const own = { name: 'own', driver: 'clusterprofile@1', hostcluster_id: 'edge-1', member_ids: ['edge-2'] }
  await api.settled(`/v1/federations/${await api.create('/v1/federations', own)}`, 'CREATE_COMPLETE')
  await api.patch('/v1/federations/demo', [
    { op: 'add', path: '/member_ids', value: 'hub' },
    { op: 'remove', path: '/member_ids', value: 'edge-2' },
  ])
  return files
}

/** A kubeconfig of clusters that are not there. */
const config = (...servers: string[]): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: servers.map((server, index) => ({ name: `c${index}`, cluster: { server } })),
    users: [{ name: 'u', user: { token: 'secret-token' } }],
    contexts: servers.map((_, index) => ({ name: `Context_${index}`, context: { cluster: `c${index}`, user: 'u' } })),
  })

// At the same time: a failed registration waits several seconds between its attempts.
describe.concurrent('the demo', { timeout: 60_000 }, () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fedplane-demo-test-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('does the main job on simulated clusters, says that they are, and waits in the middle when asked to', async () => {
    let files: string[] = []
    const { good, output } = await play({ keep: true }, 'Look around, ', async (said) => {
      files = await lookAround(said)
    })
    expect(files.map(existsSync)).toEqual([false, false, false])
    expect(output).toMatch(/ {10}federation\/demo: (edge-1, hub|hub, edge-1) unjoined\n/)
    expect(output).toMatch(
      / {10}federation\/(demo deleted\n {10}federation\/own|own deleted\n {10}federation\/demo) deleted\n/,
    )
    expect(output).toContain('SIMULATED')
    expect(output).toMatch(/\$ fedplane init demo --host hub --join edge-1 .*\n {10}cluster\/hub registered\n/)
    expect(output).toMatch(/\$ fedplane cluster list\n +NAME .*\n +hub +CREATE_COMPLETE +HEALTHY +v1\.36\.0\+simulated/)
    expect(output).toMatch(
      /edge-1 +https:\/\/127\.0\.0\.1:\d+ +v1\.36\.0\+simulated +ControlPlaneHealthy=True, Joined=True/,
    )
    expect(output).toContain('edge-1: default, fedplane-')
    expect(output).toContain('nothing of the federation is left')
    expect(output).toContain('Every check held.')
    expect(good).toBe(true)
  })

  it('names the step that failed, why, and the log, which has no secrets', async () => {
    const file = join(folder, 'config')
    writeFileSync(file, config('https://127.0.0.1:9', 'https://127.0.0.2:9', 'https://127.0.0.3:9'))
    const { good, output } = await play({ kubeconfig: file })
    expect(good).toBe(false)
    expect(output).toMatch(/FAILED: reading the clusters: .* failed: the connection was refused/)
    expect(output.match(/refused/g)).toHaveLength(1)
    const log = /Log of the server: (\S+)/.exec(output)?.[1] ?? ''
    expect(existsSync(log)).toBe(true)
    expect(readFileSync(log, 'utf8') + output).not.toContain('secret-token')
    rmSync(join(log, '..'), { recursive: true })
  })

  it('does not take a wrong KUBEBUILDER_ASSETS for none', () => {
    const options = { kubeconfig: undefined, contexts: undefined, keep: false }
    expect(() => chooseDemoClusters(options, folder)).toThrow(/KUBEBUILDER_ASSETS .* no etcd and kube-apiserver/)
  })

  it('begins nothing with a kubeconfig that can not be used, and shows nothing of it', async () => {
    const bad = join(folder, 'bad')
    writeFileSync(bad, 'token: "secret-token\n')
    const other = join(folder, 'other')
    writeFileSync(other, '{"token": "secret-token"}')
    for (const [file, fault] of [
      [join(folder, 'none'), /none can't be read \(ENOENT\)\. Try: --kubeconfig FILE/],
      [folder, /can't be read \(EISDIR\)/],
      [bad, /bad is no kubeconfig/],
      [other, /0 different API servers/],
    ] as const) {
      const refused = await play({ kubeconfig: file }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ name: 'ClustersUnavailable', message: expect.stringMatching(fault) })
      expect(String(refused)).not.toContain('secret')
    }
  })

  it('ends when it is interrupted, without a log', async () => {
    const { good, output } = await play({}, 'cluster/hub registered')
    expect(good).toBe(false)
    expect(output).toMatch(/\nInterrupted\.\n$/)
    expect(output).not.toContain(' joined')
  })

  it('takes one context of each API server, in the order of the file', async () => {
    const file = join(folder, 'contexts')
    writeFileSync(file, config('https://a', 'https://b', 'https://a', 'https://c'))
    const { clusters } = await clustersOfKubeconfig(3, { file })()
    expect(clusters.map(({ context }) => context)).toEqual(['Context_0', 'Context_1', 'Context_3'])
    expect(clusters.map(({ name }) => name)).toEqual(['context-0', 'context-1', 'context-3'])
    const chosen = await clustersOfKubeconfig(2, { file, contexts: ['Context_3', 'Context_0'] })()
    expect(chosen.clusters[0]?.context).toBe('Context_3')
    expect(() => clustersOfKubeconfig(4, { file })).toThrow(/4 clusters are needed/)
    expect(() => clustersOfKubeconfig(1, { file, contexts: ['other'] })).toThrow(/no context other/)
  })

  /** A kubeconfig whose user is what the program in `command` prints, for a simulated cluster. */
  const withProgram = (simulated: SimulatedKubernetes, command: string): string => {
    const file = join(mkdtempSync(join(folder, 'own-')), 'config')
    writeFileSync(join(file, '../ca.crt'), simulated.caPem)
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/sh', args: ['-c', command] }
    const text = stringify({
      clusters: [{ name: 'c', cluster: { server: simulated.server, 'certificate-authority': 'ca.crt' } }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'own', context: { cluster: 'c', user: 'u' } }],
    })
    writeFileSync(file, text)
    return file
  }

  it('runs the program and reads the files that a kubeconfig names, as kubectl does', async () => {
    const simulated = await startSimulatedKubernetes()
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', status: { token: simulated.token } }
    const file = withProgram(simulated, `echo '${JSON.stringify({ kind: 'ExecCredential', ...credential })}'`)
    const { clusters } = await clustersOfKubeconfig(1, { file })()
    const client = clientOf(clusters[0]!)
    expect((await client.version()).gitVersion).toContain('simulated')
    expect(await whoAmI(client)).not.toBe(null)
    client.close()
    await simulated.close()
  })

  it('says which context has a program that fails, and nothing that it printed', async () => {
    const simulated = await startSimulatedKubernetes()
    const file = withProgram(simulated, 'echo secret-token; echo secret-token >&2; exit 3')
    const refused = await clustersOfKubeconfig(1, { file })().catch((error: unknown) => error)
    await simulated.close()
    expect(refused).toMatchObject({
      name: 'ClustersUnavailable',
      message: expect.stringContaining('context own gives no credential'),
    })
    expect(String(refused)).not.toContain('secret-token')
  })

  it('reads its options', () => {
    expect(readDemoOptions(['--kubeconfig', 'f', '--contexts', 'a, b', '--keep'])).toEqual({
      kubeconfig: 'f',
      contexts: ['a', 'b'],
      keep: true,
    })
    expect(readDemoOptions(['--help'])).toBe('help')
    expect(() => readDemoOptions(['--contexts', 'a'])).toThrow(/--kubeconfig/)
    expect(() => readDemoOptions(['--other'])).toThrow(/--other.*--help/)
  })
})
