import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { StartedCluster } from '../../../local/clusters/started-cluster.ts'
import type { ClusterSet } from '../../../local/clusters/take-clusters.ts'
import { remainsOf } from '../../../local/demo/observe.ts'
import { createLogger } from '../../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { adminClients, startTestClusters } from '../support/clusters.ts'

/** The command line against real API servers, from one kubeconfig file, as somebody of a project. */

const MAIN = path.resolve(import.meta.dirname, '../../../cli/main.ts')
const TOKENS = {
  'token-of-ann': { userId: 'ann', projectId: 'shop', roles: ['member'] },
  'token-of-bob': { userId: 'bob', projectId: 'bank', roles: ['member'] },
}

type Config = {
  clusters: { name: string; cluster: object }[]
  users: { name: string; user: Record<string, string> }[]
}

let set: ClusterSet<StartedCluster>
let fedplane: Fedplane
let cli: CommandLine
let admins: ReturnType<typeof adminClients>
let configs: Config[]
beforeAll(async () => {
  set = await startTestClusters(4)
  admins = adminClients(set.clusters)
  configs = set.clusters.map(({ kubeconfig }) => parse(kubeconfig))
  cli = new CommandLine({ FEDPLANE_TOKEN: 'token-of-ann' })
  const tokensFile = path.join(cli.home, 'tokens.json')
  writeFileSync(tokensFile, JSON.stringify(TOKENS), { mode: 0o600 })
  fedplane = await startFedplane({ tokensFile, log: createLogger({ level: 'silent' }) })
  writeKubeconfig({})
})
afterAll(async () => {
  admins?.close()
  await fedplane?.close()
  await set?.close()
  cli?.close()
})

const [HOST, BERLIN, CAIRO, DELHI] = ['amsterdam', 'berlin', 'cairo', 'delhi'] as const

/** `~/.kube/config` with a context for each cluster, whose users may be replaced. */
const writeKubeconfig = (users: Readonly<Record<string, object>>): void => {
  mkdirSync(path.join(cli.home, '.kube'), { recursive: true })
  const names = set.clusters.map(({ name }) => name)
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': HOST,
    clusters: names.map((name, at) => ({ name, cluster: configs[at]?.clusters[0]?.cluster })),
    users: names.map((name, at) => ({ name, user: users[name] ?? configs[at]?.users[0]?.user })),
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
  }
  writeFileSync(path.join(cli.home, '.kube/config'), JSON.stringify(config), { mode: 0o600 })
}

/** A program that prints an administrator's certificate, as plugins of company logins do. */
const pluginFor = (name: string): object => {
  const user = configs[set.clusters.findIndex((cluster) => cluster.name === name)]?.users[0]?.user ?? {}
  const decode = (field: string) => Buffer.from(user[field] ?? '', 'base64').toString()
  const status = {
    clientCertificateData: decode('client-certificate-data'),
    clientKeyData: decode('client-key-data'),
  }
  const answer = JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status })
  const program = path.join(cli.home, `plugin-${name}`)
  writeFileSync(program, `#!/bin/sh\ncat <<'END'\n${answer}\nEND\n`)
  chmodSync(program, 0o700)
  return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: program, interactiveMode: 'Never' } }
}

const env = () => ({ FEDPLANE_SERVER: fedplane.url })
const run = (line: string, more: Readonly<Record<string, string>> = {}) => cli.run(line, { env: { ...env(), ...more } })
const done = async (line: string): Promise<string> => {
  const { code, stdout, stderr } = await run(line)
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
  return stdout
}

/** Runs the program in a process of its own, and kills it as soon as it has said something. */
const killedAfter = async (line: string, said: RegExp): Promise<string> => {
  const child = spawn(process.execPath, [MAIN, ...line.split(' ')], {
    env: { ...process.env, ...cli.env, ...env() } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const listen = (chunk: Buffer) => {
    text += chunk
    if (said.test(text)) child.kill('SIGKILL')
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const [, signal] = await once(child, 'close')
  expect({ text, signal }).toEqual({ text: expect.stringMatching(said), signal: 'SIGKILL' })
  return text
}

/** Nothing of fedplane is left in any cluster, and the project is empty. */
const expectEmptied = async (federation: string, names: readonly string[]): Promise<void> => {
  const uuid = await done(`federation show ${federation} -o jsonpath={.uuid}`)
  await done(`federation delete ${federation} --yes`)
  await done(`cluster delete ${names.join(' ')} --yes`)
  for (const client of admins.clients) {
    expect((await remainsOf(client, uuid)).filter(({ terminating }) => !terminating)).toEqual([])
  }
  expect(await done('cluster list -o name')).toBe('')
}

const INIT = `init fleet --host ${HOST} --join ${BERLIN},${CAIRO} --driver clusterprofile@1`

describe('fedplane init on real clusters', { concurrent: false }, () => {
  it('makes a federation of contexts of one file', async () => {
    expect(await done(INIT)).toBe(
      `cluster/${HOST} registered\ncluster/${BERLIN} registered\ncluster/${CAIRO} registered\nfederation/fleet created\n`,
    )
    expect(await done('federation show fleet -o jsonpath={.members[*].state}')).toBe('Ready Ready')
    expect(await done(`cluster health ${BERLIN}`)).toMatch(/^Health: +HEALTHY$/m)
    expect(await done(`federation unjoin fleet ${CAIRO} --yes`)).toBe(`federation/fleet: ${CAIRO} unjoined\n`)
    expect(await done(`federation join fleet ${CAIRO}`)).toBe(`federation/fleet: ${CAIRO} joined\n`)
    await expectEmptied('fleet', [HOST, BERLIN, CAIRO])
  })

  it('goes on where kill -9 ended it, twice', async () => {
    await killedAfter(INIT, new RegExp(`cluster/${HOST} registered`))
    await killedAfter(INIT, /federation\/fleet {2}CREATE_IN_PROGRESS/)
    expect(await done(INIT)).toMatch(/^federation\/fleet is there already\n/m)
    expect(await done('federation show fleet -o jsonpath={.members[*].state}')).toBe('Ready Ready')
    expect(await done('federation list -o name')).toBe('federation/fleet\n')
    await expectEmptied('fleet', [HOST, BERLIN, CAIRO])
  })

  it('makes one federation of two that begin at once', async () => {
    const both = await Promise.all([run(INIT), run(INIT)])
    expect(both.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', ''])
    expect(await done('federation list -o name')).toBe('federation/fleet\n')
    expect((await done('cluster list -o name')).split('\n')).toHaveLength(4)
    await expectEmptied('fleet', [HOST, BERLIN, CAIRO])
  })

  it("neither sees nor touches another project's, and says so", async () => {
    await done(INIT)
    const bob = { FEDPLANE_TOKEN: 'token-of-bob' }
    expect(await run('federation list -o name', bob)).toMatchObject({ code: 0, stdout: '' })
    for (const line of [
      'federation show fleet',
      'federation delete fleet --yes',
      `federation join fleet ${DELHI}`,
      `cluster delete ${HOST} --yes`,
    ]) {
      expect(await run(line, bob), line).toMatchObject({ code: 3, stdout: '' })
    }
    expect(await run('federation list', { FEDPLANE_TOKEN: 'token-of-nobody' })).toMatchObject({ code: 4, stdout: '' })
    expect(await done('federation show fleet -o jsonpath={.members[*].state}')).toBe('Ready Ready')
    await expectEmptied('fleet', [HOST, BERLIN, CAIRO])
  })
})

const ACCOUNTS = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'fedplane-access' }
const BINDINGS = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' }
const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces' }

describe('members whose credential a plugin makes', { concurrent: false }, () => {
  it('join with a ServiceAccount, which --forget takes away', async () => {
    writeKubeconfig({ [BERLIN]: pluginFor(BERLIN), [CAIRO]: pluginFor(CAIRO) })
    const asked = await run(INIT)
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toContain('comes from a plugin of this machine')
    await done(`${INIT} --yes`)
    expect(await done('federation show fleet -o jsonpath={.members[*].state}')).toBe('Ready Ready')
    const berlin = admins.clients[1]!
    const mine = async (): Promise<string[]> => [
      ...(await berlin.list(ACCOUNTS)).items.map(({ metadata }) => metadata.name).filter((name) => name !== 'default'),
      ...(await berlin.list(BINDINGS)).items
        .map(({ metadata }) => metadata.name)
        .filter((name) => /^fedplane/.test(name)),
    ]
    expect(await mine()).toEqual(expect.arrayContaining([`fedplane-${BERLIN}`]))
    await done('federation delete fleet --yes')
    const gone = [BERLIN, CAIRO].flatMap((name) => [
      `ServiceAccount of cluster/${name} deleted`,
      `cluster/${name} deleted`,
    ])
    const told = (await done(`cluster delete ${BERLIN} ${CAIRO} --forget --yes`)).trim().split('\n')
    expect(told.toSorted()).toEqual(gone.toSorted())
    expect(await mine()).toEqual([])
    await expect
      .poll(async () => (await berlin.get(NAMESPACES, 'fedplane-access'))?.metadata.name, { timeout: 240_000 })
      .toBeUndefined()
    await done(`cluster delete ${HOST} --yes`)
    writeKubeconfig({})
  })
})

describe('a member whose API server is dead', { concurrent: false }, () => {
  it('unjoins by force only, and the exit code says which', { timeout: 400_000 }, async () => {
    await done(`init dead --host ${HOST} --join ${DELHI} --driver clusterprofile@1`)
    await set.clusters[3]!.kill()
    const failed = await run(`federation unjoin dead ${DELHI} --yes`)
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(
      new RegExp(`fedplane: In federation dead ${DELHI} is UnjoinFailed: .+\\nTry: .* unjoin dead ${DELHI} --force`),
    )
    expect(await done(`federation unjoin dead ${DELHI} --force --yes`)).toBe(`federation/dead: ${DELHI} unjoined\n`)
    expect(await done('federation events dead')).toMatch(/stays valid/)
    await done('federation delete dead --yes')
    await done(`cluster delete ${HOST} ${DELHI} --yes`)
  })
})
