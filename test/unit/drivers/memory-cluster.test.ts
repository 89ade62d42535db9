import { beforeEach, describe, expect, it } from 'vitest'
import { nodesOf } from '../../../functions/core/cluster/node-group.ts'
import { shortId } from '../../../functions/core/values/ids.ts'
import { memoryClusterDriver } from '../../../functions/drivers/cluster/memory/v1/index.ts'
import { MemoryClusters } from '../../../functions/drivers/cluster/memory/v1/observe.ts'
import type { ClusterPhase, ClusterStepResult } from '../../../functions/drivers/contract/cluster-driver.ts'
import { type ClusterLab, ClusterLife } from '../../support/drivers/cluster-life.ts'
import { templateEntity } from '../../support/drivers/cluster-samples.ts'
import { connect } from '../../support/drivers/test-cluster.ts'
import { sampleOperation } from '../../support/store/samples.ts'

/** What DynamoDB takes in one item. */
const ITEM_BYTES_MAX = 400 * 1024

const world = new MemoryClusters()
const driver = memoryClusterDriver({ world })
let seconds = 0
beforeEach(() => {
  seconds = 0
  world.before = undefined
})

const lab = (version?: string): ClusterLab => {
  const template = templateEntity(version === undefined ? {} : { kube_tag: version })
  return {
    credential: async () => undefined,
    connect,
    secrets: [],
    stop: async () => undefined,
    making: { template, newer: template, faulty: [], authority: async () => undefined },
  }
}

const newLife = (labels: Record<string, string> = {}, version?: string): ClusterLife =>
  new ClusterLife(driver, lab(version), { labels, now: () => new Date(Date.UTC(2026, 10, 28) + seconds * 1000) })

const livingWith = async (labels: Record<string, string> = {}, version?: string): Promise<ClusterLife> => {
  const life = newLife(labels, version)
  await life.create()
  return life
}

/** Takes a cluster through a phase that waits, and tells after how many seconds it was done. */
const secondsUntilDone = async (run: () => Promise<void>): Promise<number> => {
  const begin = seconds
  world.before = ({ name }) => {
    if (name !== 'ensure:identify') seconds += 1
  }
  await run()
  return seconds - begin
}

describe('delays', () => {
  it.each([
    ['memory-delay-seconds', (life: ClusterLife) => life.create()],
    ['memory-update-delay-seconds', (life: ClusterLife) => life.resize('default-worker', 2)],
    ['memory-delete-delay-seconds', (life: ClusterLife) => life.delete()],
  ])('%s holds its operation up', async (label, run) => {
    const life = newLife({ [label]: '2' })
    expect(await secondsUntilDone(() => run(life))).toBe(3)
    const waits = life.results.filter(({ done }) => !done)
    expect(waits).toHaveLength(2)
    for (const { waitingFor } of waits) expect(waitingFor).toMatch(/^the simulated [a-z-]+ to take its 2 s$/)
  })

  it('holds each resize up anew', async () => {
    const life = await livingWith({ 'memory-update-delay-seconds': '2' })
    expect(await secondsUntilDone(() => life.resize('default-worker', 2))).toBe(3)
    expect(await secondsUntilDone(() => life.resize('default-worker', 3))).toBe(3)
  })

  it('goes on with the wait of a process that died', async () => {
    const life = newLife({ 'memory-delay-seconds': '3' })
    const [provision] = driver.phases.create as [ClusterPhase]
    life.cluster = { ...life.cluster, operation: sampleOperation('create') }
    const first = await provision.ensure(life.context())
    seconds = 2
    expect(await provision.ensure(life.context())).toMatchObject({ done: false, state: expect.anything() })
    life.cluster = { ...life.cluster, driverState: { ...first.state } }
    expect(await provision.ensure(life.context())).toEqual({ done: false, waitingFor: expect.any(String) })
    seconds = 3
    expect(await provision.ensure(life.context())).toMatchObject({ done: true })
  })
})

describe('failures', () => {
  it.each([
    ['provision', (life: ClusterLife) => life.create()],
    ['identify', (life: ClusterLife) => life.create()],
    ['resize', (life: ClusterLife) => life.resize('default-worker', 2)],
    ['node-group-create', (life: ClusterLife) => life.addGroup('gpu')],
    ['node-group-update', (life: ClusterLife) => life.updateGroup('default-worker', null)],
    ['node-group-delete', (life: ClusterLife) => life.removeGroup('default-worker')],
    ['upgrade', (life: ClusterLife) => life.upgrade(templateEntity())],
    ['rotate-authority', (life: ClusterLife) => life.rotateAuthority()],
    ['rotate-credential', (life: ClusterLife) => life.perform({ kind: 'rotate-credential' })],
    ['remove', (life: ClusterLife) => life.delete()],
  ])('memory-fail-phase = %s fails there', async (phase, run) => {
    const life = newLife({ 'memory-fail-phase': phase })
    await expect(run(life)).rejects.toMatchObject({
      name: 'PlannedFailure',
      retryable: false,
      message: `memory@1 was asked to fail at ${phase}, by the label memory-fail-phase of cluster paris.`,
    })
    expect(driver.check(newLife({ 'memory-fail-phase': phase }).plan())).toEqual([])
  })

  it('memory-fail = true of a node group fails its tasks, and no other', async () => {
    const life = await livingWith()
    await expect(life.addGroup('bad', { labels: { 'memory-fail': 'True' } })).rejects.toMatchObject({
      message: 'memory@1 was asked to fail at node-group-create, by the label memory-fail of node group bad.',
    })
    await life.addGroup('good')
    await life.resize('default-worker', 2)
    await life.upgrade(templateEntity())
    await expect(life.upgrade(templateEntity(), 'bad')).rejects.toMatchObject({ name: 'PlannedFailure' })
  })

  it('memory-fail = node-group-delete fails that task only', async () => {
    const life = await livingWith()
    await life.addGroup('sticky', { labels: { 'memory-fail': 'node-group-delete' } })
    await life.resize('sticky', 3)
    await expect(life.removeGroup('sticky')).rejects.toMatchObject({ name: 'PlannedFailure' })
  })

  it('a failed create is taken back', async () => {
    const life = newLife({ 'memory-fail-phase': 'identify' })
    await expect(life.create()).rejects.toMatchObject({ name: 'PlannedFailure' })
    expect(world.up.has(life.cluster.id)).toBe(true)
    const undone = (await driver.phases.create[0]?.undo?.(life.context())) as ClusterStepResult
    expect(world.up.has(life.cluster.id)).toBe(false)
    expect(new Set(Object.values(undone.state ?? {}))).toEqual(new Set([null]))
    expect(Object.keys(undone.state ?? {})).toHaveLength(3)
    expect(undone.nodeGroups?.map(({ nodeAddresses }) => nodeAddresses)).toEqual([[], []])
  })
})

describe('nodes', () => {
  const namesOf = async (life: ClusterLife): Promise<string[]> =>
    Object.keys((await driver.observe(life.context())).healthReason)
      .filter((key) => key.endsWith('.Ready'))
      .map((key) => key.replace(/\.Ready$/, '').replace(shortId(life.cluster.id), 'c'))

  it('have a name and an address of their own', async () => {
    const life = await livingWith()
    await life.resize('default-worker', 3)
    expect(await namesOf(life)).toEqual([
      'c-default-master-1',
      'c-default-worker-1',
      'c-default-worker-2',
      'c-default-worker-3',
    ])
    expect(life.nodeGroups.map(({ nodeAddresses }) => nodeAddresses)).toEqual([
      ['10.0.64.1'],
      ['10.0.128.1', '10.0.128.2', '10.0.128.3'],
    ])
  })

  it('go youngest first, and no number comes back', async () => {
    const life = await livingWith()
    await life.resize('default-worker', 3)
    await life.resize('default-worker', 1)
    await life.resize('default-worker', 2)
    expect(await namesOf(life)).toEqual(['c-default-master-1', 'c-default-worker-1', 'c-default-worker-4'])
  })

  it('go by name as well as by address', async () => {
    const life = await livingWith()
    await life.resize('default-worker', 3)
    await life.resize('default-worker', 1, [`${shortId(life.cluster.id)}-default-worker-1`, '10.0.128.3'])
    expect(await namesOf(life)).toEqual(['c-default-master-1', 'c-default-worker-2'])
  })

  it('stay as they are when only limits change, also while a resize waits', async () => {
    const life = await livingWith()
    life.nodeGroups = life.nodeGroups.map((group) => ({ ...group, nodeCount: 5 }))
    await life.updateGroup('default-worker', null)
    expect(await namesOf(life)).toEqual(['c-default-master-1', 'c-default-worker-1'])
    expect(life.group('default-worker').nodeCount).toBe(5)
  })

  it('leave nothing behind of a group that went', async () => {
    const life = await livingWith()
    const before = life.cluster.driverState
    await life.addGroup('extra')
    await life.removeGroup('extra')
    expect(life.cluster.driverState).toEqual(before)
  })

  it('are named in the health of a cluster 50 at most, and counted all', async () => {
    const life = await livingWith()
    await life.resize('default-worker', 120)
    expect(await namesOf(life)).toHaveLength(50)
    expect(await driver.observe(life.context())).toMatchObject({ nodeCount: 120, masterCount: 1 })
  })

  it('fit into an item when there are 1000, with gaps everywhere', async () => {
    const life = await livingWith()
    await life.addGroup('many', { nodeCount: 998 })
    const everyOther = life.group('many').nodeAddresses.filter((_, index) => index % 2 === 0)
    await life.resize('many', 998, everyOther)
    expect(new Set(life.nodeGroups.flatMap(({ nodeAddresses }) => nodeAddresses)).size).toBe(1000)
    const item = JSON.stringify({ ...life.cluster, nodes: nodesOf(life.nodeGroups) })
    expect(Buffer.byteLength(item)).toBeLessThan(ITEM_BYTES_MAX / 8)
    expect(Buffer.byteLength(JSON.stringify(life.group('many')))).toBeLessThan(ITEM_BYTES_MAX / 8)
  })

  it('keep addresses of their own when numbers outgrow the room for them', async () => {
    const life = await livingWith()
    const [key] = Object.keys(life.cluster.driverState).filter((name) =>
      name.endsWith(shortId(life.group('default-worker').id)),
    )
    life.cluster = {
      ...life.cluster,
      driverState: { ...life.cluster.driverState, [key ?? '']: { next: 16_385, runs: [[1, 1]] } },
    }
    await life.resize('default-worker', 3)
    expect(await namesOf(life)).toEqual([
      'c-default-master-1',
      'c-default-worker-1',
      'c-default-worker-16386',
      'c-default-worker-16387',
    ])
    expect(life.group('default-worker').nodeAddresses).toEqual(['10.0.128.1', '10.0.128.2', '10.0.128.3'])
  })
})

describe('versions', () => {
  const upgraded = async (from: string, to: string, name?: string): Promise<ClusterLife> => {
    const life = await livingWith({}, from)
    await life.upgrade(templateEntity({ kube_tag: to }), name)
    return life
  }

  it.each([
    [{}, undefined, 'v1.36.0'],
    [{}, 'v1.34.1', 'v1.34.1'],
    [{ kube_tag: '1.33.0' }, 'v1.34.1', 'v1.33.0'],
    [{ kube_tag: 'newest' }, 'v1.34.1', 'v1.34.1'],
  ])('of a cluster with labels %j and the template %s is %s', async (labels, template, version) => {
    const { cluster, nodeGroups } = await livingWith(labels as Record<string, string>, template)
    expect([cluster.observation?.version, ...nodeGroups.map((group) => group.version)]).toEqual([
      version,
      version,
      version,
    ])
  })

  it('goes up by an upgrade, with groups that come later', async () => {
    const life = await upgraded('v1.34.1', 'v1.35.0-custom.1')
    await life.addGroup('extra')
    expect(new Set(life.nodeGroups.map(({ version }) => version))).toEqual(new Set(['v1.35.0-custom.1']))
    expect((await driver.observe(life.context())).version).toBe('v1.35.0-custom.1')
  })

  it('stays with a template that names none', async () => {
    const life = await livingWith({}, 'v1.34.1')
    await life.upgrade(templateEntity())
    expect(life.cluster.observation?.version).toBe('v1.34.1')
  })

  it('of a further group follows the control plane, when it is upgraded to the template of the cluster', async () => {
    const life = await livingWith({}, 'v1.34.0')
    await life.addGroup('extra')
    const template = templateEntity({ kube_tag: 'v1.35.0' })
    await life.upgrade(template)
    expect(life.nodeGroups.map(({ version }) => version)).toEqual(['v1.35.0', 'v1.35.0', 'v1.34.0'])
    await life.upgrade(template, 'extra')
    expect(life.group('extra').version).toBe('v1.35.0')
  })

  it('of a further group is not that of the template where the cluster has a version of its own', async () => {
    const life = await livingWith({ kube_tag: 'v1.34.0' }, 'v1.35.0')
    await life.addGroup('old', { version: 'v1.33.0' })
    if (life.template === null) throw new Error('no template')
    await life.upgrade(life.template, 'old')
    expect(life.group('old').version).toBe('v1.34.0')
  })

  it('of a control plane alone leaves the workers as they are', async () => {
    const life = await upgraded('v1.34.0', 'v1.35.0', 'default-master')
    expect(life.nodeGroups.map(({ version }) => version)).toEqual(['v1.35.0', 'v1.34.0'])
    expect(life.cluster.observation?.version).toBe('v1.35.0')
  })

  it.each([
    ['v1.35.0', 'v1.34.9', "Cluster paris runs Kubernetes v1.35.0; it can't go back to v1.34.9."],
    [
      'v1.33.0',
      'v1.35.0',
      "Cluster paris runs Kubernetes v1.33.0; it can't go to v1.35.0 at once. Upgrade one minor version at a time.",
    ],
  ])('do not go from %s to %s, neither when asked nor when the turn comes', async (from, to, fault) => {
    const life = await livingWith({}, from)
    const template = templateEntity({ kube_tag: to })
    const task = {
      kind: 'upgrade',
      templateId: template.id,
      templateProjectId: 'local',
      nodeGroupId: null,
      maxBatchSize: 1,
    } as const
    expect(driver.check({ ...life.plan(task), template })).toEqual([fault])
    await expect(life.upgrade(template)).rejects.toMatchObject({ name: 'ChangeImpossible', message: fault })
    expect(life.cluster.observation?.version).toBe(from)
  })

  it('of nodes are never newer than their control plane', async () => {
    await expect(upgraded('v1.34.0', 'v1.35.0', 'default-worker')).rejects.toMatchObject({
      message:
        "Node group default-worker can't go to v1.35.0, newer than its control plane (v1.34.0); upgrade that first.",
    })
  })
})

describe('endpoint and identity', () => {
  it('shows the address of memory-api-address, or one that nobody resolves', async () => {
    const { cluster } = await livingWith()
    expect(cluster.endpoint?.server).toBe(`https://${cluster.id}.memory.invalid:6443`)
    const real = await livingWith({ 'memory-api-address': 'https://127.0.0.1:7443/' })
    expect(real.cluster.endpoint?.server).toBe('https://127.0.0.1:7443')
  })

  it('has no authority to rotate where fedplane holds none', async () => {
    const life = await livingWith()
    expect(life.cluster.endpoint?.caPem).toBeNull()
    await expect(life.rotateAuthority()).rejects.toMatchObject({ name: 'ChangeImpossible' })
  })

  it('simulates the uid and the health that its labels say', async () => {
    const life = await livingWith({ 'memory-uid': 'same', 'memory-health': 'UNHEALTHY' })
    expect(life.claimed).toEqual(['same'])
    expect(await driver.observe(life.context())).toMatchObject({
      healthStatus: 'UNHEALTHY',
      healthReason: { api: 'told to be unhealthy' },
    })
  })
})
