import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Cluster } from '../../functions/core/cluster/cluster.ts'
import { endClusterUpdate, endClusterUpdateFailed } from '../../functions/core/cluster/cluster-update-end.ts'
import { OperationSuperseded } from '../../functions/core/errors.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import { PlannedFailure } from '../../functions/drivers/contract/errors.ts'
import type { Connection, KubernetesClient } from '../../functions/kubernetes/client.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { deleteCluster, key } from '../support/flows/actions.ts'
import {
  ask,
  changeGroup,
  createGroup,
  deleteGroup,
  groupNamed,
  groupsOf,
  limit,
  readyCluster,
  resize,
  rested,
  waitingOf,
} from '../support/flows/cluster-tasks.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, history, messages } from '../support/flows/look.ts'
import { gate, until } from '../support/local/engine-lab.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

/** Holds the first call of the driver until `go` opens. */
const hold = () => {
  const [arrived, go] = [gate(), gate()]
  lab.clusters.before = async () => {
    arrived.open()
    await go.passed
  }
  return { arrived, go }
}

/** Counts that the driver was asked to reach, in order. */
const countsAsked = (fail: (count: number) => boolean = () => false): number[] => {
  const counts: number[] = []
  lab.clusters.before = ({ name }, { task, nodeGroups }) => {
    if (!name.startsWith('ensure:') || task === null || !('nodeCount' in task) || task.nodeCount === null) return
    counts.push(task.nodeCount)
    const group = nodeGroups.find((it) => it.id === task.nodeGroupId)
    if (group?.nodeCount !== task.nodeCount) throw new Error(`group ${group?.nodeCount}, task ${task.nodeCount}`)
    if (fail(task.nodeCount)) throw new PlannedFailure('The cloud has no room.')
  }
  return counts
}

/** Makes a request right after the next read of the node groups, or the one after the next of the cluster: the first is of the step. */
const requestAfterRead = (what: string, request: () => Promise<void>): void => {
  const { clusters, nodeGroups } = lab.ports.stores
  const { get } = clusters
  const { listOf } = nodeGroups
  const andRequest =
    <A, R>(read: (it: A) => Promise<R>) =>
    async (it: A): Promise<R> => {
      Object.assign(clusters, { get })
      Object.assign(nodeGroups, { listOf })
      const found = await read(it)
      await request()
      return found
    }
  if (what === 'node groups') nodeGroups.listOf = andRequest(listOf)
  else clusters.get = (it) => get(it).finally(() => Object.assign(clusters, { get: andRequest(get) }))
}

const TEN = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
const WHY = 'PlannedFailure: The cloud has no room.'

describe('tasks of one cluster', () => {
  it('that are asked for at once run one after the other and all end', async () => {
    const id = await readyCluster(lab)
    const counts = countsAsked()
    await Promise.all(TEN.map((nodeCount) => limit(lab, id, { group: 'default-worker', nodeCount })))
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      statusReason: null,
      queue: [],
      task: null,
    })
    expect([...counts].sort((a, b) => a - b)).toEqual(TEN)
    const group = await groupNamed(lab, id, 'default-worker')
    expect(group).toMatchObject({ status: 'UPDATE_COMPLETE', nodeCount: counts.at(-1), reachedCount: counts.at(-1) })
    expect((await clusterOf(lab, id))?.nodes?.nodeCount).toBe(counts.at(-1))
    expect((await history(lab, 'cluster', id)).filter((it) => it === 'update success Updated')).toHaveLength(10)
  })

  it('run in the order of the requests, each with its own count, and read in progress all the time', async () => {
    const id = await readyCluster(lab)
    const counts = countsAsked()
    const statuses = new Set<string | undefined>()
    lab.intercept = async (_, run) => {
      statuses.add((await clusterOf(lab, id))?.status).add((await groupNamed(lab, id, 'default-worker')).status)
      return run()
    }
    for (const nodeCount of [5, 1, 4]) await limit(lab, id, { group: 'default-worker', nodeCount })
    await rested(lab, id)
    expect(counts).toEqual([5, 1, 4])
    expect([...statuses]).toEqual(['UPDATE_IN_PROGRESS'])
  })

  it('are not stopped by one that fails in the middle', async () => {
    const id = await readyCluster(lab)
    const { arrived, go } = hold()
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    await arrived.passed
    const counts = countsAsked((count) => count === 3)
    for (const nodeCount of [3, 4]) await limit(lab, id, { group: 'default-worker', nodeCount })
    go.open()
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 4 } })
    expect(counts).toEqual([3, 4])
    expect(await groupNamed(lab, id, 'default-worker')).toMatchObject({ status: 'UPDATE_COMPLETE', reachedCount: 4 })
    expect((await history(lab, 'cluster', id)).slice(-2)).toEqual([
      'update failure PlannedFailure',
      'update success Updated',
    ])
  })

  it('leave the cluster failed when one of a group that no later one is about has failed', async () => {
    const id = await readyCluster(lab)
    const { arrived, go } = hold()
    await createGroup(lab, id)
    await arrived.passed
    countsAsked((count) => count === 7)
    await resize(lab, id, { group: 'pool', nodeCount: 7 })
    await resize(lab, id, { group: 'default-worker', nodeCount: 3 })
    go.open()
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: `Node group pool: ${WHY}`,
      nodes: { nodeCount: 10 },
    })
    expect(await groupNamed(lab, id, 'default-worker')).toMatchObject({ status: 'UPDATE_COMPLETE', nodeCount: 3 })
  })

  it('do not act on what was asked for after them', async () => {
    const id = await readyCluster(lab)
    const { arrived, go } = hold()
    await limit(lab, id, { group: 'default-worker', nodeCount: 2, most: null })
    await arrived.passed
    const seen: Record<string, (string | number)[][]> = {}
    lab.clusters.before = (_, { task, nodeGroups }) => {
      seen[task?.kind ?? ''] ??= nodeGroups.map(({ name, nodeCount }) => [name, nodeCount])
    }
    await changeGroup(lab, id, 'default-master')
    await createGroup(lab, id)
    await resize(lab, id, { group: 'default-worker', nodeCount: 9 })
    go.open()
    await rested(lab, id)
    expect(seen).toEqual({
      'node-group-update': [
        ['default-master', 1],
        ['default-worker', 2],
      ],
      'node-group-create': [
        ['default-master', 1],
        ['default-worker', 2],
        ['pool', 2],
      ],
      resize: [
        ['default-master', 1],
        ['default-worker', 9],
        ['pool', 2],
      ],
    })
  })

  it.each(['cluster', 'node groups'])('are not misled by one that comes just when the %s was read', async (what) => {
    const id = await readyCluster(lab)
    const counts = countsAsked()
    const request = () => limit(lab, id, { group: 'default-worker', nodeCount: 9 })
    let armed = true
    lab.intercept = async ({ step }, run) => {
      if (step === 'RunPhase' && armed) requestAfterRead(what, request)
      armed = false
      return run()
    }
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    await rested(lab, id)
    expect(counts).toEqual([2, 9])
    expect((await history(lab, 'cluster', id)).filter((it) => it.startsWith('update failure'))).toEqual([])
  })

  it.each(['runs', 'waits'])(
    'give way to another number for the same node group, when one %s (decision 0024)',
    async (what) => {
      const id = await readyCluster(lab)
      const { arrived, go } = hold()
      if (what === 'waits') await changeGroup(lab, id, 'default-master')
      await resize(lab, id, { group: 'default-worker', nodeCount: 500 })
      await arrived.passed
      const counts = countsAsked()
      await resize(lab, id, { group: 'default-worker', nodeCount: 3 })
      go.open()
      expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', queue: [], nodes: { nodeCount: 3 } })
      expect(counts).toEqual([3])
      expect(await groupNamed(lab, id, 'default-worker')).toMatchObject({ status: 'UPDATE_COMPLETE', reachedCount: 3 })
    },
  )

  it('keep their order when one that runs gives way: what waits for the group comes before what is asked for last', async () => {
    const id = await readyCluster(lab)
    const { arrived, go } = hold()
    await resize(lab, id, { group: 'default-worker', nodeCount: 500 })
    await arrived.passed
    await limit(lab, id, { group: 'default-worker', nodeCount: 5, least: 0 })
    await resize(lab, id, { group: 'default-worker', nodeCount: 3 })
    const { task, queue } = (await clusterOf(lab, id)) as Cluster
    expect([task, ...queue.map((it) => it.task)]).toMatchObject([
      { kind: 'node-group-update', nodeCount: 5 },
      { kind: 'resize', nodeCount: 3 },
    ])
    go.open()
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', queue: [], nodes: { nodeCount: 3 } })
    const group = await groupNamed(lab, id, 'default-worker')
    expect([group.nodeCount, group.reachedCount, group.nodeAddresses.length]).toEqual([3, 3, 3])
  })

  it('are dropped, with a word in the history, when their node group is gone by then', async () => {
    const id = await readyCluster(lab)
    const { id: group } = await createGroup(lab, id)
    await rested(lab, id)
    const { arrived, go } = hold()
    await deleteGroup(lab, id, 'pool')
    await arrived.passed
    await ask(lab, id, { kind: 'resize', nodeGroupId: group, nodeCount: 5, nodesToRemove: [] })
    await ask(lab, id, { kind: 'node-group-delete', nodeGroupId: group })
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    expect(waitingOf((await clusterOf(lab, id)) as Cluster)).toHaveLength(3)
    go.open()
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', statusReason: null })
    expect((await groupsOf(lab, id)).map(({ name }) => name)).toEqual(['default-master', 'default-worker'])
    const told = (await messages(lab, 'cluster', id)).find((it) => it.includes('dropped'))
    expect(told).toBe(
      `2 waiting changes dropped, since the node group is gone: resize of ${group}, node-group-delete of ${group}.`,
    )
  })
})

describe('a deletion of the cluster', () => {
  it('takes over from the task that runs, and nothing that waits is begun', async () => {
    const id = await readyCluster(lab)
    const { arrived, go } = hold()
    for (const nodeCount of [2, 3, 4]) await limit(lab, id, { group: 'default-worker', nodeCount })
    await arrived.passed
    const counts = countsAsked()
    await deleteCluster(lab, id)
    expect(await clusterOf(lab, id)).toMatchObject({ status: 'DELETE_IN_PROGRESS', queue: [], task: null })
    expect((await groupNamed(lab, id, 'default-worker')).status).toBe('DELETE_IN_PROGRESS')
    go.open()
    expect(await rested(lab, id)).toBe('gone')
    expect(await groupsOf(lab, id)).toEqual([])
    expect(counts).toEqual([])
  })
})

const running = async (id: string) => {
  const { operation } = (await clusterOf(lab, id)) as Cluster
  return { projectId: 'blue', entityId: id, operationId: operation?.id ?? '', attempt: 1 }
}

/** Runs the reconciler until nothing is in progress any more. */
const untilQuiet = () => until(async () => (await reconcile(lab.ports)).seen === 0)

describe('the next task', () => {
  it('is started by the reconciler when its launch was lost', async () => {
    const id = await readyCluster(lab)
    await limit(lab, id, { group: 'default-worker', nodeCount: 2, launched: false })
    await limit(lab, id, { group: 'default-worker', nodeCount: 3 })
    const target = await running(id)
    await endClusterUpdate(
      { ...lab.ports, executions: { ...lab.ports.executions, start: async () => undefined } },
      target,
    )
    expect(await clusterOf(lab, id)).toMatchObject({ status: 'UPDATE_IN_PROGRESS', task: { nodeCount: 3 }, queue: [] })
    expect(await reconcile(lab.ports)).toMatchObject({ seen: 1, started: 1 })
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 3 } })
  })

  it('is started by the end that is run again after a crash between commit and launch', async () => {
    const id = await readyCluster(lab)
    await limit(lab, id, { group: 'default-worker', nodeCount: 2, launched: false })
    await limit(lab, id, { group: 'default-worker', nodeCount: 3 })
    const target = await running(id)
    await endClusterUpdate(
      { ...lab.ports, executions: { ...lab.ports.executions, start: async () => undefined } },
      target,
    )
    await expect(endClusterUpdate(lab.ports, target)).rejects.toMatchObject({ name: 'OperationSuperseded' })
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 3 } })
  })

  it('begins once when two ends come at once', async () => {
    const id = await readyCluster(lab)
    await limit(lab, id, { group: 'default-worker', nodeCount: 2, launched: false })
    await limit(lab, id, { group: 'default-worker', nodeCount: 3 })
    await limit(lab, id, { group: 'default-worker', nodeCount: 4 })
    const counts = countsAsked()
    const target = await running(id)
    const failure = { reason: 'Late', message: 'Too late.' }
    const ends = await Promise.allSettled([
      endClusterUpdate(lab.ports, target),
      endClusterUpdateFailed(lab.ports, target, failure),
      endClusterUpdate(lab.ports, target),
    ])
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 4 } })
    expect(counts).toEqual([3, 4])
  })

  it('begins also when undo of the one before was given up', async () => {
    const id = await readyCluster(lab)
    const { operation: none } = (await clusterOf(lab, id)) as Cluster
    expect(none).toBeNull()
    lab.intercept = async ({ event }, run) => {
      const { operationId } = (event as { state: { operationId: string } }).state
      if (operationId === dying)
        throw Object.assign(new Error('out of memory'), { name: 'States.Runtime', isCatchable: false })
      return run()
    }
    await limit(lab, id, { group: 'default-worker', nodeCount: 2, launched: false })
    const dying = (await running(id)).operationId
    await createGroup(lab, id)
    await untilQuiet()
    expect(await clusterOf(lab, id)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: expect.stringMatching(/^Node group default-worker: ExecutionDied: /),
      nodes: { nodeCount: 3 },
    })
    expect((await groupsOf(lab, id)).map(({ status }) => status)).toEqual([
      'CREATE_COMPLETE',
      'UPDATE_FAILED',
      'CREATE_COMPLETE',
    ])
    expect((await lab.ports.stores.clusters.get(key(id)))?.queue).toEqual([])
  })
})

describe('what a replaced change has under way', () => {
  const CONNECTION: Connection = {
    server: 'https://127.0.0.1:9',
    caPem: null,
    tlsServerName: null,
    tlsVerify: true,
    credential: { kind: 'token', token: new Secret('t') },
  }

  it('changes nothing in a cluster any more (decision 0024)', async () => {
    const writes: unknown[] = []
    const apply: KubernetesClient['apply'] = async (_, object) => {
      writes.push(object.spec)
      return object
    }
    const own = await openFlowLab({ connect: () => ({ apply }) as KubernetesClient })
    try {
      const id = await readyCluster(own)
      const [arrived, go] = [gate(), gate()]
      const refused = Promise.withResolvers<unknown>()
      own.clusters.before = async ({ name }, { task, connect }) => {
        if (name !== 'ensure:resize' || task?.kind !== 'resize') return
        const client = connect(CONNECTION)
        if (task.nodeCount === 500) {
          arrived.open()
          await go.passed
        }
        const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: task.nodeCount }
        const written = client.apply({ group: '', version: 'v1', plural: 'xs' }, object)
        if (task.nodeCount === 500) written.then(refused.resolve, refused.resolve)
        await written
      }
      await resize(own, id, { group: 'default-worker', nodeCount: 500 })
      await arrived.passed
      await resize(own, id, { group: 'default-worker', nodeCount: 3 })
      expect(await rested(own, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 3 } })
      go.open()
      expect(await refused.promise).toBeInstanceOf(OperationSuperseded)
      expect(writes).toEqual([3])
    } finally {
      await own.dispose()
    }
  })
})
