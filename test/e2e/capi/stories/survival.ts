import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Api, type ClusterView } from '../../../support/api/api.ts'
import { type FedplaneProcess, runFedplane } from '../../../support/local/fedplane-process.ts'
import { clusterPath } from '../../support/stories.ts'
import { settled, template } from '../support/clusters.ts'
import { capiCluster, registerManagement } from '../support/management.ts'
import type { World } from './life.ts'

const POLL_MS = 40

/** Which part of an operation is under way. */
const partOf = ({ status, status_reason }: ClusterView): string =>
  `${status} ${/(\d+)\/\d+/.exec(status_reason ?? '')?.[1] ?? '-'}`

/** Does something once in every part that can be seen, until the operation is over. The parts in which it was done. */
const inEachPart = async (
  look: () => Promise<ClusterView | undefined>,
  act: () => Promise<void>,
): Promise<string[]> => {
  const seen: string[] = []
  for (;;) {
    const view = await look()
    if (view === undefined || !view.status.endsWith('_IN_PROGRESS')) return seen
    const part = partOf(view)
    if (seen.includes(part)) await delay(POLL_MS)
    else {
      seen.push(part)
      await act()
    }
  }
}

/** A fedplane of its own beside the others, which is killed again and again. */
export const describeSurvival = (world: () => Pick<World, 'management'>): void => {
  describe.concurrent('kill -9 of fedplane at each part of the life of a cluster of capi@1', () => {
    let dataDir: string
    let server: FedplaneProcess
    let api: Api

    const start = async (): Promise<void> => {
      server = runFedplane(['--port', '0', '--data-dir', dataDir])
      api = new Api(await server.url(), { microversion: 'latest' })
    }
    const kill = async (): Promise<void> => {
      server.child.kill('SIGKILL')
      await server.ended
    }

    beforeAll(async () => {
      dataDir = mkdtempSync(path.join(tmpdir(), 'fedplane-capi-survival-'))
      await start()
      await registerManagement(api, world().management)
    }, 120_000)
    afterAll(async () => {
      if (server) await kill()
      rmSync(dataDir, { recursive: true, force: true })
    })

    const look = (id: string) => api.find<ClusterView>(clusterPath(id))
    const killingThrough = (id: string): Promise<string[]> =>
      inEachPart(
        () => look(id),
        async () => {
          await kill()
          await start()
        },
      )

    it('goes on each time, and ends as it should', { concurrent: false }, async () => {
      const cluster_template_id = await template(api, 'survivor', 'v1.35.2')
      const id = await api.create('/v1/clusters', { name: 'survivor', cluster_template_id })
      expect((await killingThrough(id)).length).toBeGreaterThan(1)
      await settled(api, id, 'CREATE_COMPLETE')

      await api.ask('POST', `${clusterPath(id)}/actions/resize`, { node_count: 2 })
      expect(await killingThrough(id)).not.toEqual([])
      expect((await settled(api, id, 'UPDATE_COMPLETE')).node_addresses).toHaveLength(2)

      await api.delete(clusterPath(id))
      expect(await killingThrough(id)).not.toEqual([])
      await api.gone(clusterPath(id))
      expect(await capiCluster(world().management, id)).toBeUndefined()
    })
  })
}
