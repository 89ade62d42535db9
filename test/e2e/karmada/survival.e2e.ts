import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Api, type FederationView } from '../../support/api/api.ts'
import { type FedplaneProcess, runFedplane } from '../../support/local/fedplane-process.ts'
import { add, federationPath, remove } from '../support/stories.ts'
import { absent, ask, expectAsBefore, type Site, siteOf } from './support/fleet.ts'
import { type OwnCluster, startBare, startNode } from './support/kube.ts'

const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces' }
const POLL_MS = 50

/** Which part of an operation is under way: the phase's number, and how far members are. */
const partOf = ({ status, status_reason, members }: FederationView): string => {
  const phase = /(\d+)\/\d+/.exec(status_reason ?? '')?.[1] ?? '-'
  return `${status} ${phase} ${members.map(({ state }) => state).join()}`
}

describe('kill -9 of fedplane at each part of the life of a karmada@1 federation', () => {
  let host: Site
  let member: Site
  let dataDir: string
  let server: FedplaneProcess
  let api: Api
  const closers: (() => Promise<unknown>)[] = []

  /** Ended also when it comes up only after something else has failed. */
  const closing = (starting: Promise<OwnCluster>): Promise<OwnCluster> => {
    closers.push(() => starting.then(({ close }) => close()))
    return starting
  }

  const start = async (): Promise<void> => {
    server = runFedplane(['--port', '0', '--data-dir', dataDir], {
      ...(process.env.FEDPLANE_KARMADA_CRDS ? { FEDPLANE_KARMADA_CRDS: process.env.FEDPLANE_KARMADA_CRDS } : {}),
    })
    api = new Api(await server.url())
  }
  const kill = async (): Promise<void> => {
    server.child.kill('SIGKILL')
    await server.ended
  }

  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'fedplane-survival-'))
    await start()
    host = await siteOf(api, await closing(startNode('host')))
    member = await siteOf(api, await closing(startBare('bare')))
  }, 300_000)
  afterAll(async () => {
    if (server) await kill()
    rmSync(dataDir, { recursive: true, force: true })
    for (const { admin } of [host, member].filter(Boolean)) admin.close()
    await Promise.allSettled(closers.map((close) => close()))
  }, 240_000)

  /** Kills the server once in every part that can be seen, until the operation is over. The parts in which it was killed. */
  const killingThrough = async (id: string): Promise<string[]> => {
    const killed: string[] = []
    for (;;) {
      const view = await api.find<FederationView>(federationPath(id))
      if (view === undefined || !view.status.endsWith('_IN_PROGRESS')) return killed
      const part = partOf(view)
      if (killed.includes(part)) await delay(POLL_MS)
      else {
        killed.push(part)
        await kill()
        await start()
      }
    }
  }

  const ended = async (id: string, status: string): Promise<FederationView> =>
    api.settled<FederationView>(federationPath(id), status)

  it('goes on each time, and ends as it should', { timeout: 600_000 }, async () => {
    const id = await ask(api, { name: 'survivor', host })
    expect((await killingThrough(id)).length).toBeGreaterThan(3)
    await ended(id, 'CREATE_COMPLETE')

    await add(api, id, [member.view.uuid])
    expect(await killingThrough(id)).not.toEqual([])
    expect((await ended(id, 'UPDATE_COMPLETE')).members).toMatchObject([{ state: 'Ready' }])

    await remove(api, id, [member.view.uuid])
    expect(await killingThrough(id)).not.toEqual([])
    expect((await ended(id, 'UPDATE_COMPLETE')).members).toEqual([])
    await expectAsBefore(member)

    await api.delete(federationPath(id))
    expect(await killingThrough(id)).not.toEqual([])
    await api.gone(federationPath(id))
    await absent(host.admin, [NAMESPACES, 'federation-system'])
    await expectAsBefore(host)
  })
})
