import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cloudKey, kubeconfigKey } from '../../functions/core/access/credentials.ts'
import type { Cluster } from '../../functions/core/cluster/cluster.ts'
import { Secret } from '../../functions/core/values/secret.ts'
import type { ManagementAccess } from '../../functions/drivers/contract/cluster-driver.ts'
import { ManagementUnreachable } from '../../functions/drivers/contract/errors.ts'
import { PhaseTimedOut } from '../../functions/flows/step.ts'
import { ConnectFailed } from '../../functions/kubernetes/errors.ts'
import { sweepHealth } from '../../functions/workers/health-sweep/sweep.ts'
import { isMinuteOf } from '../../functions/workers/health-sweep/verdict.ts'
import type { ManagedScript } from '../support/drivers/managed-driver.ts'
import { changeFederation, createWithHost, deleteCluster, key, replaceKubeconfig } from '../support/flows/actions.ts'
import { groupsOf, resize, rested } from '../support/flows/cluster-tasks.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { clusterOf, ended, federationOf, history, latestOf, messages, settled } from '../support/flows/look.ts'
import { countsOf, createManaged, registerManagement } from '../support/flows/management.ts'

/** Clusters that are made through a management cluster (decision 0017). */

const REACHED: ManagedScript = { reach: async () => undefined }

let lab: FlowLab
const script: ManagedScript = { ...REACHED }
/** One that is there, for all tests. */
let through: Cluster
beforeAll(async () => {
  lab = await openFlowLab({ managed: script })
  const { ref, ...cluster } = await registerManagement(lab, 'mgmt')
  await ended(lab, ref)
  through = cluster
})
afterAll(() => lab.dispose())
beforeEach(() => {
  lab.reset()
  for (const name of ['findings', 'preview', 'look'] as const) delete script[name]
  Object.assign(script, REACHED)
})

const operators = (id: string) => lab.ports.stores.clusters.get({ projectId: 'operators', id })

const sweepMinutes = async (minutes: number): Promise<void> => {
  for (let minute = 0; minute < minutes; minute++) {
    lab.clock.advance(60_000)
    await sweepHealth(lab.ports)
  }
}

/** A sweep in the minute in which a healthy cluster is checked. */
const sweepFor = async (id: string): Promise<void> => {
  do lab.clock.advance(60_000)
  while (!isMinuteOf(id, lab.clock.now()))
  await sweepHealth(lab.ports)
}

const made = async (labels?: Record<string, string>): Promise<string> => {
  const { id, ref } = await createManaged(lab, through, labels)
  expect(await ended(lab, ref)).toBe('succeeded')
  return id
}

/** Its create ran out of time after it had an identity. */
const notInTime = async (): Promise<string> => {
  lab.clusters.after = ({ name }) => {
    if (name === 'ensure:identify') throw new PhaseTimedOut('Phase 2/2 (identify) was not over after 600 s.')
  }
  const { id, ref } = await createManaged(lab, through)
  expect(await ended(lab, ref)).toBe('failed')
  lab.reset()
  return id
}

describe('a host that is created with its federation through a management cluster', () => {
  const options = () => ({ driver: 'managed@1', labels: { management_cluster: through.id } })

  it('is counted there, and no more when both are deleted', async () => {
    const before = (await countsOf(lab))[through.id] ?? 0
    const { id, host } = await createWithHost(lab, options())
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
    expect((await countsOf(lab))[through.id]).toBe(before + 1)
    await ended(lab, await changeFederation(lab, id, 'delete'))
    await ended(lab, await latestOf(lab, 'cluster-delete', host))
    expect([await clusterOf(lab, host), (await countsOf(lab))[through.id]]).toEqual([undefined, before])
  })

  it('is taken down when its create fails, although it would go on by itself otherwise', async () => {
    lab.clusters.after = ({ name }) => {
      if (name === 'ensure:identify') throw new PhaseTimedOut('Phase 2/2 (identify) was not over after 600 s.')
    }
    const { id, host } = await createWithHost(lab, options())
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED' })
    expect((await federationOf(lab, id)).statusReason).toMatch(
      /^HostNotCreated: .*PhaseTimedOut: .*is being deleted\.$/,
    )
    await ended(lab, await latestOf(lab, 'cluster-delete', host))
    expect([await clusterOf(lab, host), lab.clusters.up.has(host)]).toEqual([undefined, false])
  })
})

describe('the registration of a management cluster', () => {
  it('ends with an observation of the driver that makes clusters through it, and tells its warnings', async () => {
    const calls: string[] = []
    lab.clusters.before = ({ name }) => {
      calls.push(name)
    }
    script.findings = async ({ cluster, options }) => {
      calls.push(`${cluster.name} ${JSON.stringify(options)}`)
      return [{ severity: 'warning', reason: 'Old', message: 'It is old.' }]
    }
    const { id, ref } = await registerManagement(lab, 'warned')
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(calls).toEqual(['ensure:provision', 'ensure:identify', 'warned {"infrastructure":"dev"}'])
    expect(await operators(id)).toMatchObject({
      status: 'CREATE_COMPLETE',
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'ManagementReady',
          status: 'True',
          reason: 'CheckedWithWarnings',
          message: 'It is old.',
        }),
      ]),
    })
  })

  it('waits while it can not be checked', async () => {
    let looks = 0
    script.findings = async () => {
      looks += 1
      if (looks > 4) return []
      return [{ severity: 'error', reason: 'ConnectFailed', message: 'The connection was reset.', retryable: true }]
    }
    const { id, ref } = await registerManagement(lab, 'away')
    expect(await ended(lab, ref)).toBe('succeeded')
    expect(looks).toBe(5)
    expect(await operators(id)).toMatchObject({ status: 'CREATE_COMPLETE' })
  })

  it('fails where it stays out of reach', async () => {
    script.findings = async () => {
      lab.clock.advance(300_000)
      return [{ severity: 'error', reason: 'ConnectFailed', message: 'The connection was reset.', retryable: true }]
    }
    const { id, ref } = await registerManagement(lab, 'gone-for-long')
    expect(await ended(lab, ref)).toBe('failed')
    expect(await operators(id)).toMatchObject({
      status: 'CREATE_FAILED',
      statusReason: expect.stringMatching(
        /^ManagementUnreachable: Cluster gone-for-long can't be checked .* The connection was reset\./,
      ),
    })
  })

  it('fails with everything that it lacks', async () => {
    script.findings = async () => [
      { severity: 'error', reason: 'A', message: 'It has no CRDs.' },
      { severity: 'warning', reason: 'B', message: 'It is old.' },
      { severity: 'error', reason: 'C', message: 'It is closed.' },
    ]
    const { id, ref } = await registerManagement(lab, 'unfit')
    expect(await ended(lab, ref)).toBe('failed')
    expect(await operators(id)).toMatchObject({
      status: 'CREATE_FAILED',
      statusReason:
        "ManagementUnfit: Cluster unfit can't be a management cluster of the driver managed@1: It has no CRDs. It is closed.",
      management: { driver: 'managed@1' },
    })
  })

  it('keeps the kubeconfig when it fails, since another role may repair it', async () => {
    const { credentials, commit } = lab.ports.stores
    script.findings = async ({ cluster }) => {
      await commit([await credentials.seal(kubeconfigKey(cluster), new Secret('kept'))])
      return [{ severity: 'error', reason: 'A', message: 'It has no CRDs.' }]
    }
    const { id, ref } = await registerManagement(lab, 'mistaken')
    expect(await ended(lab, ref)).toBe('failed')
    expect((await credentials.get(kubeconfigKey({ projectId: 'operators', id })))?.reveal()).toBe('kept')
  })
})

describe('the health of a management cluster', () => {
  it('is checked each minute, since its outage concerns all projects', async () => {
    await sweepMinutes(3)
    const looks = lab.clusters.calls.filter(({ name, clusterId }) => name === 'observe' && clusterId === through.id)
    expect(looks).toHaveLength(3)
  })
})

describe('another kubeconfig of a management cluster', () => {
  const replace = async (id: string, text: string): Promise<void> => {
    await ended(lab, await replaceKubeconfig(lab, { projectId: 'operators', id }, text))
  }
  const registered = async (name: string): Promise<string> => {
    const { id, ref } = await registerManagement(lab, name)
    await ended(lab, ref)
    return id
  }

  it('is checked like the registration, before the one in force is given up', async () => {
    const id = await registered('narrowed')
    const of = { projectId: 'operators', id }
    const { credentials, commit } = lab.ports.stores
    await commit([await credentials.seal(kubeconfigKey(of), new Secret('wide'))])
    script.findings = async () => [
      { severity: 'error', reason: 'PermissionMissing', message: 'It may not make Clusters.' },
    ]
    await replace(id, 'narrow')
    expect(await operators(id)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason:
        "ManagementUnfit: Cluster narrowed can't be a management cluster of the driver managed@1: It may not make Clusters.",
    })
    expect((await credentials.get(kubeconfigKey(of)))?.reveal()).toBe('wide')
  })

  it('is put in force when it is good, with what the observation told', async () => {
    const id = await registered('renewed')
    script.findings = async () => [{ severity: 'warning', reason: 'Old', message: 'It is old.' }]
    await replace(id, 'new')
    expect(await operators(id)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'ManagementReady', message: 'It is old.' })]),
    })
    const { credentials } = lab.ports.stores
    expect((await credentials.get(kubeconfigKey({ projectId: 'operators', id })))?.reveal()).toBe('new')
  })
})

describe('a cluster that is made through a management cluster', () => {
  it('has one way to it in all phases of a step', async () => {
    const ways: ManagementAccess[] = []
    lab.clusters.before = async (_, context) => {
      ways.push(await context.management())
    }
    await made()
    expect(ways).toHaveLength(2)
    expect(new Set(ways).size).toBe(1)
    expect(ways[0]).toMatchObject({ cluster: { id: through.id }, options: { infrastructure: 'dev' } })
  })

  it('is counted until it is gone', async () => {
    const before = (await countsOf(lab))[through.id] ?? 0
    const id = await made({ 'memory-fail-phase': 'remove' })
    expect((await countsOf(lab))[through.id]).toBe(before + 1)
    expect(await ended(lab, await deleteCluster(lab, id))).toBe('failed')
    expect((await countsOf(lab))[through.id]).toBe(before + 1)
    const cluster = (await clusterOf(lab, id)) as Cluster
    const { clusters, commit } = lab.ports.stores
    await commit([clusters.change(cluster, { magnum: { ...cluster.magnum, labels: {} } })])
    expect(await ended(lab, await deleteCluster(lab, id))).toBe('succeeded')
    expect((await countsOf(lab))[through.id]).toBe(before)
  })
})

describe('a create that failed', () => {
  it('keeps everything, and says that it goes on', async () => {
    const { credentials, commit } = lab.ports.stores
    lab.clusters.after = async ({ name, clusterId }) => {
      if (name !== 'ensure:identify') return
      await commit([
        await credentials.seal(cloudKey(key(clusterId)), new Secret('cloud')),
        await credentials.seal(kubeconfigKey(key(clusterId)), new Secret('kubeconfig')),
      ])
      throw new PhaseTimedOut('Phase 2/2 (identify) was not over after 600 s.')
    }
    const { id, ref } = await createManaged(lab, through)
    expect(await ended(lab, ref)).toBe('failed')
    expect(await clusterOf(lab, id)).toMatchObject({
      status: 'CREATE_FAILED',
      statusReason: expect.stringMatching(
        /^PhaseTimedOut: .* if the cluster comes up after all, the create goes on by itself\. If its health says that nothing is there, delete it and make it anew\.$/,
      ),
      endpoint: { server: `https://${id}.memory.invalid:6443` },
      driverState: { 'claimed-uid': `memory-${id}` },
    })
    expect((await credentials.get(cloudKey(key(id))))?.reveal()).toBe('cloud')
    expect((await credentials.get(kubeconfigKey(key(id))))?.reveal()).toBe('kubeconfig')
    expect((await groupsOf(lab, id)).map(({ status }) => status)).toEqual(['CREATE_FAILED', 'CREATE_FAILED'])
    expect(lab.clusters.up.has(id)).toBe(true)
  })

  it('is gone on with when an observation finds that it has come up', async () => {
    const id = await notInTime()
    script.look = () => ({ isComplete: false })
    await sweepMinutes(2)
    expect(await clusterOf(lab, id)).toMatchObject({
      status: 'CREATE_FAILED',
      observation: { healthStatus: 'HEALTHY' },
    })
    script.look = ({ cluster }) => ({ isComplete: cluster.id === id })
    await sweepMinutes(1)
    expect(await ended(lab, await latestOf(lab, 'cluster-create', id))).toBe('succeeded')
    expect(await clusterOf(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE', statusReason: null })
    expect((await groupsOf(lab, id)).map(({ status }) => status)).toEqual(['CREATE_COMPLETE', 'CREATE_COMPLETE'])
    expect(await history(lab, 'cluster', id)).toEqual([
      'create pending Requested',
      'create failure PhaseTimedOut',
      'update success ClusterHealthy',
      'create pending CameUp',
      'create success Created',
    ])
  })

  it('is left alone when something else began meanwhile', async () => {
    const id = await notInTime()
    script.look = ({ cluster }) => ({ isComplete: cluster.id === id })
    lab.clusters.before = async ({ name, clusterId }) => {
      if (name === 'observe' && clusterId === id) await deleteCluster(lab, id, { launched: false })
    }
    await sweepMinutes(1)
    expect((await clusterOf(lab, id))?.status).toBe('DELETE_IN_PROGRESS')
    expect(await history(lab, 'cluster', id)).toEqual([
      'create pending Requested',
      'create failure PhaseTimedOut',
      'delete pending Requested',
      'update success ClusterHealthy',
    ])
  })
})

describe('an observation of node groups', () => {
  /** Has the autoscaler bring the workers to three. */
  const scaled = (id: string): void => {
    script.look = ({ cluster, nodeGroups }) =>
      cluster.id === id
        ? {
            nodeGroups: nodeGroups.map((group) =>
              group.role === 'worker'
                ? {
                    id: group.id,
                    nodeCount: 3,
                    nodeAddresses: ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
                    version: 'v1.36.1',
                  }
                : { id: group.id, nodeCount: group.nodeCount },
            ),
          }
        : {}
  }

  it('takes counts, addresses and versions over, once', async () => {
    const id = await made()
    scaled(id)
    await sweepFor(id)
    const nodeAddresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
    const [master, worker] = await groupsOf(lab, id)
    expect(worker).toMatchObject({ nodeCount: 3, reachedCount: 3, nodeAddresses, version: 'v1.36.1' })
    expect(worker?.status).toBe('CREATE_COMPLETE')
    const cluster = await clusterOf(lab, id)
    expect(cluster?.nodes).toMatchObject({ nodeCount: 3, masterCount: 1, nodeAddresses })
    await sweepFor(id)
    expect((await clusterOf(lab, id))?.revision).toBe(cluster?.revision)
    expect(await groupsOf(lab, id)).toEqual([master, worker])
  })

  it('takes nothing while a task runs', async () => {
    const id = await made({ 'memory-update-delay-seconds': '9999' })
    const [, worker] = await groupsOf(lab, id)
    await resize(lab, id, { group: 'default-worker', nodeCount: 1 })
    scaled(id)
    await sweepFor(id)
    expect((await groupsOf(lab, id))[1]).toMatchObject({ nodeCount: 1, version: worker?.version })
  })

  it('takes nothing of a cluster that was changed since', async () => {
    const id = await made()
    scaled(id)
    lab.clusters.before = async ({ name, clusterId }) => {
      if (name !== 'observe' || clusterId !== id) return
      const { clusters, commit } = lab.ports.stores
      await commit([clusters.change((await clusterOf(lab, id)) as Cluster, {})])
    }
    await sweepFor(id)
    expect((await groupsOf(lab, id))[1]?.nodeCount).toBe(1)
    lab.reset()
    await sweepFor(id)
    expect((await groupsOf(lab, id))[1]?.nodeCount).toBe(3)
  })
})

describe('a management cluster that is out of reach', () => {
  it('leaves the health of what it makes unknown, after two observations', async () => {
    const id = await made()
    script.reach = async () => {
      throw new ConnectFailed('The management cluster refused the connection.')
    }
    await sweepFor(id)
    await sweepMinutes(1)
    expect((await clusterOf(lab, id))?.observation).toMatchObject({
      healthStatus: 'UNKNOWN',
      healthReason: { management: 'The management cluster refused the connection.' },
      nodeCount: 1,
    })
    expect((await operators(through.id))?.observation?.healthStatus).toBe('HEALTHY')
    Object.assign(script, REACHED)
    await sweepMinutes(1)
    expect((await clusterOf(lab, id))?.observation).toMatchObject({ healthStatus: 'HEALTHY' })
  })

  const gone = () =>
    new ManagementUnreachable("Management cluster mgmt can't be worked with at the moment (ConnectFailed).")
  const resizeWorkers = (id: string, nodeCount: number): Promise<void> =>
    resize(lab, id, { group: 'default-worker', nodeCount })

  it('ends nothing that is under way: that goes on when it is back', async () => {
    const id = await made()
    let calls = 0
    const said: (string | null | undefined)[] = []
    lab.clusters.before = async ({ name, clusterId }) => {
      if (clusterId !== id || name !== 'ensure:resize') return
      calls += 1
      said.push((await clusterOf(lab, id))?.statusReason)
      if (calls <= 8) throw gone()
    }
    await resizeWorkers(id, 4)
    expect(await rested(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', nodes: { nodeCount: 4 } })
    expect(said.at(-1)).toBe(
      "1/1 resize: waiting for its management cluster: Management cluster mgmt can't be worked with at the moment (ConnectFailed)",
    )
  })

  it('ends it at the deadline of the phase', async () => {
    const id = await made()
    lab.clusters.before = async ({ name, clusterId }) => {
      if (clusterId !== id || name !== 'ensure:resize') return
      lab.clock.advance(300_000)
      throw gone()
    }
    await resizeWorkers(id, 4)
    expect(await rested(lab, id)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: expect.stringContaining('ManagementUnreachable: Management cluster mgmt'),
    })
  })

  it('does not hold up a deletion by force, which says what it left', async () => {
    const before = (await countsOf(lab))[through.id] ?? 0
    const id = await made()
    lab.clusters.before = async ({ name, clusterId }) => {
      if (clusterId === id && name === 'ensure:remove') throw gone()
    }
    expect(await ended(lab, await deleteCluster(lab, id, { force: true }))).toBe('succeeded')
    expect(await clusterOf(lab, id)).toBeUndefined()
    expect((await countsOf(lab))[through.id]).toBe(before)
    expect(await history(lab, 'cluster', id)).toContain('delete success LeftBehind')
    expect((await messages(lab, 'cluster', id)).at(-1)).toContain(
      'failed (ManagementUnreachable: Management cluster mgmt',
    )
  })

  it('is reported when it is none any more', async () => {
    const { clusters, commit } = lab.ports.stores
    const { ref, ...gone } = await registerManagement(lab, 'gone')
    await ended(lab, ref)
    const { id, ref: create } = await createManaged(lab, gone)
    expect(await ended(lab, create)).toBe('succeeded')
    const registered = await operators(gone.id)
    await commit([clusters.change(registered as Cluster, { management: null })])
    await sweepFor(id)
    await sweepMinutes(1)
    expect((await clusterOf(lab, id))?.observation).toMatchObject({
      healthStatus: 'UNKNOWN',
      healthReason: {
        management: `The management cluster ${gone.id}, through which cluster made (${id}) is made, is no longer registered as one.`,
      },
    })
  })
})
