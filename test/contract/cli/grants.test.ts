import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { keptLog, until } from '../../support/local/engine-lab.ts'

/** Two projects at the command line: one shares a cluster, the other joins it. */

const holder = (userId: string, projectId: string) => ({ userId, projectId, roles: ['member', 'reader'] })

let fedplane: Fedplane
let [ana, ben] = [] as unknown as [CommandLine, CommandLine]
beforeAll(async () => {
  const setUp = new CommandLine()
  const tokensFile = path.join(setUp.home, 'tokens.json')
  const tokens = { 'token-of-ana': holder('ana', 'blue'), 'token-of-ben': holder('ben', 'green') }
  writeFileSync(tokensFile, JSON.stringify(tokens), { mode: 0o600 })
  const drivers = { enabledFederation: ['memory@1'], enabledCluster: ['memory@1'] }
  fedplane = await startFedplane({ tokensFile, drivers, log: keptLog() })
  setUp.close()
  ana = new CommandLine({ FEDPLANE_SERVER: fedplane.url, FEDPLANE_TOKEN: 'token-of-ana' })
  ben = new CommandLine({ FEDPLANE_SERVER: fedplane.url, FEDPLANE_TOKEN: 'token-of-ben' })
})
afterAll(async () => {
  await fedplane.close()
  ana.close()
  ben.close()
})

const done = async (cli: CommandLine, line: string): Promise<string> => {
  const { code, stdout, stderr } = await cli.run(line)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

it('shares a cluster, sees who uses it, takes it out, and revokes the grant', async () => {
  for (const [cli, name] of [
    [ana, 'hub'],
    [ben, 'edge-1'],
  ] as const) {
    await done(cli, 'template create small --driver memory@1 --image none')
    await done(cli, `cluster create ${name} --template small --node-count 1`)
  }
  const made = await done(ben, 'grant create edge-1 --project blue --action join --rights view')
  const [, grant = ''] = /^grant\/(\S+) created\n$/.exec(made) ?? []
  expect(await done(ben, 'grant list')).toMatch(/edge-1 +to project blue +join +view +live/)
  expect(await done(ana, 'grant list')).toMatch(/edge-1 +by green +join +view +live/)
  const cluster = (await done(ana, 'grant list -o jsonpath={.grants[0].cluster_uuid}')).trim()
  await done(ana, 'federation create fleet --host hub')
  await done(ana, `federation join fleet ${cluster}`)
  expect(await done(ana, 'federation members fleet -o wide')).toMatch(/^edge-1 +Ready .*yes$/m)
  expect(await done(ben, 'cluster federations edge-1')).toMatch(/^fleet +blue +member +view +Ready/m)
  expect(await done(ben, `grant show ${grant}`)).toMatch(/^Used by: +\S+ \(member\)$/m)
  const federation = (await done(ana, 'federation show fleet -o jsonpath={.uuid}')).trim()
  await done(ben, `cluster leave edge-1 ${federation} --yes`)
  await until(async () => (await ben.run('cluster federations edge-1')).stdout === '')
  expect(await done(ben, `grant delete ${grant} --yes`)).toBe(`grant/${grant} deleted\n`)
  expect((await ana.run(`federation join fleet ${cluster}`)).code).not.toBe(0)
})

it('asks for one receiver', async () => {
  const { code, stderr } = await ben.run('grant create edge-1 --action join')
  expect([code, stderr]).toEqual([2, expect.stringContaining('either --project or --federation')])
})
