import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedplane, startFedplane } from '../../../local/server.ts'
import { CommandLine } from '../../support/cli/command-line.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

let fedplane: Fedplane
let cli: CommandLine
beforeAll(async () => {
  fedplane = await startFedplane({
    drivers: { enabledFederation: ['memory@1'], enabledCluster: ['memory@1'] },
    log: keptLog(),
  })
  cli = new CommandLine({ FEDPLANE_SERVER: fedplane.url })
  await cli.run('template create small --driver memory@1 --image none')
  for (const name of ['hub', 'edge']) await cli.run(`cluster create ${name} --template small`)
  await cli.run('federation create fleet --host hub')
})
afterAll(async () => {
  await fedplane.close()
  cli.close()
})

const complete = async (...words: string[]): Promise<string[]> =>
  (await cli.run(['__complete', ...words])).stdout.split('\n').filter((word) => word !== '')

describe('completion', () => {
  it.each<[string[], string[]]>([
    [['fede'], ['federation']],
    [['federation', 'un'], ['unjoin']],
    [['federation', 'show', ''], ['fleet']],
    [
      ['federation', 'join', 'fleet', ''],
      ['edge', 'hub'],
    ],
    [['federation', 'join', 'fleet', 'edge', 'h'], ['hub']],
    [['federation', 'create', 'x', '--host', 'h'], ['hub']],
    [['cluster', 'create', 'x', '--template', 's'], ['small']],
    [
      ['federation', 'unjoin', 'fleet', 'edge', '--workloads', ''],
      ['delete', 'keep'],
    ],
    [['federation', 'list', '--os'], ['--os-cloud']],
    [
      ['completion', ''],
      ['bash', 'fish', 'zsh'],
    ],
    [['federation', 'list', ''], []],
  ])('of %j', async (words, candidates) => {
    expect((await complete(...words)).sort()).toEqual(candidates)
  })

  it('offers nothing, and no error, without a server', async () => {
    const ran = await cli.run(['__complete', 'cluster', 'show', ''], { env: { FEDPLANE_SERVER: 'http://127.0.0.1:1' } })
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('lets bash run nothing that a context is called', async () => {
    const ran = path.join(cli.home, 'ran')
    const hostile = [`$(touch ${ran})`, `\`touch ${ran}\``, 'two words', `it's "quoted"`, 'a\nb', 'c\u001b[31m']
    const entries = hostile.map((name) => ({ name, context: { cluster: 'a', user: 'a' } }))
    const kubeconfig = path.join(cli.home, 'hostile')
    writeFileSync(kubeconfig, JSON.stringify({ contexts: entries }))
    const answer = (await cli.run(['__complete', 'cluster', 'import', ''], { env: { KUBECONFIG: kubeconfig } })).stdout
    expect(answer.split('\n')).toEqual([...hostile.slice(0, 4), ''])
    const { stdout } = await cli.run('completion bash')
    const lines = [
      // What the shell would run is what answered just now.
      `fedplane() { printf '%s' "$ANSWER"; }`,
      stdout,
      'COMP_WORDS=(fedplane cluster import "") COMP_CWORD=3',
      '_fedplane',
      // As when a candidate is accepted with Enter.
      `for each in "\${COMPREPLY[@]}"; do eval "printf '%s\\n' $each"; done`,
    ]
    const accepted = execFileSync('bash', ['-c', lines.join('\n')], {
      encoding: 'utf8',
      env: { ...process.env, ANSWER: answer },
    })
    expect(accepted.split('\n')).toEqual([...hostile.slice(0, 4), ''])
    expect(existsSync(ran)).toBe(false)
  })

  it('has a script that bash takes', async () => {
    const { stdout } = await cli.run('completion bash')
    expect(execFileSync('bash', ['-c', `${stdout}\ncomplete -p fedplane`], { encoding: 'utf8' })).toMatch(
      /-F _fedplane fedplane/,
    )
  })
})
