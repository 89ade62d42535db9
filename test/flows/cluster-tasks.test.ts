import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Cluster } from '../../functions/core/cluster/cluster.ts'
import type { ClusterTask } from '../../functions/core/cluster/cluster-task.ts'
import { giveUp } from '../../functions/core/operation/give-up.ts'
import type { ClusterContext } from '../../functions/drivers/contract/cluster-driver.ts'
import { PlannedFailure } from '../../functions/drivers/contract/errors.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { deleteCluster } from '../support/flows/actions.ts'
import {
  ask,
  authoritiesOf,
  changeGroup,
  createGroup,
  deleteGroup,
  groupNamed,
  groupsOf,
  newTemplate,
  readyCluster,
  resize,
  rested,
  sealAuthorities,
  upgrade,
  usesOf,
} from '../support/flows/cluster-tasks.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, history, messages } from '../support/flows/look.ts'
import { gate } from '../support/local/engine-lab.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const failing = () => {
  lab.clusters.before = ({ name }) => {
    if (name.startsWith('ensure:')) throw new PlannedFailure('The cloud has no room.')
  }
}
const WHY = 'PlannedFailure: The cloud has no room.'

/** What drivers were given, by the name of the call. */
const contexts = (): Map<string, ClusterContext> => {
  const seen = new Map<string, ClusterContext>()
  lab.clusters.before = ({ name }, context) => void seen.set(name, context)
  return seen
}

describe('a new cluster', () => {
  it('has its node groups as they were made, and their sums', async () => {
    const id = await readyCluster(lab)
    const groups = await groupsOf(lab, id)
    expect(groups).toMatchObject([
      { name: 'default-master', status: 'CREATE_COMPLETE', reachedCount: 1, nodeAddresses: [expect.any(String)] },
      { name: 'default-worker', status: 'CREATE_COMPLETE', reachedCount: 1, version: expect.any(String) },
    ])
    expect((await clusterOf(lab, id))?.nodes).toEqual({
      nodeCount: 1,
      masterCount: 1,
      nodeAddresses: groups[1]?.nodeAddresses,
      masterAddresses: groups[0]?.nodeAddresses,
    })
  })

  it('that fails says why on its node groups', async () => {
    failing()
    const id = await readyCluster(lab)
    expect(await clusterOf(lab, id)).toMatchObject({ status: 'CREATE_FAILED', statusReason: WHY })
    expect((await groupsOf(lab, id)).map(({ status, statusReason }) => [status, statusReason])).toEqual([
      ['CREATE_FAILED', WHY],
      ['CREATE_FAILED', WHY],
    ])
  })
})

describe('resize', () => {
  it('ends with the nodes that were asked for', async () => {
    const id = await readyCluster(lab)
    await resize(lab, id, { group: 'default-worker', nodeCount: 3 })
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      statusReason: null,
      task: null,
      nodes: { nodeCount: 3, masterCount: 1 },
    })
    const group = await groupNamed(lab, id, 'default-worker')
    expect(group).toMatchObject({ status: 'UPDATE_COMPLETE', nodeCount: 3, reachedCount: 3 })
    expect(group.nodeAddresses).toHaveLength(3)
    expect((await clusterOf(lab, id))?.nodes?.nodeAddresses).toEqual(group.nodeAddresses)
    expect((await messages(lab, 'cluster', id)).at(-1)).toContain('resize of node group default-worker to 3 nodes')
  })

  it('shows the count that came out when it is another', async () => {
    const id = await readyCluster(lab)
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    await rested(lab, id)
    const goes = (await groupNamed(lab, id, 'default-worker')).nodeAddresses.slice(-1)
    await resize(lab, id, { group: 'default-worker', nodeCount: 1 })
    await rested(lab, id)
    await resize(lab, id, { group: 'default-worker', nodeCount: 0, nodesToRemove: goes })
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 1 } })
    expect(await groupNamed(lab, id, 'default-worker')).toMatchObject({ nodeCount: 1, reachedCount: 1 })
  })

  it('that fails puts the count back and names the group; the next one that succeeds clears that', async () => {
    const id = await readyCluster(lab)
    failing()
    await resize(lab, id, { group: 'default-worker', nodeCount: 3 })
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: `Node group default-worker: ${WHY}`,
      nodes: { nodeCount: 1 },
    })
    expect(await groupNamed(lab, id, 'default-worker')).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: WHY,
      nodeCount: 1,
      reachedCount: 1,
    })
    lab.reset()
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', statusReason: null })
    expect(await groupNamed(lab, id, 'default-worker')).toMatchObject({ status: 'UPDATE_COMPLETE', statusReason: null })
  })
})

describe('node groups', () => {
  it('come, change and go', async () => {
    const id = await readyCluster(lab)
    await createGroup(lab, id)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 3 } })
    expect(await groupNamed(lab, id, 'pool')).toMatchObject({ status: 'CREATE_COMPLETE', reachedCount: 2 })
    await changeGroup(lab, id, 'pool')
    await rested(lab, id)
    expect(await groupNamed(lab, id, 'pool')).toMatchObject({ status: 'UPDATE_COMPLETE', nodeCount: 2 })
    await deleteGroup(lab, id, 'pool')
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 1 } })
    expect(await groupsOf(lab, id)).toHaveLength(2)
  })

  it('that could not be made are CREATE_FAILED without nodes, and keep the cluster failed until they are gone', async () => {
    const id = await readyCluster(lab)
    failing()
    await createGroup(lab, id)
    await rested(lab, id)
    lab.reset()
    expect(await groupNamed(lab, id, 'pool')).toMatchObject({
      status: 'CREATE_FAILED',
      nodeCount: 0,
      statusReason: WHY,
    })
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', statusReason: `Node group pool: ${WHY}` })
    await deleteGroup(lab, id, 'pool')
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', statusReason: null })
  })

  it('whose deletion failed can be deleted again', async () => {
    const id = await readyCluster(lab)
    await createGroup(lab, id)
    await rested(lab, id)
    failing()
    await deleteGroup(lab, id, 'pool')
    await rested(lab, id)
    lab.reset()
    expect(await groupNamed(lab, id, 'pool')).toMatchObject({ status: 'DELETE_FAILED', nodeCount: 2 })
    await deleteGroup(lab, id, 'pool')
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE' })
    expect(await groupsOf(lab, id)).toHaveLength(2)
  })

  it('that could not be changed say so', async () => {
    const id = await readyCluster(lab)
    failing()
    await changeGroup(lab, id, 'default-worker')
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_FAILED' })
    expect(await groupNamed(lab, id, 'default-worker')).toMatchObject({ status: 'UPDATE_FAILED', nodeCount: 1 })
  })
})

const upgradeTo = ({ id, projectId }: { id: string; projectId: string }, nodeGroupId: string | null): ClusterTask => ({
  kind: 'upgrade',
  templateId: id,
  templateProjectId: projectId,
  nodeGroupId,
  maxBatchSize: 1,
})

describe('upgrade', () => {
  const prepared = async () => {
    const before = await newTemplate(lab, { kube_tag: 'v1.36.0' }, 'old-image')
    const id = await readyCluster(lab, { own: 'label' }, before)
    return { id, before, after: await newTemplate(lab, { kube_tag: 'v1.36.1' }) }
  }

  it('moves the cluster with its default groups to the new template', async () => {
    const { id, before, after } = await prepared()
    await createGroup(lab, id)
    await rested(lab, id)
    const seen = contexts()
    await upgrade(lab, id, after)
    const cluster = (await rested(lab, id)) as Cluster
    expect(cluster).toMatchObject({
      status: 'UPDATE_COMPLETE',
      magnum: { clusterTemplateId: after.id, templateProjectId: 'blue', templateLabels: { kube_tag: 'v1.36.1' } },
    })
    expect(cluster.magnum.labels).toEqual({ own: 'label' })
    expect([await usesOf(lab, before), await usesOf(lab, after)]).toEqual([0, 1])
    expect((await groupsOf(lab, id)).map(({ status, imageId }) => [status, imageId])).toEqual([
      ['UPDATE_COMPLETE', 'new-image'],
      ['UPDATE_COMPLETE', 'new-image'],
      ['CREATE_COMPLETE', 'old-image'],
    ])
    expect((await groupNamed(lab, id, 'default-worker')).version).toBe('v1.36.1')
    expect((await seen.get('ensure:upgrade')?.template())?.id).toBe(after.id)
  })

  it('lets labels follow that the cluster and its groups have of the template, and keeps those that were given', async () => {
    const template = await newTemplate(lab, { kube_tag: 'v1.36.0' })
    const id = await readyCluster(lab, { kube_tag: 'v1.36.0', own: 'label' }, template)
    await createGroup(lab, id, { labels: { labels: { kube_tag: 'v1.36.0', own: 'other' } } })
    await rested(lab, id)
    await upgrade(lab, id, await newTemplate(lab, { kube_tag: 'v1.36.1', more: 'new' }))
    const labels = { kube_tag: 'v1.36.1', more: 'new', own: 'label' }
    expect(await rested(lab, id)).toHaveProperty('magnum.labels', labels)
    expect((await groupNamed(lab, id, 'pool')).labels).toEqual({ ...labels, own: 'other' })
  })

  it('moves one group to the template that the cluster has', async () => {
    const { id, before } = await prepared()
    await createGroup(lab, id, { imageId: 'other-image' })
    await rested(lab, id)
    await upgrade(lab, id, before, { group: 'pool' })
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', magnum: { clusterTemplateId: before.id } })
    expect(await usesOf(lab, before)).toBe(1)
    expect((await groupsOf(lab, id)).map(({ imageId }) => imageId)).toEqual(['old-image', 'old-image', 'old-image'])
  })

  it('that runs gives way to another one, and its template is free then (decision 0024)', async () => {
    const { id, before, after } = await prepared()
    const third = await newTemplate(lab)
    const [arrived, go] = [gate(), gate()]
    lab.clusters.before = async () => {
      arrived.open()
      await go.passed
    }
    await upgrade(lab, id, after)
    await arrived.passed
    await upgrade(lab, id, third)
    expect([await usesOf(lab, before), await usesOf(lab, after), await usesOf(lab, third)]).toEqual([1, 0, 1])
    go.open()
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      magnum: { clusterTemplateId: third.id },
      queue: [],
    })
    expect((await history(lab, 'cluster', id)).filter((it) => it.startsWith('update success'))).toEqual([
      'update success ClusterHealthy',
      'update success Updated',
    ])
  })

  it('that fails leaves the cluster on its template and says why on the default groups', async () => {
    const { id, before, after } = await prepared()
    failing()
    await upgrade(lab, id, after)
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: `Node groups default-master, default-worker: ${WHY}`,
      magnum: { clusterTemplateId: before.id },
    })
    expect([await usesOf(lab, before), await usesOf(lab, after)]).toEqual([1, 0])
  })

  it('that fails is noted, with why, until another one succeeds: no other change is the way on', async () => {
    const { id, after } = await prepared()
    failing()
    await upgrade(lab, id, after)
    await rested(lab, id)
    lab.reset()
    await changeGroup(lab, id, 'default-master')
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: `Node groups default-master, default-worker: ${WHY}`,
    })
    expect(await groupNamed(lab, id, 'default-worker')).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: WHY,
      failedTask: 'upgrade',
      nodeCount: 2,
      reachedCount: 2,
    })
    await upgrade(lab, id, after)
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      statusReason: null,
      magnum: { clusterTemplateId: after.id },
    })
    expect((await groupNamed(lab, id, 'default-worker')).failedTask).toBeNull()
  })

  it('that fails is noted also on groups whose next change waits, and on those whose next change fails', async () => {
    const { id, after } = await prepared()
    failing()
    await upgrade(lab, id, after)
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    await changeGroup(lab, id, 'default-master')
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_FAILED' })
    expect((await groupsOf(lab, id)).map(({ failedTask }) => failedTask)).toEqual(['upgrade', 'upgrade'])
    lab.reset()
    await resize(lab, id, { group: 'default-worker', nodeCount: 2 })
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_FAILED' })
    await upgrade(lab, id, after)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', magnum: { clusterTemplateId: after.id } })
  })

  it('counts as a use of the new template while it runs, so that nobody deletes or changes that', async () => {
    const { id, before, after } = await prepared()
    const { templates, commit } = lab.ports.stores
    const seen: unknown[] = []
    lab.clusters.before = async ({ name }) => {
      if (name !== 'ensure:upgrade') return
      const told = await Promise.allSettled([
        commit([templates.remove(after)]),
        commit([templates.change(after, { tags: 'x' }, { unlessUsed: true })]),
      ])
      seen.push(
        await usesOf(lab, before),
        await usesOf(lab, after),
        ...told.map((it) => 'reason' in it && it.reason.name),
      )
    }
    await upgrade(lab, id, after)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE' })
    expect(seen).toEqual([1, 1, 'TemplateInUse', 'TemplateInUse'])
    expect([await usesOf(lab, before), await usesOf(lab, after)]).toEqual([0, 1])
  })

  it('to a template that is deleted is refused and leaves all counts alone', async () => {
    const { id, before, after } = await prepared()
    const { templates, commit } = lab.ports.stores
    await commit([templates.remove(after)])
    await expect(upgrade(lab, id, after)).rejects.toMatchObject({ name: 'ObjectNotVisible' })
    // Deleted just before the commit.
    await expect(ask(lab, id, upgradeTo(after, null))).rejects.toMatchObject({ name: 'TemplateGone' })
    expect(await clusterOf(lab, id)).toMatchObject({ task: null, operation: null })
    expect(await usesOf(lab, before)).toBe(1)
  })

  it('that waits counts as a use too, and gives it back when the cluster is deleted instead', async () => {
    const { id, before, after } = await prepared()
    const other = await newTemplate(lab)
    await resize(lab, id, { group: 'default-worker', nodeCount: 2, launched: false })
    for (const template of [after, other, after]) await ask(lab, id, upgradeTo(template, null))
    const all = [before, after, other]
    const uses = () => Promise.all(all.map((template) => usesOf(lab, template)))
    expect(await uses()).toEqual([1, 1, 1])
    await deleteCluster(lab, id)
    expect(await uses()).toEqual([1, 0, 0])
    expect(await rested(lab, id)).toBe('gone')
    expect(await uses()).toEqual([0, 0, 0])
  })

  it('that runs gives its use back when the cluster is deleted meanwhile', async () => {
    const { id, before, after } = await prepared()
    await upgrade(lab, id, after, { launched: false })
    expect(await usesOf(lab, after)).toBe(1)
    await deleteCluster(lab, id)
    expect(await rested(lab, id)).toBe('gone')
    expect([await usesOf(lab, before), await usesOf(lab, after)]).toEqual([0, 0])
  })

  it('several that wait end with one use, that of the last', async () => {
    const { id, before, after } = await prepared()
    const other = await newTemplate(lab)
    await upgrade(lab, id, after, { launched: false })
    for (const template of [other, before, other]) await ask(lab, id, upgradeTo(template, null))
    await reconcile(lab.ports)
    expect(await rested(lab, id)).toMatchObject({ magnum: { clusterTemplateId: other.id } })
    expect(await Promise.all([before, after, other].map((it) => usesOf(lab, it)))).toEqual([0, 0, 1])
  })

  it('that the reconciler gives up gives its use back', async () => {
    const { id, before, after } = await prepared()
    await upgrade(lab, id, after, { launched: false })
    const { operation } = (await clusterOf(lab, id)) as Cluster
    if (operation === null) throw new Error('nothing runs')
    const running = { flow: 'cluster-update', projectId: 'blue', entityId: id, operation } as const
    const failure = { reason: 'ExecutionDied', message: 'It died.' }
    await giveUp(lab.ports, running, failure)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_FAILED' })
    expect([await usesOf(lab, before), await usesOf(lab, after)]).toEqual([1, 0])
  })
})

describe('rotate-authority', () => {
  const rotate = async (id: string) =>
    ask(lab, id, { kind: 'rotate-authority' }, { writes: await sealAuthorities(lab, id, 'new', true) })
  const prepared = async () => {
    const id = await readyCluster(lab)
    await lab.ports.stores.commit(await sealAuthorities(lab, id, 'old', false))
    return id
  }

  it('puts the new authorities in the place of the old ones, with the endpoint that trusts them', async () => {
    const id = await prepared()
    const seen = contexts()
    await rotate(id)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', endpoint: { caPem: 'new' } })
    expect(await authoritiesOf(lab, id)).toEqual(['new', 'new', 'new', undefined, undefined, undefined])
    expect(await seen.get('ensure:rotate-authority')?.authority('etcd')).toMatchObject({ certificatePem: 'new' })
    const kept = await lab.ports.stores.certificates.open({
      projectId: 'blue',
      clusterId: id,
      type: 'front-proxy',
      candidate: false,
    })
    expect(kept?.privateKey.reveal()).toBe('new key')
  })

  it('that fails drops the new ones', async () => {
    const id = await prepared()
    failing()
    await rotate(id)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_FAILED', statusReason: WHY })
    expect(await authoritiesOf(lab, id)).toEqual(['old', 'old', 'old', undefined, undefined, undefined])
    expect((await groupsOf(lab, id)).map(({ status }) => status)).toEqual(['CREATE_COMPLETE', 'CREATE_COMPLETE'])
  })
})

describe('a task that the driver has no plan for', () => {
  it('fails without calling the driver', async () => {
    const id = await readyCluster(lab)
    lab.reset()
    await ask(lab, id, { kind: 'rotate-credential' })
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason:
        'TaskNotSupported: Driver memory@1 has no plan for the task rotate-credential; nothing was changed.',
    })
    expect(lab.clusters.calls).toEqual([])
    expect((await history(lab, 'cluster', id)).at(-1)).toBe('update failure TaskNotSupported')
  })
})

/** Notes reads of these kinds until the returned function is called, which gives them. */
const noteReads = (): (() => string[]) => {
  const { templates, certificates, nodeGroups } = lab.ports.stores
  const before = { get: templates.get, open: certificates.open, listOf: nodeGroups.listOf }
  const reads: string[] = []
  const noted =
    <A, R>(what: string, read: (it: A) => R) =>
    (it: A): R => {
      reads.push(what)
      return read(it)
    }
  templates.get = noted('template', before.get)
  certificates.open = noted('authority', before.open)
  nodeGroups.listOf = noted('groups', before.listOf)
  return () => {
    templates.get = before.get
    certificates.open = before.open
    nodeGroups.listOf = before.listOf
    return reads
  }
}

describe('a driver', () => {
  it('costs one read of the node groups before it is called, and no other', async () => {
    const id = await readyCluster(lab)
    const readsBefore: string[][] = []
    lab.intercept = ({ step }, run) => {
      if (step !== 'RunPhase') return run()
      const reads = noteReads()
      lab.clusters.before = () => void readsBefore.push(reads())
      return run()
    }
    await resize(lab, id, { group: 'default-worker', nodeCount: 4 })
    await rested(lab, id)
    expect(readsBefore).toEqual([['groups']])
  })

  it('is given the task, and the groups and the template of the cluster', async () => {
    const template = await newTemplate(lab)
    const id = await readyCluster(lab, {}, template)
    const seen = contexts()
    await resize(lab, id, { group: 'default-worker', nodeCount: 4 })
    await rested(lab, id)
    const context = seen.get('ensure:resize')
    expect(context?.task).toMatchObject({ kind: 'resize', nodeCount: 4 })
    expect(context?.nodeGroups.map(({ name, nodeCount }) => [name, nodeCount])).toEqual([
      ['default-master', 1],
      ['default-worker', 4],
    ])
    expect((await context?.template())?.id).toBe(template.id)
    expect((await context?.authority('kubernetes'))?.certificatePem).toContain('BEGIN CERTIFICATE')
  })
})
