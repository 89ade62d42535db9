import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterProfileDriver } from '../../../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { PROFILE_CRD, profiles } from '../../../../functions/drivers/federation/clusterprofile/v1/names.ts'
import { inventoryNamespace } from '../../../../functions/drivers/federation/clusterprofile/v1/schema.ts'
import { ApiThrottled } from '../../../../functions/kubernetes/errors.ts'
import { customResourceDefinitions, secrets } from '../../../../functions/kubernetes/resources.ts'
import { FederationLife } from '../../../support/drivers/federation-life.ts'
import { type SimulatedClusters, simulatedClusters } from '../../../support/drivers/simulated.ts'
import { connect, type TestCluster } from '../../../support/drivers/test-cluster.ts'

/** Nothing of ours is gone when the host does not serve ClusterProfiles for a while, or does not tell. */
describe('clusterprofile@1 and a host that serves no ClusterProfiles', () => {
  let lab: SimulatedClusters
  let [host, paris]: TestCluster[] = []
  let fed: FederationLife
  let status = 200
  const driver = clusterProfileDriver()

  const toHost = () => {
    const access = host!.access()
    const client = async () => {
      const real = await access.client()
      return status === 200 ? real : { ...real, raw: async () => ({ status, body: '' }) }
    }
    return { ...access, client }
  }
  const toParis = () => paris!.access()

  beforeEach(async () => {
    status = 200
    lab = await simulatedClusters(['host', 'paris'])
    ;[host, paris] = lab.clusters
    fed = new FederationLife({ driver, host: toHost, connect })
    await fed.create()
    await fed.join(toParis)
  })
  afterEach(() => lab.close())

  /** Until discovery says so too. */
  const serve = async (isServed: boolean): Promise<void> => {
    const found = await host!.admin.get(customResourceDefinitions, PROFILE_CRD)
    const { versions = [] } = (found?.spec ?? {}) as { versions?: object[] }
    const spec = { versions: versions.map((version) => ({ ...version, served: isServed })) }
    await host!.admin.patch(customResourceDefinitions, PROFILE_CRD, { spec })
    const { group, version } = profiles('v1alpha1')
    await expect
      .poll(async () => (await host!.admin.raw(`/apis/${group}/${version}`)).status, { timeout: 10_000 })
      .toBe(isServed ? 200 : 404)
  }

  const space = () => inventoryNamespace(fed.federation.id)
  const left = async () => ({
    profiles: (await host!.admin.list(profiles('v1alpha1', space()))).items.length,
    tokens: (await host!.admin.list(secrets(space()))).items.length,
  })

  it.each([
    [403, 'PermissionDenied', /system:discovery/],
    [503, 'ApiUnavailable', /503/],
  ])('takes nothing away, and calls no member absent, while it does not tell (%d)', async (answer, name, words) => {
    const before = await left()
    expect(before.profiles).toBe(1)
    status = answer
    const refused = { name, message: expect.stringMatching(words) }
    await expect(driver.deregisterMember(fed.leaving(toParis))).rejects.toMatchObject(refused)
    await expect(driver.observeMember(fed.leaving(toParis))).rejects.toMatchObject(refused)
    status = 200
    expect(await left()).toEqual(before)
  })

  it('waits while the storage of a new definition is made (429), in the phase and in a preflight', async () => {
    const crd = driver.phases.create.find(({ id }) => id === 'crd')
    const starting = async () => {
      throw new ApiThrottled('GET clusterprofiles was put off (429): storage is (re)initializing.')
    }
    const access = toHost()
    const client = async () => ({ ...(await access.client()), list: starting })
    const host = { ...access, client }
    expect(await crd?.ensure({ ...fed.context(), host })).toMatchObject({
      done: false,
      waitingFor: expect.stringContaining('storage is (re)initializing'),
    })
    const federation = { ...fed.federation, properties: { 'consumer-namespaces': 'default' } }
    const { findings } = await driver.checkMember({ ...fed.memberContext(toParis), federation, host })
    expect(findings).toContainEqual(expect.objectContaining({ reason: 'ApiThrottled', passing: true }))
    expect(await crd?.ensure(fed.context())).toMatchObject({ done: true })
  })

  it('waits with the removal until they are served again, and goes on when their definition is gone', async () => {
    const before = await left()
    await serve(false)
    await expect
      .poll(() => driver.deregisterMember(fed.leaving(toParis)), { timeout: 10_000 })
      .toMatchObject({
        done: false,
        waitingFor: expect.stringContaining(PROFILE_CRD),
      })
    await serve(true)
    expect(await left()).toEqual(before)

    await host!.admin.delete(customResourceDefinitions, PROFILE_CRD)
    await expect
      .poll(() => driver.deregisterMember(fed.leaving(toParis)), { timeout: 10_000 })
      .toMatchObject({ done: true })
    expect((await host!.admin.list(secrets(space()))).items).toEqual([])
  })
})
