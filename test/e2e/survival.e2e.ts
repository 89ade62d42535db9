import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterSet } from '../../local/clusters/take-clusters.ts'
import { Api, type FederationView } from '../../local/demo/api.ts'
import { profilesOf } from '../../local/demo/observe.ts'
import { type FedplaneProcess, runFedplane } from '../support/local/fedplane-process.ts'
import { adminClients, takeClusters } from './support/clusters.ts'
import { add, expectNothingLeft, federate, federationPath, forgetClusters, registerAll } from './support/stories.ts'

/** Milliseconds after the request when the server is killed: before, within and after the steps of a join. */
const MOMENTS = [0, 200, 700]

describe('kill -9 of fedplane while members join', () => {
  let set: ClusterSet
  let admins: ReturnType<typeof adminClients>
  let dataDir: string
  let server: FedplaneProcess
  let api: Api

  const start = async (): Promise<void> => {
    server = runFedplane(['--port', '0', '--data-dir', dataDir])
    api = new Api(await server.url())
  }
  const kill = async (): Promise<void> => {
    server.child.kill('SIGKILL')
    await server.ended
  }
  const restart = async (): Promise<void> => {
    await kill()
    await start()
  }

  beforeAll(async () => {
    set = await takeClusters(3)
    admins = adminClients(set.clusters)
    dataDir = mkdtempSync(joinPath(tmpdir(), 'fedplane-survival-'))
    await start()
  })
  afterAll(async () => {
    admins?.close()
    if (server) await kill()
    rmSync(dataDir, { recursive: true, force: true })
    await set?.close()
  })

  it('goes on after a restart and ends right, whenever it was', async () => {
    const clusters = await registerAll(api, set.clusters)
    const [host, ...members] = clusters.map(({ uuid }) => uuid)
    for (const moment of MOMENTS) {
      const { uuid } = await federate(api, { name: `killed-at-${moment}`, hostcluster_id: host! })
      const path = federationPath(uuid)
      await add(api, uuid, members)
      await delay(moment)
      await restart()
      const federation = await api.settled<FederationView>(path, 'UPDATE_COMPLETE')
      const states = federation.members.map(({ state }) => state)
      expect(states, `killed ${moment} ms after the PATCH`).toEqual(['Ready', 'Ready'])
      expect(await profilesOf(admins.clients[0]!, uuid), 'published once each').toHaveLength(2)

      await api.delete(path)
      await delay(moment)
      await restart()
      await api.gone(path)
      await expectNothingLeft(admins.clients, uuid)
    }
    await forgetClusters(
      api,
      clusters.map(({ uuid }) => uuid),
    )
  })
})
