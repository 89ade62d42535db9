import { describe, expect, it } from 'vitest'
import type { Cluster, ClusterObservation } from '../../../functions/core/cluster/cluster.ts'
import { CLUSTER_TASKS, type ClusterTaskKind } from '../../../functions/core/cluster/cluster-task.ts'
import { isUuid } from '../../../functions/core/values/ids.ts'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { CLUSTER_CONTRACT } from '../../../functions/drivers/contract/cluster-driver-description.ts'
import { ClusterAlreadyRegistered } from '../../../functions/drivers/contract/errors.ts'
import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import { namespaces } from '../../../functions/kubernetes/resources.ts'
import { CallBudget } from '../../support/drivers/call-budget.ts'
import { type ClusterLab, ClusterLife } from '../../support/drivers/cluster-life.ts'
import { frozen } from '../../support/drivers/frozen.ts'
import { describeMadeNodes, describeMaking } from './cluster-making-suite.ts'
import { describeMadeThrough, describeManagement } from './cluster-management-suite.ts'
import { madeCluster, type OpenedLab } from './made-cluster.ts'

export type ClusterSuiteOptions = {
  /** Makes a cluster to register, or a place to make clusters in; called for each test, and once for all that only look. */
  open(): Promise<OpenedLab>
  /**
   * True where a cluster takes a minute: the changes of node groups are made of one cluster, one after the other, and rule C17 is left out, whose whole
   * lives a simulation is quicker at. Default false.
   */
  isSlow?: boolean
}

const COMPLETE: ClusterObservation = {
  observedAt: expect.stringMatching(/Z$/),
  healthStatus: expect.stringMatching(/^(HEALTHY|UNHEALTHY|UNKNOWN)$/),
  healthReason: expect.any(Object),
  version: expect.anything(),
  nodeCount: expect.any(Number),
  masterCount: expect.any(Number),
}

const expectVersion = async (lab: ClusterLab, client: KubernetesClient, { observation }: Cluster): Promise<void> => {
  if (lab.tellsVersion !== false) expect((await client.version()).gitVersion).toBe(observation?.version)
}

/** Changes that only a driver of nodes can make. */
const GROUP_TASKS = ['resize', 'node-group-create', 'node-group-update', 'node-group-delete'] as const

/** Rules that an observation of a cluster is enough for. */
const describeMade = (driver: ClusterDriver, open: ClusterSuiteOptions['open']): void => {
  const made = madeCluster(driver, open)

  it('C2: its create ends with identity, endpoint and a first observation', () => {
    const life = made.life()
    expect(life.cluster.observation).toEqual(COMPLETE)
    expect(life.cluster.observation?.healthStatus).toBe('HEALTHY')
    if (!driver.capabilities.kubernetesApi) return
    expect(life.cluster.identity).toEqual({ uid: expect.any(String), user: expect.any(String) })
    expect(life.claimed).toEqual([life.cluster.identity?.uid])
    expect(life.cluster.endpoint?.server).toMatch(/^https:\/\//)
  })

  it('C3: a second run says the same', async () => {
    const life = made.copy()
    await life.create()
    const { endpoint, identity } = made.life().cluster
    expect(life.cluster).toMatchObject({ endpoint, identity })
  })

  it('C4: an identity that is claimed already ends the create', async () => {
    if (!driver.capabilities.kubernetesApi) return
    const taken = new ClusterAlreadyRegistered('Registered as cluster tokyo.')
    const life = made.copy({ refuseClaim: taken })
    life.cluster = { ...life.cluster, identity: null }
    await expect(life.create()).rejects.toBe(taken)
    expect(life.cluster.identity).toBeNull()
  })

  it('C5: what the driver makes of the stored credential works', async () => {
    if (!driver.capabilities.kubernetesApi) return
    const { lab, cluster } = made.life()
    const { authority } = made.life().context()
    const client = lab.connect(await driver.connection(cluster, await lab.credential(), authority))
    expect(await client.get(namespaces, 'kube-system')).toBeDefined()
    await expectVersion(lab, client, cluster)
    client.close()
    if (!driver.capabilities.needsKubeconfig) return
    await expect(driver.connection(cluster, undefined, authority)).rejects.toMatchObject({ name: 'CredentialMissing' })
  })

  it('C9: results hold no credential', () => {
    const { lab, cluster, results } = made.life()
    const kept = JSON.stringify([cluster, results])
    for (const secret of lab.secrets) expect(kept).not.toContain(secret)
  })

  if (driver.capabilities.makesNodes) describeMadeNodes(driver, made)
  if (driver.capabilities.needsManagement) describeMadeThrough(driver, made)
}

/**
 * The contract of cluster drivers (docs/drivers/cluster-contract.md); the numbers of its rules begin the names of the tests.
 * Out-of-tree drivers run it too.
 */
export const describeClusterDriver = (driver: ClusterDriver, { open, isSlow = false }: ClusterSuiteOptions): void => {
  const inLab = async (use: (lab: ClusterLab) => Promise<void>): Promise<void> => {
    const lab = await open()
    try {
      await use(lab)
    } finally {
      await lab.close()
    }
  }

  describe(`cluster driver ${driver.id}`, () => {
    it('C1: names itself and its contract', () => {
      expect(driver.id).toMatch(/^[a-z][a-z0-9-]*@[1-9][0-9]*$/)
      expect(driver.contract).toBe(CLUSTER_CONTRACT)
      expect(driver.description).toMatch(/\.$/)
      const { create, update, delete: last } = driver.phases
      for (const plan of [create, ...Object.values(update), last]) {
        const ids = plan.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        for (const phase of plan) {
          expect(phase.id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
          expect(phase.title).not.toBe('')
          expect(phase.deadlineSeconds).toBeGreaterThan(0)
        }
      }
    })

    it('C6: faults of the cluster are in the observation, which keeps what was known', () =>
      inLab(async (lab) => {
        if (!driver.capabilities.kubernetesApi) return
        const life = new ClusterLife(driver, lab)
        await life.create()
        const { version, nodeCount, masterCount } = life.cluster.observation ?? {}
        await lab.stop()
        const seen = await driver.observe(life.context())
        expect(seen).toMatchObject({ healthStatus: 'UNHEALTHY', version, nodeCount, masterCount })
        expect(seen.healthReason.api).toMatch(/\.$/)
      }))

    it('C7: an update takes a new credential of the same cluster, and only of that', () =>
      inLab(async (lab) => {
        if (!driver.capabilities.needsKubeconfig) return
        const life = new ClusterLife(driver, lab)
        await life.create()
        await life.update()
        life.cluster = { ...life.cluster, identity: { uid: 'another', user: 'admin' } }
        await expect(life.update()).rejects.toMatchObject({ name: 'ClusterIdentityChanged' })
      }))

    it('C8: changes nothing in a cluster that it did not make, from create to delete', () =>
      inLab(async (lab) => {
        const budget = new CallBudget()
        const life = new ClusterLife(driver, lab, { budget })
        await life.create()
        if (driver.capabilities.needsKubeconfig) await life.update()
        await life.delete()
        await life.delete()
        if (!driver.capabilities.makesNodes) expect(budget.writes).toEqual([])
      }))

    it('C12: its capabilities and the updates that it names agree with its plans', () => {
      const { makesNodes, needsKubeconfig, certificateAuthority } = driver.capabilities
      const plans = Object.keys(driver.phases.update)
      const has = (kind: ClusterTaskKind): boolean => plans.includes(kind)
      expect(CLUSTER_TASKS).toEqual(expect.arrayContaining(plans))
      expect(driver.updates.toSorted()).toEqual(plans.toSorted())
      expect(GROUP_TASKS.map(has)).toEqual(GROUP_TASKS.map(() => makesNodes))
      expect(has('credential')).toBe(needsKubeconfig)
      if (!certificateAuthority) expect(has('rotate-authority')).toBe(false)
    })

    it('C28: a driver that may need a credential in a cloud can replace it', () => {
      if (driver.needsCloudCredential !== undefined) expect(driver.updates).toContain('rotate-credential')
    })

    it('C13: its built-in template has a constant UUID and a name, or its clusters are made from templates', () => {
      const { builtinTemplate, capabilities } = driver
      expect(builtinTemplate === null).toBe(capabilities.makesNodes)
      if (builtinTemplate === null) return
      expect(builtinTemplate.id).toSatisfy(isUuid)
      expect(builtinTemplate.name).toMatch(/^[a-z][a-z0-9-]*$/)
    })

    it('C14: check finds nothing wrong with a good cluster, and changes nothing', () =>
      inLab(async (lab) => {
        const plan = frozen(new ClusterLife(driver, lab).plan())
        expect([driver.check(plan), driver.check(plan)]).toEqual([[], []])
      }))

    it('C22: it describes and checks management clusters when its clusters need one, and only then', () => {
      const { needsManagement, makesNodes } = driver.capabilities
      expect([driver.management !== undefined, driver.checkManagement !== undefined]).toEqual([
        needsManagement,
        needsManagement,
      ])
      if (needsManagement) expect(makesNodes).toBe(true)
      for (const { name, confidential, rule } of driver.management?.fields ?? []) {
        expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
        expect(['driver', 'default']).not.toContain(name)
        expect(confidential).toBe(false)
        expect(rule).toMatch(/^must .*[^.]$/)
      }
    })

    describe('a cluster that is made', () => describeMade(driver, open))
    if (driver.capabilities.makesNodes) describeMaking(driver, { inLab, open, isSlow })
    if (driver.capabilities.needsManagement) describeManagement(driver, inLab)
  })
}
