import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliError } from '../../../cli/errors.ts'
import { contextOf, flattened, type LocalKubeconfig, loadKubeconfig } from '../../../cli/kubeconfig/local-kubeconfig.ts'
import { mergeKubeconfig } from '../../../cli/kubeconfig/merge-kubeconfig.ts'
import { ClustersUnavailable } from '../../../local/clusters/take-clusters.ts'

/** How the command line reads and writes kubeconfigs, held against the real kubectl. */

const CASES = path.resolve(import.meta.dirname, '../../contract/cases/field')

const kubectlProgram = (): string => {
  const folder = process.env.KUBEBUILDER_ASSETS
  if (folder) return path.join(folder, 'kubectl')
  throw new ClustersUnavailable('These tests need kubectl: set KUBEBUILDER_ASSETS to a folder with it.')
}

let folder: string
let program: string
let taken: string[]
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-kubectl-'))
  program = kubectlProgram()
  taken = readdirSync(CASES)
    .filter((name) => /\.(?:ya?ml|json|txt)$/.test(name) && name !== 'index.json')
    .map((name) => path.join(CASES, name))
    .filter((file) => view([file]) !== undefined)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const environment = (files: readonly string[]) => ({
  PATH: process.env.PATH,
  HOME: folder,
  KUBECONFIG: files.join(path.delimiter),
})

type Entry = Record<string, unknown>
type View = {
  'current-context': string
  clusters: { name: string; cluster: Entry }[] | null
  users: { name: string; user: Entry }[] | null
  contexts: { name: string; context: Entry }[] | null
}

const kubectl = (files: readonly string[], ...args: string[]): string =>
  execFileSync(program, args, { env: environment(files), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** What kubectl makes of files; undefined for what it takes for no kubeconfigs. */
const view = (files: readonly string[]): View | undefined => {
  try {
    return JSON.parse(kubectl(files, 'config', 'view', '--raw', '-o', 'json'))
  } catch {
    return undefined
  }
}

const run = promisify(execFile)
const viewLater = async (files: readonly string[]): Promise<View> => {
  const { stdout } = await run(program, ['config', 'view', '--raw', '-o', 'json'], { env: environment(files) })
  return JSON.parse(stdout)
}

const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']
const isNothing = (value: unknown): boolean => value === null || value === '' || value === false || value === undefined

/** Base64 without line breaks, and only what says something: kubectl also writes what is not set. Its view has paths as they stand in the file. */
const plainValue = (key: string, value: unknown): unknown => {
  if (key.endsWith('-data')) return Buffer.from(String(value), 'base64').toString('base64')
  if (PATHS.includes(key)) return path.resolve(CASES, String(value))
  return typeof value === 'object' && !Array.isArray(value) ? plain(value as Entry) : value
}

const plain = (entry: Entry): Entry =>
  Object.fromEntries(
    Object.entries(entry).flatMap(([key, value]) => (isNothing(value) ? [] : [[key, plainValue(key, value)]])),
  )

const byName = (entries: Iterable<readonly [string, Entry]>): Record<string, Entry> =>
  // An entry without a name is what kubectl makes of a null in a list.
  Object.fromEntries([...entries].flatMap(([name, entry]) => (name === '' ? [] : [[`the ${name}`, plain(entry)]])))

const theirs = ({ clusters, users, contexts, 'current-context': current }: View) => ({
  current,
  clusters: byName((clusters ?? []).map(({ name, cluster }) => [name, cluster])),
  users: byName((users ?? []).map(({ name, user }) => [name, user])),
  contexts: byName((contexts ?? []).map(({ name, context }) => [name, context])),
})

const ours = ({ clusters, users, contexts, currentContext = '' }: LocalKubeconfig) => ({
  current: currentContext,
  clusters: byName(clusters),
  users: byName(users),
  contexts: byName(contexts),
})

/** Every file with each of the next few, in both orders: who wins, and what is merged. */
const pairs = (): [string, string][] =>
  taken.flatMap((first, at) =>
    [1, 2, 3].flatMap((step): [string, string][] => {
      const second = taken[(at + step) % taken.length]!
      return [
        [first, second],
        [second, first],
      ]
    }),
  )

describe('loadKubeconfig', () => {
  it('reads each file of the field that kubectl reads as kubectl does', () => {
    expect(taken.length).toBeGreaterThan(20)
    for (const file of taken) {
      expect.soft(ours(loadKubeconfig(environment([file]))), file).toEqual(theirs(view([file])!))
    }
  })

  it('merges two of them as kubectl does', async () => {
    const all = pairs()
    const workers = [0, 1, 2, 3].map(async (worker) => {
      for (const files of all.filter((_, at) => at % 4 === worker)) {
        const expected = theirs(await viewLater(files))
        expect.soft(ours(loadKubeconfig(environment(files))), files.join(' ')).toEqual(expected)
      }
    })
    await Promise.all(workers)
  })

  it('passes over files that are not there and empty places in KUBECONFIG', () => {
    const files = [path.join(folder, 'none'), '', taken[0]!, taken[0]!]
    expect(ours(loadKubeconfig(environment(files)))).toEqual(theirs(view(files)!))
  })

  it('takes a namespace along, and the context that kubectl has set', () => {
    const [one, two] = [write('ns/one', config('one')), write('ns/two', config('two'))]
    kubectl([one, two], 'config', 'set-context', 'two', '--namespace', 'shop')
    kubectl([one, two], 'config', 'use-context', 'two')
    const loaded = loadKubeconfig(environment([one, two]))
    expect(ours(loaded)).toEqual(theirs(view([one, two])!))
    expect([loaded.currentContext, loaded.contexts.get('two')]).toEqual([
      'two',
      { cluster: 'two', user: 'two', namespace: 'shop' },
    ])
  })
})

const write = (name: string, content: unknown): string => {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  return file
}

const config = (name: string, cluster: object = {}, user: object = { token: `token-of-${name}` }) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name, cluster: { server: `https://${name}.example.com`, ...cluster } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name } }],
})

describe('flattened', () => {
  it('embeds the files that each kubeconfig names, as kubectl does, from folders of their own', () => {
    const files = ['one', 'two'].map((name) => {
      for (const part of ['ca.pem', 'client.pem', 'client.key'])
        write(`${name}/pki/${part}`, `${part} of ${name}\n\u00ff`)
      const user = { 'client-certificate': 'pki/client.pem', 'client-key': `${folder}/${name}/pki/client.key` }
      return write(`${name}/config`, config(name, { 'certificate-authority': './pki/ca.pem' }, user))
    })
    for (const name of ['one', 'two']) {
      const args = ['config', 'view', '--raw', '--flatten', '--minify', '--context', name, '-o', 'json']
      const expected: View = JSON.parse(kubectl(files, ...args))
      const { cluster, user } = flattened(contextOf(loadKubeconfig(environment(files)), name))
      expect([plain(cluster), plain(user)]).toEqual([
        plain(expected.clusters?.[0]?.cluster ?? {}),
        plain(expected.users?.[0]?.user ?? {}),
      ])
    }
  })
})

const ADDED = {
  name: 'fleet',
  cluster: { server: 'https://fleet.example.com:5443' },
  user: {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'node',
      args: ['cli', 'credential'],
      env: null,
      interactiveMode: 'Never',
      provideClusterInfo: false,
    },
  },
}

describe('mergeKubeconfig', () => {
  it('adds what kubectl reads, beside what kubectl has written, and leaves the rest', () => {
    const [first, second] = [path.join(folder, 'merge/none'), write('merge/two', config('two'))]
    kubectl([first, second], 'config', 'set-cluster', 'mine', '--server', 'https://mine.example.com')
    kubectl([first, second], 'config', 'set-context', 'mine', '--cluster', 'mine', '--user', 'two')
    kubectl([first, second], 'config', 'use-context', 'mine')
    const before = theirs(view([first, second])!)
    const { isNew } = mergeKubeconfig(environment([first, second]), undefined, ADDED)
    expect(isNew).toBe(true)
    const after = theirs(view([first, second])!)
    expect(after).toEqual({
      current: 'mine',
      clusters: { ...before.clusters, 'the fleet': ADDED.cluster },
      users: { ...before.users, 'the fleet': plain(ADDED.user) },
      contexts: { ...before.contexts, 'the fleet': { cluster: 'fleet', user: 'fleet' } },
    })
    // kubectl writes the file in its own form; the same again finds it there.
    kubectl([first, second], 'config', 'use-context', 'fleet')
    expect(mergeKubeconfig(environment([first, second]), undefined, ADDED).isNew).toBe(false)
    for (const kind of ['context', 'cluster', 'user']) kubectl([first, second], 'config', `delete-${kind}`, 'fleet')
    kubectl([first, second], 'config', 'use-context', 'mine')
    expect(theirs(view([first, second])!)).toEqual(before)
  })

  it('writes into the file into which kubectl writes', () => {
    const names = ['there/one', 'there/two']
    for (const files of [
      [path.join(folder, 'there/none'), write('there/one', config('one')), write('there/two', config('two'))],
      [path.join(folder, 'not-there/one'), path.join(folder, 'not-there/two')],
    ]) {
      kubectl(files, 'config', 'set-cluster', 'by-kubectl', '--server', 'https://a.example.com')
      const { file } = mergeKubeconfig(environment(files), undefined, ADDED)
      expect(readFileSync(file, 'utf8'), names.join()).toContain('by-kubectl')
    }
  })

  it('adds to each file of the field so that kubectl reads it, or leaves it byte for byte', () => {
    const added: string[] = []
    for (const source of taken) {
      const file = path.join(folder, 'field', path.basename(source))
      mkdirSync(path.dirname(file), { recursive: true })
      copyFileSync(source, file)
      const before = theirs(view([file])!)
      try {
        mergeKubeconfig(environment([file]), undefined, ADDED)
        added.push(file)
      } catch (error) {
        expect(error, file).toBeInstanceOf(CliError)
        expect.soft(readFileSync(file), file).toEqual(readFileSync(source))
        continue
      }
      const after = theirs(view([file])!)
      expect.soft(after.users['the fleet'], file).toEqual(plain(ADDED.user))
      for (const kind of ['clusters', 'users', 'contexts'] as const) delete after[kind]['the fleet']
      expect.soft(after, file).toEqual(before)
    }
    expect(added.length).toBeGreaterThan(20)
  })

  it('takes turns with kubectl: neither writes while the other has the lock', () => {
    const file = write('lock/config', config('one'))
    write('lock/config.lock', '')
    expect(() => mergeKubeconfig(environment([file]), undefined, ADDED)).toThrow(CliError)
    expect(() => kubectl([file], 'config', 'use-context', 'one')).toThrow()
    rmSync(`${file}.lock`)
    expect(mergeKubeconfig(environment([file]), undefined, ADDED).isNew).toBe(true)
    kubectl([file], 'config', 'use-context', 'fleet')
  })
})
