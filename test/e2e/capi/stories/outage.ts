import { readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import type { ClusterView } from '../../../support/api/api.ts'
import { clusterPath } from '../../support/stories.ts'
import { make, settled, template } from '../support/clusters.ts'
import type { Management } from '../support/management.ts'
import type { World } from './life.ts'

/** The API server of a management cluster, by what capi-up notes about what it started: a line `<pid> <start time> <name>` each. */
const apiServerOf = async ({ cluster }: Management): Promise<number> => {
  const started = (await readFile(path.join(cluster.folder, 'pids'), 'utf8')).split('\n').map((line) => line.split(' '))
  const [pid] = started.find(([, , name = '']) => name.startsWith('kube-apiserver')) ?? []
  if (pid === undefined) throw new Error('capi-up notes no kube-apiserver')
  return Number(pid)
}

/** A hanging API server, as in the outage of a node or while etcd elects; for everybody, so nothing else may run beside. */
export const describeOutage = (world: () => World): void => {
  describe('a management cluster that does not answer', () => {
    /** Stops it after `ask`, until fedplane says that it waits for it. */
    const whileStopped = async (id: string, ask: () => Promise<unknown>): Promise<void> => {
      const { api, management } = world()
      const pid = await apiServerOf(management)
      await ask()
      process.kill(pid, 'SIGSTOP')
      try {
        await api.until(
          () => api.get<ClusterView>(clusterPath(id)),
          ({ status_reason }) => status_reason?.includes('its management cluster') === true,
        )
      } finally {
        process.kill(pid, 'SIGCONT')
      }
    }

    it('ends neither a resize nor a deletion: both go on when it is back', async () => {
      const { api } = world()
      const { uuid: id } = await make(api, 'patient', await template(api, 'patient', 'v1.35.2'))
      await whileStopped(id, () => api.ask('POST', `${clusterPath(id)}/actions/resize`, { node_count: 2 }))
      expect((await settled(api, id, 'UPDATE_COMPLETE')).node_addresses).toHaveLength(2)
      await whileStopped(id, () => api.delete(clusterPath(id)))
      await api.gone(clusterPath(id))
    })
  })
}
