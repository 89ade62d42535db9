import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../../simulated-kubernetes/start.ts'
import { CommandLine, withoutIds } from '../../support/cli/command-line.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

/** The tour in the README is the record of a real run, repeated here. `FEDPLANE_WRITE_DOCS=1` records it anew. */

const README = path.resolve(import.meta.dirname, '../../../README.md')
const NAMES = ['hub', 'edge-1', 'edge-2']
const BLOCK = /```console\n([\s\S]*?)```/

let fedplane: Fedplane
let clusters: SimulatedKubernetes[]
let cli: CommandLine
beforeAll(async () => {
  clusters = await Promise.all(NAMES.map((name) => startSimulatedKubernetes({ name })))
  fedplane = await startFedplane({ log: keptLog() })
  cli = new CommandLine({ FEDPLANE_SERVER: fedplane.url })
  const entries = clusters.map((cluster) => parse(cluster.kubeconfig))
  mkdirSync(path.join(cli.home, '.kube'))
  const config = {
    clusters: entries.map(({ clusters: [{ cluster }] }, index) => ({ name: NAMES[index], cluster })),
    users: entries.map(({ users: [{ user }] }, index) => ({ name: NAMES[index], user })),
    contexts: NAMES.map((name) => ({ name, context: { cluster: name, user: name } })),
  }
  writeFileSync(path.join(cli.home, '.kube/config'), JSON.stringify(config), { mode: 0o600 })
})
afterAll(async () => {
  await fedplane.close()
  await Promise.all(clusters.map((cluster) => cluster.close()))
  cli.close()
})

/** What a terminal keeps of a line: the command and its result; progress is wiped away. */
const record = async (line: string): Promise<string> => {
  const command = line.replace(/^\$ /, '')
  if (!command.startsWith('fedplane ')) return `${line}\n`
  const { code, stdout, stderr } = await cli.run(command.slice('fedplane '.length))
  expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
  return `${line}\n${stdout}`
}

describe('the tour in the README', () => {
  it('is what happens', async () => {
    const readme = readFileSync(README, 'utf8')
    const [, written = ''] = BLOCK.exec(readme) ?? []
    const commands = written.split('\n').filter((line) => line.startsWith('$ '))
    expect(commands.length).toBeGreaterThan(3)
    let happened = ''
    for (const line of commands) happened += await record(line)
    if (process.env.FEDPLANE_WRITE_DOCS) writeFileSync(README, readme.replace(written, happened))
    expect(withoutIds(readFileSync(README, 'utf8'))).toContain(withoutIds(happened))
  })
})
