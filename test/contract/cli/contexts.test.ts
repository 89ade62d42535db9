import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadKubeconfig } from '../../../cli/kubeconfig/local-kubeconfig.ts'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

/** Verbs that start from contexts of a person's kubeconfig, over simulated API servers. */

const NAMES = ['hub', 'edge-1', 'edge-2'] as const
/** Each test has a project of its own: the server is the same for all. */
const PROJECTS = Array.from({ length: 40 }, (_, index) => `project-${index}`)
const holder = (projectId: string) => ({ userId: projectId, projectId, roles: ['member', 'reader'] })

let setUp: CommandLine
let fedplane: Fedplane
let cli: CommandLine
let clusters: Record<string, SimulatedKubernetes>
beforeAll(async () => {
  const started = await Promise.all(NAMES.map((name) => startSimulatedKubernetes({ name })))
  clusters = Object.fromEntries(NAMES.map((name, index) => [name, started[index] as SimulatedKubernetes]))
  setUp = new CommandLine()
  const tokensFile = path.join(setUp.home, 'tokens.json')
  const tokens = {
    ...Object.fromEntries(PROJECTS.map((project) => [`token-of-${project}`, holder(project)])),
    'token-of-operator': { ...holder('operations'), roles: ['admin'] },
    'token-of-administrator': { ...holder('administration'), roles: ['admin'] },
  }
  writeFileSync(tokensFile, JSON.stringify(tokens), { mode: 0o600 })
  const drivers = { enabledFederation: ['clusterprofile@1'], enabledCluster: ['external@1'] }
  fedplane = await startFedplane({ tokensFile, drivers, log: keptLog() })
})
afterAll(async () => {
  await fedplane.close()
  await Promise.all(Object.values(clusters).map((cluster) => cluster.close()))
  setUp.close()
})

beforeEach(() => {
  const project = PROJECTS.shift()
  if (project === undefined) throw new Error('There are more tests than projects.')
  cli = new CommandLine({ FEDPLANE_SERVER: fedplane.url, FEDPLANE_TOKEN: `token-of-${project}` })
  writeKubeconfig({})
  return () => cli.close()
})

type Config = { clusters: { name: string; cluster: object }[]; users: { name: string; user: { token: string } }[] }
const configOf = (name: string): Config => parse(clusters[name]?.kubeconfig ?? '')

/** `~/.kube/config` with a context for each cluster, whose users may be replaced. */
const writeKubeconfig = (users: Readonly<Record<string, object>>): string => {
  const folder = path.join(cli.home, '.kube')
  mkdirSync(folder, { recursive: true })
  const config = {
    'current-context': 'edge-1',
    clusters: NAMES.map((name) => ({ name, cluster: configOf(name).clusters[0]?.cluster })),
    users: NAMES.map((name) => ({ name, user: users[name] ?? configOf(name).users[0]?.user })),
    contexts: NAMES.map((name) => ({ name, context: { cluster: name, user: name } })),
  }
  writeFileSync(path.join(folder, 'config'), JSON.stringify(config), { mode: 0o600 })
  return path.join(folder, 'config')
}

/** A program that prints a credential, as `aws eks get-token` does. */
const pluginFor = (name: string): object => {
  const program = path.join(cli.home, `plugin-${name}`)
  const token = configOf(name).users[0]?.user.token
  const status = { token, expirationTimestamp: new Date(Date.now() + 900_000).toISOString() }
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }
  writeFileSync(program, `#!${process.execPath}\nprocess.stdout.write(${JSON.stringify(JSON.stringify(credential))})\n`)
  chmodSync(program, 0o700)
  return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: program, interactiveMode: 'Never' } }
}

const done = async (line: string): Promise<string> => {
  const { code, stdout, stderr } = await cli.run(line)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('fedplane init', () => {
  it('registers host and members and makes a federation of them, in one command', async () => {
    expect(await done('init fleet --host hub --join edge-1,edge-2')).toBe(
      'cluster/hub registered\ncluster/edge-1 registered\ncluster/edge-2 registered\nfederation/fleet created\n',
    )
    expect(await done('federation list -o jsonpath={.federations[0].members[*].state}')).toBe('Ready Ready')
  })

  it('takes what is registered already as it is, by context and by name', async () => {
    await done('cluster import hub')
    await done('cluster import edge-1 --name berlin')
    expect(await done('init fleet --host hub --join berlin --join edge-2')).toBe(
      'cluster/edge-2 registered\nfederation/fleet created\n',
    )
  })

  it('goes on where it was ended, and is done once however often it runs', async () => {
    const line = 'init fleet --host hub --join edge-1,edge-2 --driver clusterprofile@1 --property member-role=edit'
    const both = await Promise.all([cli.run(line), cli.run(line)])
    expect(both.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', ''])
    expect(await done('cluster list -o name')).toMatch(/^(?:cluster\/(?:hub|edge-1|edge-2)\n){3}$/)
    expect(await done('federation list -o name')).toBe('federation/fleet\n')
    await done('federation unjoin fleet edge-2 --yes')
    expect(await done(line)).toBe('federation/fleet is there already\nfederation/fleet: edge-2 joined\n')
    expect(await done(line)).toBe('federation/fleet is there already\n')
    // What was deleted is made anew.
    await done('federation delete fleet --yes')
    await done('cluster delete hub edge-1 edge-2 --yes')
    expect(await done(line)).toMatch(/registered\nfederation\/fleet created\n$/)
  })

  it('refuses a federation of that name that is another one', async () => {
    await done('init fleet --host hub --join edge-1')
    for (const [other, why] of [
      ['--host edge-2', /Federation fleet is there already, on another host\./],
      ['--host hub --driver memory@1', /there already, with the driver clusterprofile@1\./],
      ['--host hub --property member-role=edit', /there already, with other properties: member-role\./],
    ] as const) {
      expect(await cli.run(`init fleet ${other}`)).toMatchObject({ code: 1, stderr: expect.stringMatching(why) })
    }
  })

  it('refuses another cluster under the same name, and the same one twice, before it creates anything', async () => {
    await done('cluster import edge-1 --name hub')
    expect(await cli.run('init fleet --host hub')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/registered with another API server/),
    })
    expect(await cli.run('init fleet --host edge-2 --join edge-2')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/edge-2 is named twice/),
    })
    expect(await cli.run('init fleet --host nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/neither a context/),
    })
    expect(await done('cluster list -o name')).toBe('cluster/hub\n')
  })

  it('means clusters of the own project, whatever an administrator sees of others', async () => {
    await done('init fleet --host hub --join edge-1')
    const env = { FEDPLANE_TOKEN: 'token-of-operator' }
    const { code, stdout, stderr } = await cli.run('init fleet --host hub --join edge-1', { env })
    expect([code, stderr.match(/^fedplane: .*/m), stdout]).toEqual([
      0,
      null,
      'cluster/hub registered\ncluster/edge-1 registered\nfederation/fleet created\n',
    ])
    await done('cluster import edge-2 --name of-another-project')
    expect(await cli.run('init other --host of-another-project', { env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/neither a context .* nor a registered cluster/),
    })
    // By now both projects have a hub, which the server calls ambiguous.
    expect((await cli.run('init fleet --host hub --join edge-1', { env })).stdout).toBe(
      'federation/fleet is there already\n',
    )
  })

  it("sets properties of karmada@1 by kubefed's options, and of no other driver", async () => {
    const other = await cli.run('init fleet --host hub --driver clusterprofile@1 --etcd-pv-capacity 20Gi')
    expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/Only karmada@1 has storage-size/) })
    const alone = await cli.run('init fleet --host hub --api-server-advertise-address 10.0.0.1')
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringMatching(/needs --api-server-port/) })
  })
})

describe('a kubeconfig on standard input', () => {
  it.each<[string, (text: string) => Buffer]>([
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16, as PowerShell pipes it', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 of the other byte order', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('is read in %s', async (_encoding, encode) => {
    const input = encode(clusters.hub?.kubeconfig ?? '')
    const { code, stdout } = await cli.run('cluster import --kubeconfig - --name piped', { input })
    expect([code, stdout]).toEqual([0, 'cluster/piped registered\n'])
  })
})

describe('fedplane federation join', () => {
  it('registers a context first that is not registered yet', async () => {
    await done('init fleet --host hub')
    expect(await done('federation join fleet edge-1')).toBe(
      'cluster/edge-1 registered\nfederation/fleet: edge-1 joined\n',
    )
    expect(await cli.run('federation join none edge-2')).toMatchObject({ code: 3 })
    expect(await done('cluster list -o name')).toBe('cluster/hub\ncluster/edge-1\n')
  })
})

describe('fedplane cluster import', () => {
  it('gives no certificate of what it registers, and says which kubeconfig there is', async () => {
    await done('cluster import edge-1')
    const { code, stderr } = await cli.run('cluster kubeconfig edge-1')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/certificate authority[\s\S]*\nTry: fedplane cluster kubeconfig edge-1 --role viewer/),
    ])
  })

  it('takes the current context, a kubeconfig from standard input, and a name', async () => {
    expect(await done('cluster import')).toBe('cluster/edge-1 registered\n')
    expect((await cli.run('cluster delete edge-1')).stderr).toContain(
      'Cluster edge-1 will be forgotten; nothing in it is touched.',
    )
    const { code, stdout } = await cli.run('cluster import --kubeconfig - --name other', {
      input: clusters['edge-2']?.kubeconfig ?? '',
    })
    expect([code, stdout]).toEqual([0, 'cluster/other registered\n'])
  })

  it('ends with the reason of a registration that failed', async () => {
    writeKubeconfig({ 'edge-1': { token: 'wrong-token-that-must-not-be-seen' } })
    const { code, stdout, stderr } = await cli.run('cluster import edge-1')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^fedplane: Cluster edge-1 is CREATE_FAILED: .+\nTry: fedplane cluster events edge-1, and once that is repaired .* delete edge-1 .*\n$/m,
    )
    expect(stderr).not.toContain('wrong-token')
  })

  it('creates a ServiceAccount where a plugin makes the credential, after it said so, and takes it away again', async () => {
    writeKubeconfig({ 'edge-1': pluginFor('edge-1') })
    const asked = await cli.run('cluster import edge-1')
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toMatch(
      /comes from a plugin of this machine\. .*Namespace fedplane-access, ServiceAccount fedplane-access\/fedplane-edge-1, ClusterRoleBinding fedplane-edge-1, .*ClusterRole cluster-admin/,
    )
    expect(await done('cluster import edge-1 --yes')).toBe('cluster/edge-1 registered\n')
    expect(await done('cluster health edge-1')).toMatch(/^Health: +HEALTHY$/m)
    // The same again, and with another role.
    expect((await cli.run('cluster import edge-1 --name edge-1 --role edit --yes')).stderr).toMatch(
      /there already, with the role cluster-admin/,
    )
    expect(await done('cluster delete edge-1 --forget --yes')).toBe(
      'cluster/edge-1 deleted\nServiceAccount of cluster/edge-1 deleted\n',
    )
    // ClusterRole view lists no nodes, which a registration needs.
    expect((await cli.run('cluster import edge-1 --role view --yes')).stderr).toMatch(
      /PermissionDenied: The credential may not: list nodes/,
    )
    await done('cluster delete edge-1 --forget --yes')
  })

  it('forgets only what it created, and only where a context leads', async () => {
    await done('cluster import edge-2')
    expect(await cli.run('cluster delete edge-2 --forget --yes')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/created nothing in edge-2/),
    })
    const elsewhere = path.join(cli.home, 'other')
    writeFileSync(elsewhere, '{}')
    expect((await cli.run(`cluster delete edge-2 --forget --yes --kubeconfig ${elsewhere}`)).stderr).toMatch(
      /No context .* leads to/,
    )
    expect(await done('cluster list -o name')).toBe('cluster/edge-2\n')
  })

  it('forgets also later, when the cluster is not registered any more, and past contexts that lead nowhere', async () => {
    const file = writeKubeconfig({})
    const config = JSON.parse(readFileSync(file, 'utf8'))
    config.contexts.unshift({ name: 'torn', context: { cluster: 'edge-1', user: 'nobody' } })
    writeFileSync(file, JSON.stringify(config))
    await done('cluster import edge-1 --service-account --yes')
    expect(await cli.run('cluster delete edge-1 --forget --no-wait --yes')).toMatchObject({ code: 2, stdout: '' })
    expect(await done('cluster show edge-1 -o jsonpath={.status}')).toBe('CREATE_COMPLETE')
    // As if killed between the two.
    await done('cluster delete edge-1 --yes')
    expect(await done('cluster delete edge-1 --forget --yes')).toBe('ServiceAccount of cluster/edge-1 deleted\n')
    expect(await cli.run('cluster delete edge-1 --forget --yes')).toMatchObject({ code: 3, stdout: '' })
    await done('cluster import edge-1 --service-account --yes')
    expect(await done('cluster delete edge-1 --forget --yes')).toMatch(/ServiceAccount of cluster\/edge-1 deleted\n$/)
  })

  it('names the plugin that fails by its context, without its output', async () => {
    const program = path.join(cli.home, 'failing')
    writeFileSync(program, `#!${process.execPath}\nconsole.error('secret-output'); process.exit(3)\n`)
    chmodSync(program, 0o700)
    writeKubeconfig({
      'edge-1': { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: program, interactiveMode: 'Never' } },
    })
    const { code, stderr } = await cli.run('cluster import edge-1 --yes')
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(
        /The plugin of context edge-1 gives no credential\.\nTry: kubectl --context edge-1 auth whoami\n$/,
      ),
    ])
    expect(stderr).not.toContain('secret-output')
  })
})

describe('fedplane doctor', () => {
  it('tries server, kubeconfig and contexts, and asks the server once all are registered', async () => {
    const before = await done('doctor --host hub --join edge-1')
    expect(before).toMatch(/^context hub +ok +answers, Kubernetes v1\.36\.0\+simulated$/m)
    expect(before).toMatch(/^context hub +ok +default StorageClass standard$/m)
    expect(before).toMatch(/^context edge-1 +warning +https:\/\/127\.0\.0\.1:\d+ leads other clusters to themselves/m)
    expect(before).toMatch(/^dry run +warning +not done: hub, edge-1 is not registered yet/m)
    await done('cluster import hub')
    await done('cluster import edge-1')
    expect(await done('doctor --host hub --join edge-1')).toMatch(/^dry run +ok +a federation of them would succeed$/m)
  })

  it('fails with the check that failed', async () => {
    writeKubeconfig({ hub: { token: 'wrong' } })
    const { code, stdout, stderr } = await cli.run('doctor --host hub')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^context hub +failed +.*401|credential/m)])
    expect(stderr).toMatch(/^fedplane: 1 of \d+ checks failed\./m)
  })
})

describe('fedplane federation kubeconfig', () => {
  it('says what to do where a federation has no API server', async () => {
    // Kubeconfigs are for administrators.
    const env = { FEDPLANE_TOKEN: 'token-of-administrator' }
    expect(await cli.run('cluster import hub --name own', { env })).toMatchObject({ code: 0 })
    expect(await cli.run('init own --host own', { env })).toMatchObject({ code: 0 })
    const file = path.join(cli.home, '.kube/config')
    const before = readFileSync(file, 'utf8')
    expect(await cli.run('federation kubeconfig own --merge', { env })).toMatchObject({ code: 1, stdout: '' })
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(loadKubeconfig(cli.env).contexts.size).toBe(NAMES.length)
  })
})
