import { expect, it } from 'vitest'
import { managementClients } from '../../../functions/core/access/management-access.ts'
import { clusterContext, storedGroups } from '../../../functions/core/cluster/cluster-context.ts'
import type { ClusterTask } from '../../../functions/core/cluster/cluster-task.ts'
import type { Ports } from '../../../functions/core/ports.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { newGroup } from '../../support/flows/node-groups.ts'
import { sampleCluster } from '../../support/store/samples.ts'

const cluster = sampleCluster({
  magnum: { ...sampleCluster().magnum, clusterTemplateId: 'old', templateProjectId: 'blue' },
})

/** Stores that answer with the key, as far as a context reads them. */
const portsOf = (makesNodes: boolean): Ports =>
  ({
    clock: { now: () => new Date(0) },
    drivers: { cluster: { resolve: () => ({ capabilities: { makesNodes } }) } },
    stores: {
      templates: { get: async (key: object) => key },
      credentials: { get: async ({ purpose }: { purpose: string }) => new Secret(purpose) },
      nodeGroups: { listOf: async () => [newGroup(cluster, {})] },
      certificates: {
        open: async ({ candidate }: { candidate: boolean }) => ({
          certificatePem: candidate ? 'new' : 'old',
          privateKey: new Secret('key'),
        }),
      },
    },
  }) as unknown as Ports

const contextOf = (task: ClusterTask | null, { undoing = false, makesNodes = true } = {}) =>
  clusterContext(portsOf(makesNodes), cluster, {
    nodeGroups: [newGroup(cluster, { id: 'g', nodeCount: 5, reachedCount: 2 })],
    task,
    undoing,
    credential: async () => undefined,
    claimIdentity: async () => undefined,
    clients: managementClients(portsOf(makesNodes)),
  })

const UPGRADE: ClusterTask = {
  kind: 'upgrade',
  templateId: 'new',
  templateProjectId: 'red',
  nodeGroupId: null,
  maxBatchSize: 1,
}
const ROTATION: ClusterTask = { kind: 'rotate-authority' }

it('gives the template of the upgrade, and the old one while that is undone', async () => {
  expect(await contextOf(UPGRADE).template()).toEqual({ id: 'new', projectId: 'red' })
  expect(await contextOf(UPGRADE, { undoing: true }).template()).toEqual({ id: 'old', projectId: 'blue' })
  expect(await contextOf(null).template()).toEqual({ id: 'old', projectId: 'blue' })
})

it('gives the new authority during its rotation, and the old one while that is undone', async () => {
  expect((await contextOf(ROTATION).authority('etcd'))?.certificatePem).toBe('new')
  expect((await contextOf(ROTATION, { undoing: true }).authority('etcd'))?.certificatePem).toBe('old')
  expect((await contextOf(UPGRADE).authority('etcd'))?.certificatePem).toBe('old')
})

it('gives the count that was reached while a task is undone', () => {
  const task: ClusterTask = { kind: 'resize', nodeGroupId: 'g', nodeCount: 5, nodesToRemove: [] }
  expect(contextOf(task).nodeGroups[0]?.nodeCount).toBe(5)
  expect(contextOf(task, { undoing: true }).nodeGroups[0]?.nodeCount).toBe(2)
})

it('reads neither template nor node groups for drivers that make no nodes', async () => {
  expect(await contextOf(null, { makesNodes: false }).template()).toBeNull()
  expect(await storedGroups(portsOf(false), cluster)).toEqual([])
  expect(await storedGroups(portsOf(true), cluster)).toHaveLength(1)
})

it('gives the new credential for the cloud during its rotation, and the old one while that is undone', async () => {
  const task: ClusterTask = { kind: 'rotate-credential' }
  expect((await contextOf(task).cloudCredential())?.reveal()).toBe('cloud-candidate')
  expect((await contextOf(task, { undoing: true }).cloudCredential())?.reveal()).toBe('cloud')
  expect((await contextOf(null).cloudCredential())?.reveal()).toBe('cloud')
})
