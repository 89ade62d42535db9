import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { candidateFactsKey } from '../../functions/core/access/credentials.ts'
import type { Cluster } from '../../functions/core/cluster/cluster.ts'
import { endClusterCreateFailed } from '../../functions/core/cluster/cluster-create-end.ts'
import { createAgain } from '../../functions/core/cluster/create-again.ts'
import type { NodeGroup } from '../../functions/core/cluster/node-group.ts'
import { PlannedFailure } from '../../functions/drivers/contract/errors.ts'
import { storeCandidateResult } from '../../functions/flows/entities/cluster-results.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { createCluster, deleteCluster, key } from '../support/flows/actions.ts'
import {
  authoritiesOf,
  groupsOf,
  newTemplate,
  readyCluster,
  resize,
  rested,
  settledCluster,
  upgrade,
  usesOf,
  useTemplate,
} from '../support/flows/cluster-tasks.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, history } from '../support/flows/look.ts'
import { newGroup } from '../support/flows/node-groups.ts'
import { gate, until } from '../support/local/engine-lab.ts'

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab()
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

const statuses = async (id: string) => [...new Set((await groupsOf(lab, id)).map(({ status }) => status))]

const failAt = (phase: string) => {
  lab.clusters.before = ({ name }) => {
    if (name === `ensure:${phase}`) throw new PlannedFailure('The cloud has no room.')
  }
}

/** More node groups than one commit takes. */
const addGroups = async (id: string, count: number, labels: NodeGroup['labels'] = {}): Promise<void> => {
  const { nodeGroups, commit } = lab.ports.stores
  const cluster = (await clusterOf(lab, id)) as Cluster
  const groups = Array.from({ length: count }, (_, index) =>
    newGroup(cluster, { id: lab.ports.newId(), number: index + 4, name: `g${index}`, nodeCount: 0, labels }),
  )
  for (let at = 0; at < count; at += 20) {
    await commit(groups.slice(at, at + 20).map((group) => nodeGroups.insert(group)))
  }
}

describe('the create of a cluster', () => {
  it('that is begun again after it failed sets its node groups back', async () => {
    failAt('identify')
    const { id } = await createCluster(lab, 'again')
    expect(await rested(lab, id)).toMatchObject({ status: 'CREATE_FAILED' })
    expect(await statuses(id)).toEqual(['CREATE_FAILED'])
    lab.reset()
    const said = { reason: 'CameUp', message: 'It has come up.' }
    await createAgain(lab.ports, (await clusterOf(lab, id)) as Cluster, { said })
    expect(await rested(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', nodes: { nodeCount: 1, masterCount: 1 } })
    expect((await groupsOf(lab, id)).map(({ status, statusReason }) => [status, statusReason])).toEqual([
      ['CREATE_COMPLETE', null],
      ['CREATE_COMPLETE', null],
    ])
  })

  it('that another kubeconfig may repair says so, where the driver takes one', async () => {
    const [arrived, go] = [gate(), gate()]
    lab.clusters.before = async ({ name }) => {
      if (name !== 'ensure:provision') return
      arrived.open()
      await go.passed
    }
    const { id } = await createCluster(lab, 'refused')
    await arrived.passed
    const cluster = (await clusterOf(lab, id)) as Cluster
    const { id: operationId, attempt } = cluster.operation!
    const driver = lab.ports.drivers.cluster.resolve(cluster.driver)
    const taking = { ...driver, capabilities: { ...driver.capabilities, needsKubeconfig: true } }
    const drivers = { ...lab.ports.drivers, cluster: { ...lab.ports.drivers.cluster, resolve: () => taking } }
    await endClusterCreateFailed(
      { ...lab.ports, drivers },
      { projectId: 'blue', entityId: id, operationId, attempt },
      { reason: 'CredentialRejected', message: 'The cluster answered 401.' },
    )
    go.open()
    expect(await rested(lab, id)).toMatchObject({
      statusReason: `CredentialRejected: The cluster answered 401. PATCH /v1/clusters/${id} with replace /kubeconfig retries the registration.`,
    })
  })

  it('that takes longer than its create_timeout fails and says so', async () => {
    const [arrived, go] = [gate(), gate()]
    lab.clusters.before = async ({ name }) => {
      if (name !== 'ensure:provision') return
      arrived.open()
      await go.passed
    }
    const { id } = await createCluster(lab, 'late', { attributes: { createTimeout: 20 } })
    await arrived.passed
    expect(await reconcile(lab.ports)).toMatchObject({ undone: 0 })
    lab.clock.advance(1_300_000)
    await reconcile(lab.ports)
    expect(await rested(lab, id)).toMatchObject({
      status: 'CREATE_FAILED',
      statusReason: 'OperationTimedOut: The cluster was not ready within 20 minutes, its create_timeout.',
    })
    expect(await statuses(id)).toEqual(['CREATE_FAILED'])
    go.open()
  })
})

describe('the deletion of a cluster', () => {
  it('forgets more node groups than one commit takes, its authorities, its template and its place', async () => {
    const id = await settledCluster(lab)
    const template = await newTemplate(lab)
    await useTemplate(lab, id, template)
    await addGroups(id, 130)
    const { quotas } = lab.ports.stores
    const { freePlace } = quotas
    const freed: string[] = []
    quotas.freePlace = async (projectId) => {
      freed.push(projectId)
      await freePlace(projectId)
    }
    await deleteCluster(lab, id)
    expect(await rested(lab, id)).toBe('gone')
    // The cluster goes in one commit, the place after it.
    await until(() => freed.length > 0)
    quotas.freePlace = freePlace
    expect(freed).toEqual(['blue'])
    expect(await groupsOf(lab, id)).toEqual([])
    expect(await authoritiesOf(lab, id)).toEqual(Array.from({ length: 6 }, () => undefined))
    expect(await usesOf(lab, template)).toBe(0)
    expect((await history(lab, 'cluster', id)).at(-1)).toBe('delete success Deleted')
  })

  it('that fails is reported on all its node groups, of which none stays in progress, and can be asked for again', async () => {
    const id = await settledCluster(lab)
    await addGroups(id, 70)
    failAt('remove')
    await resize(lab, id, { group: 'pool', nodeCount: 5, launched: false })
    await deleteCluster(lab, id)
    expect(await rested(lab, id)).toMatchObject({ status: 'DELETE_FAILED', task: null, queue: [] })
    expect(await statuses(id)).toEqual(['DELETE_FAILED'])
    lab.reset()
    await deleteCluster(lab, id)
    expect(await rested(lab, id)).toBe('gone')
  })

  it('tells all node groups also when they are more bytes than one commit takes', async () => {
    const id = await readyCluster(lab)
    await addGroups(id, 45, { a: 'x'.repeat(120_000) })
    failAt('remove')
    await deleteCluster(lab, id)
    expect(await rested(lab, id)).toMatchObject({ status: 'DELETE_FAILED' })
    expect(await statuses(id)).toEqual(['DELETE_FAILED'])
    lab.reset()
    await deleteCluster(lab, id)
    expect(await rested(lab, id)).toBe('gone')
  })

  it('frees no place while the cluster is there', async () => {
    const { quotas } = lab.ports.stores
    await quotas.takePlace('blue', 1000)
    const id = await readyCluster(lab)
    failAt('remove')
    const { freePlace } = quotas
    let freed = 0
    quotas.freePlace = async () => void freed++
    await deleteCluster(lab, id)
    await rested(lab, id)
    quotas.freePlace = freePlace
    expect(freed).toBe(0)
    expect(await lab.ports.stores.clusters.get(key(id))).toMatchObject({ status: 'DELETE_FAILED' })
  })
})

describe('the upgrade of a cluster', () => {
  it('ends also when the labels of its node groups are more bytes than one commit takes', async () => {
    const id = await readyCluster(lab, { old: '1' })
    await useTemplate(lab, id, await newTemplate(lab, { old: '1' }))
    await addGroups(id, 45, { old: '1', a: 'x'.repeat(120_000) })
    const after = await newTemplate(lab, { old: '2' })
    await upgrade(lab, id, after)
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      magnum: { clusterTemplateId: after.id },
    })
  })

  it('leaves the labels of a node group that was made meanwhile, where they would be too large', async () => {
    const id = await readyCluster(lab, { old: '1' })
    await useTemplate(lab, id, await newTemplate(lab, { old: '1' }))
    await addGroups(id, 1, { old: '1', b: 'x' })
    await upgrade(lab, id, await newTemplate(lab, { old: '2', more: 'y'.repeat(10_000) }), { launched: false })
    await addGroups(id, 1, { old: '1', a: 'x'.repeat(10_000) })
    await reconcile(lab.ports)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', magnum: { labels: { old: '2' } } })
    const labels = (await groupsOf(lab, id)).map((group) => [group.labels.old, Object.keys(group.labels).toSorted()])
    expect(labels.slice(-2)).toEqual([
      ['2', ['b', 'more', 'old']],
      ['1', ['a', 'old']],
    ])
  })
})

describe('what an update found', () => {
  const endpoint = { server: 'https://b:6443', serverForPeers: null, caPem: null, tlsServerName: null, tlsVerify: true }
  const begun = async () => {
    const id = await readyCluster(lab)
    await resize(lab, id, { group: 'default-worker', nodeCount: 2, launched: false })
    const operationId = (await clusterOf(lab, id))?.operation?.id ?? ''
    return { id, target: { projectId: 'blue', entityId: id, operationId, attempt: 1 } }
  }
  const facts = (id: string) => lab.ports.stores.credentials.get(candidateFactsKey(key(id)))

  it('is not noted for a cluster that is deleted at the same moment: nobody would forget it', async () => {
    const { id, target } = await begun()
    const { credentials } = lab.ports.stores
    const seal: typeof credentials.seal = async (...of) => {
      if ((await clusterOf(lab, id)) !== undefined) {
        await deleteCluster(lab, id)
        await rested(lab, id)
      }
      return credentials.seal(...of)
    }
    const ports = { ...lab.ports, pollMs: 0, stores: { ...lab.ports.stores, credentials: { ...credentials, seal } } }
    await expect(storeCandidateResult(ports, target, { done: true, endpoint })).rejects.toMatchObject({
      name: 'OperationSuperseded',
    })
    expect(await facts(id)).toBeUndefined()
  })

  it('is noted once: the same again changes nothing', async () => {
    const { id, target } = await begun()
    const ports = { ...lab.ports, pollMs: 0 }
    await storeCandidateResult(ports, target, { done: false, endpoint })
    const { revision } = (await clusterOf(lab, id)) as Cluster
    await storeCandidateResult(ports, target, { done: true, endpoint })
    expect((await clusterOf(lab, id))?.revision).toBe(revision)
    expect(JSON.parse((await facts(id))?.reveal() ?? '')).toEqual({ endpoint })
  })
})
