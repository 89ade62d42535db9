import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterProfileDriver } from '../../../../functions/drivers/federation/clusterprofile/v1/index.ts'
import { inventoryNamespace } from '../../../../functions/drivers/federation/clusterprofile/v1/schema.ts'
import { memberObjectName } from '../../../../functions/drivers/support/member/tokens.ts'
import { namespaces, secrets, serviceAccounts } from '../../../../functions/kubernetes/resources.ts'
import { FederationLife } from '../../../support/drivers/federation-life.ts'
import { labelled } from '../../../support/drivers/objects.ts'
import { type SimulatedClusters, simulatedClusters } from '../../../support/drivers/simulated.ts'
import { connect, type TestCluster } from '../../../support/drivers/test-cluster.ts'

describe('clusterprofile@1 on API servers without controllers', () => {
  let lab: SimulatedClusters
  let host: TestCluster
  let paris: TestCluster
  const driver = clusterProfileDriver({ tokenTimeoutSeconds: 1, namespaceTimeoutSeconds: 1 })
  const toHost = () => host.access()
  const toParis = () => paris.access()

  beforeAll(async () => {
    lab = await simulatedClusters(['host', 'paris'], { tokenController: false, namespaceController: false })
    ;[host, paris] = lab.clusters as [TestCluster, TestCluster]
  })
  afterAll(() => lab.close())

  it('says what it waits for while no token controller fills the Secret', async () => {
    const fed = new FederationLife({ driver: clusterProfileDriver(), host: toHost, connect })
    await fed.create()
    expect(await clusterProfileDriver().prepareMember(fed.memberContext(toParis))).toMatchObject({
      done: false,
      waitingFor: expect.stringContaining('token controller'),
      made: expect.arrayContaining([expect.objectContaining({ kind: 'ServiceAccount', where: 'member' })]),
    })
  })

  it('requests a token that expires, keeps it while it is fresh, and renews it in a rotation', async () => {
    const fed = new FederationLife({ driver, host: toHost, connect })
    await fed.create()
    const { membership, token } = await fed.prepare(toParis)
    const { kind, expiresAt, renewAfter } = membership.credential ?? {}
    expect(kind).toBe('token-request')
    const life = Date.parse(expiresAt ?? '') - Date.now()
    expect(life).toBeGreaterThan(86_000_000)
    expect(Date.parse(renewAfter ?? '') - Date.now()).toBeCloseTo((life * 2) / 3, -5)
    expect((await paris.admin.list(secrets(memberObjectName(fed.federation.id)))).items).toEqual([])
    const again = await fed.prepare(toParis)
    expect(again.token?.reveal()).toBe(token?.reveal())
    await fed.register(toParis)
    await fed.rotate(toParis)
    expect((await fed.memberContext(toParis).memberToken())?.reveal()).not.toBe(token?.reveal())
    expect(await driver.observeMember(fed.memberContext(toParis))).toEqual({ state: 'ready' })
  })

  it('renews a token whose time has come without being told to', async () => {
    const fed = new FederationLife({ driver, host: toHost, connect })
    const { token } = await fed.prepare(toParis)
    const context = fed.memberContext(toParis)
    const later = { ...context, now: () => context.membership.credential?.renewAfter ?? '' }
    const renewed = await driver.prepareMember(later)
    expect(renewed.credential?.token.reveal()).not.toBe(token?.reveal())
  })

  it('gives up a token that is still fresh when its account was made anew', async () => {
    const fed = new FederationLife({ driver, host: toHost, connect })
    await fed.create()
    const { token } = await fed.prepare(toParis)
    const name = memberObjectName(fed.federation.id)
    await paris.admin.delete(serviceAccounts(name), name)
    const again = await fed.prepare(toParis)
    expect(again.token?.reveal()).not.toBe(token?.reveal())
    await fed.register(toParis)
    expect(await driver.observeMember(fed.memberContext(toParis))).toEqual({ state: 'ready' })
  })

  it('ends with the namespaces that stay Terminating as left over, and empty', async () => {
    const fed = new FederationLife({ driver, host: toHost, connect })
    await fed.create()
    await fed.join(toParis)
    await fed.unjoin(toParis)
    await fed.delete()
    const [inMember, inHost] = [memberObjectName(fed.federation.id), inventoryNamespace(fed.federation.id)]
    expect(fed.leftovers).toEqual([
      expect.objectContaining({ where: 'member', kind: 'Namespace', name: inMember }),
      expect.objectContaining({ where: 'host', kind: 'Namespace', name: inHost }),
    ])
    expect(await labelled(paris.admin, fed.federation.id)).toEqual([`Namespace ${inMember}`])
    expect(await labelled(host.admin, fed.federation.id)).toEqual([`Namespace ${inHost}`])
    expect((await host.admin.get(namespaces, inHost))?.metadata.deletionTimestamp).toBeDefined()
    const { findings } = await driver.checkMember(fed.memberContext(toParis))
    expect(findings).toContainEqual(
      expect.objectContaining({ reason: 'NamespaceTerminating', message: expect.stringContaining(inMember) }),
    )
  })
})
