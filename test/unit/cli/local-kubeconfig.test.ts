import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  clusterNameOf,
  contextOf,
  flattened,
  kubeconfigFiles,
  loadKubeconfig,
  needsPlugin,
} from '../../../cli/kubeconfig/local-kubeconfig.ts'
import { mergeKubeconfig } from '../../../cli/kubeconfig/merge-kubeconfig.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fedplane-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, content: unknown): string => {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  return file
}

const config = (name: string, server: string, more: object = {}) => ({
  'current-context': name,
  clusters: [{ name, cluster: { server } }],
  users: [{ name, user: { token: `token-of-${server}` } }],
  contexts: [{ name, context: { cluster: name, user: name } }],
  ...more,
})

const both = (...files: string[]) => ({ HOME: folder, KUBECONFIG: files.join(path.delimiter) })

describe('loadKubeconfig', () => {
  it('reads ~/.kube/config, which need not be there', () => {
    expect(loadKubeconfig({ HOME: folder }).contexts.size).toBe(0)
    write('.kube/config', config('home', 'https://home'))
    expect([...loadKubeconfig({ HOME: folder }).contexts.keys()]).toEqual(['home'])
  })

  it('lets the first file win that has an entry or a current context, and passes over files that are not there', () => {
    const first = write('one', config('same', 'https://one', { 'current-context': '' }))
    const second = write('two', config('same', 'https://two'))
    const third = write('three', config('other', 'https://three'))
    const merged = loadKubeconfig(both(path.join(folder, 'none'), first, second, third, ''))
    expect(contextOf(merged, 'same').cluster).toEqual({ server: 'https://one' })
    expect([merged.currentContext, [...merged.contexts.keys()]]).toEqual(['same', ['same', 'other']])
  })

  it.each(['ym-01-bom-crlf.yaml', 'ym-01b-utf16le.yaml', 'ym-07-two-documents.yaml'])(
    'reads %s, as kubectl does',
    (name) => {
      const file = path.resolve(import.meta.dirname, '../../contract/cases/field', name)
      expect(loadKubeconfig({}, file).currentContext).toBe('demo')
    },
  )

  it('passes over entries that are null, also when it adds one', () => {
    const file = write('nulls', 'clusters: [null]\nusers: ~\n')
    expect(loadKubeconfig({}, file).clusters.size).toBe(0)
    mergeKubeconfig({}, file, { name: 'fleet', cluster: { server: 'https://fleet' }, user: {} })
    expect([...loadKubeconfig({}, file).clusters.keys()]).toEqual(['fleet'])
  })

  it('reads --kubeconfig alone, which must be there', () => {
    const given = write('given', config('given', 'https://given'))
    const other = write('other', config('other', 'https://other'))
    expect([...loadKubeconfig(both(other), given).contexts.keys()]).toEqual(['given'])
    expect(() => loadKubeconfig({}, path.join(folder, 'none'))).toThrow(/none can't be read/)
  })

  it('names neither token nor text of a file that is no kubeconfig', () => {
    const file = write('broken', 'users: [{name: a, user: {token: secret-token}')
    expect(() => loadKubeconfig({}, file)).toThrow(/is no kubeconfig/)
    try {
      loadKubeconfig({}, file)
    } catch (error) {
      expect(String(error)).not.toContain('secret-token')
    }
  })

  it('refuses a name twice in one file, as kubectl does', () => {
    const twice = {
      ...config('a', 'https://a'),
      users: [
        { name: 'a', user: {} },
        { name: 'a', user: {} },
      ],
    }
    expect(() => loadKubeconfig({}, write('twice', twice))).toThrow(/two entries of the name a/)
  })

  it('says what there is when a context is wrong', () => {
    const loaded = loadKubeconfig({}, write('one', config('a', 'https://a')))
    expect(() => contextOf(loaded, 'b')).toThrow(expect.objectContaining({ exitCode: 2, remedy: 'One of a.' }))
    const torn = loadKubeconfig({}, write('torn', { ...config('a', 'https://a'), users: [] }))
    expect(() => contextOf(torn, 'a')).toThrow(/names the user a, which is not there/)
  })
})

describe('flattened', () => {
  it('embeds files, relative to the folder of the kubeconfig', () => {
    write('sub/ca.pem', 'the CA')
    write('sub/token', 'the token\n')
    const file = write('sub/config', {
      ...config('a', 'https://a'),
      clusters: [{ name: 'a', cluster: { server: 'https://a', 'certificate-authority': 'ca.pem' } }],
      users: [{ name: 'a', user: { tokenFile: 'token', token: 'older' } }],
    })
    expect(flattened(contextOf(loadKubeconfig({}, file)))).toEqual({
      name: 'a',
      cluster: { server: 'https://a', 'certificate-authority-data': Buffer.from('the CA').toString('base64') },
      user: { token: 'the token' },
    })
  })

  it.each([
    ['an exec plugin', { exec: { command: 'aws' } }, true],
    ['the older kind', { 'auth-provider': { name: 'gcp' } }, true],
    ['a token', { token: 'x' }, false],
  ])('knows whether a program makes the credential: %s', (_what, user, needs) => {
    const file = write('c', { ...config('a', 'https://a'), users: [{ name: 'a', user }] })
    expect(needsPlugin(contextOf(loadKubeconfig({}, file)))).toBe(needs)
  })
})

describe('clusterNameOf', () => {
  it.each([
    ['edge-1', 'edge-1'],
    ['arn:aws:eks:eu-west-1:111122223333:cluster/prod', 'arn-aws-eks-eu-west-1-111122223333-cluster-prod'],
    ['gke_project_zone_name', 'gke-project-zone-name'],
    ['admin@kubernetes', 'admin-kubernetes'],
    [`${'x'.repeat(80)}-end`, `${'x'.repeat(56)}-end`],
    ['***', 'cluster'],
  ])('makes of %s %s', (context, name) => {
    expect(clusterNameOf(context)).toBe(name)
  })
})

describe('mergeKubeconfig', () => {
  const addition = { name: 'fleet', cluster: { server: 'https://fleet' }, user: { token: 'new' } }

  it('makes a file for its owner only, and its folder', () => {
    const { file, isNew } = mergeKubeconfig({ HOME: folder }, undefined, addition)
    expect([file, isNew, statSync(file).mode & 0o777]).toEqual([path.join(folder, '.kube/config'), true, 0o600])
    expect(contextOf(loadKubeconfig({ HOME: folder }), 'fleet')).toEqual({ ...addition })
    expect(parse(readFileSync(file, 'utf8'))['current-context']).toBeUndefined()
  })

  it('keeps comments, other entries and the current context', () => {
    const text =
      '# mine\napiVersion: v1\nkind: Config\ncurrent-context: a\nclusters:\n- name: a # the first\n  cluster: {server: https://a}\nusers: []\n'
    const file = write('c', text)
    mergeKubeconfig({}, file, addition)
    const merged = readFileSync(file, 'utf8')
    expect(merged).toContain('# mine')
    expect(merged).toContain('# the first')
    expect(parse(merged)).toMatchObject({ 'current-context': 'a', clusters: [{ name: 'a' }, { name: 'fleet' }] })
  })

  it('changes nothing when it is there already, and never overwrites', () => {
    const { file } = mergeKubeconfig({ HOME: folder }, undefined, addition)
    const before = readFileSync(file, 'utf8')
    expect(mergeKubeconfig({ HOME: folder }, undefined, addition).isNew).toBe(false)
    expect(() => mergeKubeconfig({ HOME: folder }, undefined, { ...addition, user: { token: 'other' } })).toThrow(
      /nothing is overwritten/,
    )
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('leaves a file alone that another program writes, or that is no kubeconfig', () => {
    const file = write('c', config('a', 'https://a'))
    write('c.lock', '')
    expect(() => mergeKubeconfig({}, file, addition)).toThrow(/being written by another program/)
    const list = write('list', '- one')
    expect(() => mergeKubeconfig({}, list, addition)).toThrow(/no kubeconfig/)
    expect(readFileSync(list, 'utf8')).toBe('- one')
  })

  it('writes through a symbolic link, into the first file of KUBECONFIG that exists', () => {
    const real = write('real', config('a', 'https://a'))
    const link = path.join(folder, 'link')
    symlinkSync(real, link)
    const env = both(path.join(folder, 'none'), link)
    expect(mergeKubeconfig(env, undefined, addition).file).toBe(real)
    expect(statSync(link).isFile()).toBe(true)
    expect(kubeconfigFiles(env)).toHaveLength(2)
    expect([...loadKubeconfig({}, real).contexts.keys()]).toEqual(['a', 'fleet'])
  })
})
