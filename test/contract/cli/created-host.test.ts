import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EXIT } from '../../../cli/errors.ts'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { keptLog, until } from '../../support/local/engine-lab.ts'

/** `fedplane init --create-host`: host cluster and federation by one request. */

const PROJECTS = Array.from({ length: 20 }, (_, index) => `project-${index}`)

let fedplane: Fedplane
let setUp: CommandLine
let cli: CommandLine
beforeAll(async () => {
  setUp = new CommandLine()
  const tokensFile = path.join(setUp.home, 'tokens.json')
  const tokens = PROJECTS.map((projectId) => [
    `token-of-${projectId}`,
    { userId: projectId, projectId, roles: ['member', 'reader'] },
  ])
  writeFileSync(tokensFile, JSON.stringify(Object.fromEntries(tokens)), { mode: 0o600 })
  const drivers = { enabledFederation: ['memory@1'], enabledCluster: ['memory@1', 'external@1'] }
  fedplane = await startFedplane({ tokensFile, drivers, log: keptLog() })
})
afterAll(async () => {
  await fedplane.close()
  setUp.close()
})
beforeEach(async () => {
  cli = new CommandLine({ FEDPLANE_SERVER: fedplane.url, FEDPLANE_TOKEN: `token-of-${PROJECTS.shift()}` })
  mkdirSync(path.join(cli.home, '.kube'))
  await done('template create small --driver memory@1 --image none')
  await done('template create broken --driver memory@1 --image none --label memory-fail-phase=identify')
  await done('template create slow --driver memory@1 --image none --label memory-delay-seconds=1')
  return () => cli.close()
})

const done = async (line: string): Promise<string> => {
  const { code, stdout, stderr } = await cli.run(line)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

const host = () => done('cluster list -o jsonpath={.clusters[*].name}')

describe('fedplane init --create-host', () => {
  it('creates host and federation, and joins members, with the host in the progress', async () => {
    await done('cluster create edge-1 --template small')
    const { code, stdout, stderr } = await cli.run('init fleet --create-host slow --join edge-1 --node-count 3')
    expect([code, stdout]).toEqual([0, 'federation/fleet created\n'])
    expect(stderr).toMatch(/1\/\d+ host cluster: waiting for the host cluster fleet-host/)
    expect(await host()).toBe('edge-1 fleet-host')
    expect(await done('cluster show fleet-host -o jsonpath={.node_count}')).toBe('3')
    expect(await done('federation show fleet')).toMatch(/^Host: +fleet-host \(.*\), created with it, deleted with it$/m)
    expect(await done('federation members fleet -o jsonpath={.members[*].state}')).toBe('Ready')
  })

  it('goes on where it was ended, and is done once however often it runs', async () => {
    const line = 'init fleet --create-host small'
    const both = await Promise.all([cli.run(line), cli.run(line)])
    expect(both.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', ''])
    expect([await host(), await done('federation list -o name')]).toEqual(['fleet-host', 'federation/fleet\n'])
    expect(await done(line)).toBe('federation/fleet is there already\n')
  })

  it('says why when the host can not be created, and leaves none', async () => {
    const { code, stderr } = await cli.run('init fleet --create-host broken')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/HostNotCreated: The host cluster fleet-host .*PlannedFailure/)
    await done('federation delete fleet --yes')
    await until(async () => (await cli.run('cluster show fleet-host')).code === EXIT.notFound)
  })

  it('refuses a federation of that name that is another one', async () => {
    await done('cluster create hub --template small')
    await done('federation create fleet --host hub')
    await done('init other --create-host small')
    for (const line of ['init fleet --create-host small', 'init other --create-host slow', 'init other --host hub']) {
      expect(await cli.run(line)).toMatchObject({ code: 1, stderr: expect.stringMatching(/already, on another host/) })
    }
  })

  it.each([
    ['init fleet', /No host is named\.\nTry: .*--create-host TEMPLATE/],
    ['init fleet --host hub --create-host small', /One of them/],
    ['init fleet --host hub --node-count 2', /go with --create-host only/],
    ['init fleet --host hub --keep-host', /go with --create-host only/],
  ])('refuses %s', async (line, why) => {
    expect(await cli.run(line)).toMatchObject({ code: 2, stderr: expect.stringMatching(why) })
  })

  it('is among the first options of its help', async () => {
    const help = await done('init --help')
    const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option)
    expect(options.slice(0, 3)).toEqual(['--host', '--create-host', '--join'])
  })
})

describe('fedplane federation delete', () => {
  it('says that the host goes, too, and that it does', async () => {
    await done('init fleet --create-host small')
    const asked = await cli.run('federation delete fleet')
    expect(asked.stderr).toContain('The cluster fleet-host, which was created as its host, will be deleted too.')
    const { stdout } = await cli.run('federation delete fleet --yes')
    expect(stdout).toMatch(/^federation\/fleet deleted\ncluster\/fleet-host (?:is being )?deleted\n$/)
  })

  it('says nothing of a host that stays', async () => {
    await done('init fleet --create-host small --keep-host')
    expect((await cli.run('federation delete fleet --yes')).stdout).toBe('federation/fleet deleted\n')
    expect(await host()).toBe('fleet-host')
  })
})
