import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort, startGuarded } from '../../../local/clusters/programs.ts'

describe('startGuarded', () => {
  it('ends a program that does not want to', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fedplane-test-'))
    const deaf = join(directory, 'deaf')
    const child = await startGuarded('/bin/sh', ['-c', 'trap "" TERM; : >"$0"; while :; do sleep 0.1; done', deaf])
    await expect.poll(() => existsSync(deaf), { timeout: 5000 }).toBe(true)
    await Promise.all([child.stop(), child.stop()])
    expect(() => process.kill(child.pid, 0)).toThrow()
    await rm(directory, { recursive: true })
  })

  it('tells how a program ended by itself, and with which last words', async () => {
    const child = await startGuarded('/bin/sh', ['-c', 'echo so long >&2; exit 3'])
    expect(await child.ended).toBe('exit code 3: so long')
    await child.stop()
  })

  it('tells when there is no such program', async () => {
    const child = await startGuarded('/nowhere/dynoxide', [])
    expect(await child.ended).toMatch(/^exit code 127: .*nowhere/)
  })
})

describe('freePort', () => {
  it('is one that nobody listens on', async () => {
    const socket = createConnection({ port: await freePort(), host: '127.0.0.1' })
    const [error] = await once(socket, 'error')
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  })
})
