import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { until } from '../../support/local/engine-lab.ts'
import { descendantsOf, runFedplane } from '../../support/local/fedplane-process.ts'
import { formerFolder } from '../../support/local/former-folder.ts'

/** On a busy machine a start takes ten times its usual second. */
const TIMEOUT_MS = 90_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('npm start', { timeout: TIMEOUT_MS }, () => {
  it('listens, tells others that port and data are taken, has no child, and ends on SIGTERM', async () => {
    const dataDir = join(folder, 'terminated')
    const first = runFedplane(['--port', '0', '--data-dir', dataDir])
    const url = await first.url()
    expect(first.stdout()).toBe(`fedplane listening on ${url}/v1\n`)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await fetch(url)).json()).toMatchObject({ name: 'OpenStack Magnum API' })
    expect(await (await fetch(`${url}/v1/clusters`)).json()).toEqual({ clusters: [] })
    expect(statSync(join(dataDir, 'key')).mode & 0o777).toBe(0o600)

    const { port } = new URL(url)
    const samePort = runFedplane([], { FEDPLANE_PORT: port, FEDPLANE_DATA_DIR: join(folder, 'other') })
    const sameData = runFedplane(['--port', '0'], { FEDPLANE_DATA_DIR: dataDir })
    expect((await samePort.ended).code).toBe(1)
    expect(samePort.stderr()).toMatch(new RegExp(`^fedplane: Port ${port} .*--port.*\\n$`))
    expect(existsSync(join(folder, 'other'))).toBe(false)
    expect((await sameData.ended).code).toBe(1)
    expect(sameData.stderr()).toMatch(/^fedplane: .*terminated.*--data-dir.*\n$/)
    expect(samePort.stdout() + sameData.stdout()).toBe('')

    expect(descendantsOf(first.pid)).toEqual([])
    first.child.kill('SIGTERM')
    expect(await first.ended).toEqual({ code: 0, signal: null })
    expect(first.stderr()).toBe('')
  })

  it('starts again on the same data after SIGKILL', async () => {
    const dataDir = join(folder, 'killed')
    const first = runFedplane(['--port', '0', '--data-dir', dataDir])
    await first.url()
    first.child.kill('SIGKILL')
    await first.ended
    const second = runFedplane(['--port', '0', '--data-dir', dataDir])
    expect((await fetch(`${await second.url()}/v1/clusters`)).status).toBe(200)
    second.child.kill('SIGINT')
    expect(await second.ended).toEqual({ code: 0, signal: null })
  })

  it('takes over the data of a release with another database, ends what that had begun, and uses what it had made', async () => {
    const dataDir = formerFolder()
    const running = runFedplane(['--port', '0', '--data-dir', dataDir], {
      FEDPLANE_CLUSTER_DRIVERS: 'memory@1',
      FEDPLANE_FEDERATION_DRIVERS: 'memory@1',
    })
    const url = await running.url()
    const read = async (path: string) =>
      (await fetch(`${url}/v1${path}`)).json() as Promise<{ status?: string; clusters?: { name: string }[] }>
    const { clusters = [] } = await read('/clusters')
    expect(clusters.map(({ name }) => name).sort()).toEqual(['host', 'late', 'member'])
    expect(await read('/federations/fed')).toMatchObject({ status: 'CREATE_COMPLETE' })
    // Its create_timeout has passed since the folder was recorded.
    await until(async () => (await read('/clusters/late')).status === 'CREATE_FAILED')
    expect(await read('/clusters/late')).toMatchObject({ status_reason: expect.stringMatching(/^OperationTimedOut: /) })
    expect((await fetch(`${url}/v1/federations/fed`, { method: 'DELETE' })).status).toBe(204)
    await until(async () => (await fetch(`${url}/v1/federations/fed`)).status === 404)
    expect(running.stderr()).toMatch(/"level":"warn".*copied.*"items":\d+.*fedplane\.db\.before/)
    running.child.kill('SIGTERM')
    await running.ended
    rmSync(dataDir, { recursive: true })
  })

  it('goes on when nobody reads its log any more', async () => {
    const dataDir = join(folder, 'unread')
    const server = runFedplane(['--port', '0', '--data-dir', dataDir], { FEDPLANE_LOG_LEVEL: 'info' })
    const url = await server.url()
    server.child.stderr?.destroy()
    for (const name of ['a', 'b']) {
      const body = JSON.stringify({ name, driver: 'memory@1' })
      const headers = { 'content-type': 'application/json' }
      expect((await fetch(`${url}/v1/clusters`, { method: 'POST', body, headers })).status).toBe(202)
    }
    await until(async () => {
      const list = await (await fetch(`${url}/v1/clusters`)).text()
      return list.match(/CREATE_COMPLETE/g)?.length === 2
    })
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })

  it('asks for tokens when it is given a file of them, and refuses a bad one without showing it', async () => {
    const file = join(folder, 'tokens.json')
    writeFileSync(
      file,
      JSON.stringify({ 's3cret-token': { userId: 'u', projectId: 'p', roles: ['member', 'reader'] } }),
      { mode: 0o600 },
    )
    const good = runFedplane(['--port', '0', '--data-dir', join(folder, 'tokens')], { FEDPLANE_TOKENS: file })
    const url = await good.url()
    const status = async (headers: Record<string, string>) => (await fetch(`${url}/v1/clusters`, { headers })).status
    expect(await status({})).toBe(401)
    expect(await status({ 'X-Auth-Token': 'other' })).toBe(401)
    expect(await status({ 'X-Auth-Token': 's3cret-token' })).toBe(200)
    expect(await status({ Authorization: 'Bearer s3cret-token' })).toBe(200)
    good.child.kill('SIGTERM')
    await good.ended

    writeFileSync(file, '{"s3cret-token": {"userId": "u", "projectId": "p", "roles": "admin"}}')
    const bad = runFedplane(['--port', '0', '--data-dir', join(folder, 'tokens')], { FEDPLANE_TOKENS: file })
    expect((await bad.ended).code).toBe(1)
    expect(bad.stderr()).toMatch(/^fedplane: The token file .*user "u".*roles.*\n$/)
    expect(bad.stderr()).not.toContain('s3cret')
  })

  it('shows its options and its version, and refuses other options', async () => {
    const version = runFedplane(['--version'])
    const help = runFedplane(['--help'])
    expect((await help.ended).code).toBe(0)
    expect((await version.ended).code).toBe(0)
    expect(version.stdout()).toBe(`fedplane ${manifest.version}\n`)
    expect(help.stdout()).toMatch(/--port PORT[\s\S]*--data-dir DIR[\s\S]*FEDPLANE_TOKENS/)
    const file = runFedplane(['--port', '0', '--data-dir', import.meta.filename])
    expect((await file.ended).code).toBe(1)
    expect(file.stderr()).toMatch(/^fedplane: The data directory .*start\.test\.ts can't be used: .*--data-dir.*\n$/)
    const wrong = runFedplane(['--prot', '1'])
    expect((await wrong.ended).code).toBe(1)
    expect(wrong.stderr()).toMatch(/^fedplane: .*--prot.*--help.*\n$/)
  })
})
