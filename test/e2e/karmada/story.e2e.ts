import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FederationView, MemberView } from '../../support/api/api.ts'
import { deleteFederation, federationPath, join, remove, unjoin } from '../support/stories.ts'
import { absent, consumerOf, create, expectAsBefore, type Fleet, openFleet, type Site, seen } from './support/fleet.ts'
import { startBare, startNode } from './support/kube.ts'
import { Person } from './support/person.ts'
import {
  addressesOf,
  CONFIG_MAPS,
  DEPLOYMENTS,
  readyReplicas,
  SERVICES,
  spreadConfig,
  spreadWeb,
} from './support/workload.ts'

const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces' }
/** What the workload itself is in a member once its federation has left it there: it is not ours to remove. */
const WORKLOAD = /^(configmaps|services|deployments\.apps|replicasets\.apps|pods|endpointslices\S*) default\/(web|told)/
const idOf = ({ view }: Site): string => view.uuid

describe('a federation by karmada@1 on clusters whose pods run', () => {
  let fleet: Fleet
  let host: Site
  let paris: Site
  let bare: Site
  let federation: FederationView
  let person: Person

  beforeAll(async () => {
    fleet = await openFleet()
    person = new Person(fleet.fedplane.url)
    host = await fleet.add(startNode('host'))
    ;[paris, bare] = await Promise.all([fleet.add(startNode('paris')), fleet.add(startBare('bare'))])
  }, 300_000)
  afterAll(async () => {
    person?.close()
    await fleet?.close()
  }, 240_000)

  const memberOf = ({ members }: FederationView, site: Site): MemberView | undefined =>
    members.find(({ cluster_id }) => cluster_id === idOf(site))

  it("is created by one command with kubefed's options, with its own endpoint", async () => {
    const options =
      '--federation-system-namespace federation-system --api-server-service-type LoadBalancer ' +
      '--etcd-pv-capacity 2Gi --etcd-pv-storage-class standard'
    expect(await person.fedplane(`init europe --host host ${options}`)).toBe('federation/europe created\n')
    federation = await fleet.api.get<FederationView>(federationPath('europe'))
    expect(federation).toMatchObject({ driver: 'karmada@1', status: 'CREATE_COMPLETE', members: [] })
    expect(federation.endpoint).toMatch(/^https:\/\/10\.211\.\d+\.\d+:5443$/)
    const consumer = await consumerOf(fleet.api, federation.uuid)
    expect((await consumer.version()).major).toBe(1)
    consumer.close()
  })

  it('takes a cluster with a node and one without, and both become Ready', async () => {
    federation = await join(fleet.api, federation.uuid, [idOf(paris), idOf(bare)])
    expect(federation.members.map(({ state }) => state)).toEqual(['Ready', 'Ready'])
  })

  it("is a context of kubectl's, whose credential renews itself", async () => {
    expect(await person.fedplane('federation kubeconfig europe --merge')).toMatch(/^context\/europe added to /)
    const clusters = '--context europe get clusters'
    expect(await person.kubectl(clusters)).toMatch(/^bare .* True .*\nparis .* True /m)
    const first = person.cachedCredential()
    expect(await person.kubectl(clusters)).toContain('paris')
    expect(person.cachedCredential(), 'kept while it is good').toEqual(first)
    person.ageCredential()
    expect(await person.kubectl(clusters)).toContain('paris')
    const renewed = person.cachedCredential()
    expect(Date.parse(renewed.expires_at) - Date.now()).toBeGreaterThan(600_000)
    expect(renewed.kubeconfig).not.toBe(first.kubeconfig)
    expect(await person.fedplane('federation kubeconfig europe --merge')).toContain('is there already')
  })

  it('lets viewers look and editors change in their namespace, under their own name', async () => {
    const merge = (more: string) => person.fedplane(`federation kubeconfig europe --merge ${more}`)
    const can = (line: string) =>
      person.kubectl(`auth can-i ${line}`).then(
        (answer) => answer.trim(),
        (error: { stdout: string }) => error.stdout.trim(),
      )
    await merge('--role viewer --context look')
    await merge('--role editor --namespace default --context change')
    const { user_id } = await fleet.api.get<{ user_id: string }>('/v1/whoami')
    for (const context of ['look', 'change']) {
      const whoami = await person.kubectl(`--context ${context} auth whoami -o jsonpath={.status.userInfo.username}`)
      expect(whoami).toBe(`fedplane:user:${user_id}`)
    }
    expect(await person.kubectl('--context look get configmaps -A')).toContain('extension-apiserver-authentication')
    await expect(person.kubectl('--context look create configmap no')).rejects.toThrow('forbidden')
    expect(await person.kubectl('--context change create configmap yes')).toContain('created')
    await expect(person.kubectl('--context change -n karmada-cluster get secrets')).rejects.toThrow('forbidden')
    await person.kubectl('--context change delete configmap yes')
    expect([
      await can('list propagationpolicies.policy.karmada.io -A --context look'),
      await can('list works.work.karmada.io -A --context look'),
      await can('get secrets -A --context look'),
      await can('create propagationpolicies.policy.karmada.io --context change'),
      await can('create resourcebindings.work.karmada.io --context change'),
      await can('create rolebindings --context change'),
    ]).toEqual(['yes', 'no', 'no', 'yes', 'no', 'no'])
  })

  it('spreads what is applied at its endpoint, and tells its status', async () => {
    const consumer = await consumerOf(fleet.api, federation.uuid)
    await spreadConfig(consumer, 'told')
    await spreadWeb(consumer, 'web')
    for (const { admin } of [paris, bare]) {
      expect((await seen(admin, [CONFIG_MAPS, 'told'])).data).toEqual({ said: 'by the federation' })
      await seen(admin, [DEPLOYMENTS, 'web'])
    }
    await seen(paris.admin, [DEPLOYMENTS, 'web'], (object) => readyReplicas(object) > 0)
    await seen(consumer, [DEPLOYMENTS, 'web'], (object) => readyReplicas(object) > 0)
    const service = await seen(consumer, [SERVICES, 'web'], (object) => addressesOf(object).length > 0)
    const [address] = addressesOf(service)
    await expect.poll(async () => (await fetch(`http://${address}/`)).status, { timeout: 10_000 }).toBe(200)
    consumer.close()
  })

  it('lets a member go with its workloads, and takes it back at once', async () => {
    const left = await unjoin(fleet.api, federation.uuid, [idOf(paris)])
    expect(left.members.map(({ cluster_id }) => cluster_id)).toEqual([idOf(bare)])
    await seen(paris.admin, [DEPLOYMENTS, 'web'], (object) => readyReplicas(object) > 0)
    await expectAsBefore(paris, [WORKLOAD])
    federation = await join(fleet.api, federation.uuid, [idOf(paris)])
    expect(memberOf(federation, paris)).toMatchObject({ state: 'Ready' })
    const consumer = await consumerOf(fleet.api, federation.uuid)
    await spreadConfig(consumer, 'told-again')
    for (const { admin } of [paris, bare]) await seen(admin, [CONFIG_MAPS, 'told-again'])
    consumer.close()
  })

  it('removes the workloads too when that is asked for', async () => {
    await fleet.api.patch(`${federationPath(federation.uuid)}?workloads=delete`, [
      { op: 'remove', path: '/member_ids', value: idOf(bare) },
    ])
    await fleet.api.settled<FederationView>(federationPath(federation.uuid), 'UPDATE_COMPLETE')
    await absent(bare.admin, [DEPLOYMENTS, 'web'])
    await expectAsBefore(bare)
  })

  it('is deleted with its last member, and leaves host and members as they were', async () => {
    await deleteFederation(fleet.api, federation.uuid)
    await absent(host.admin, [NAMESPACES, 'federation-system'])
    await expectAsBefore(host)
    await expectAsBefore(bare)
    await expectAsBefore(paris, [WORKLOAD])
  })

  it('of a member that is gone unjoins in bounded time, and by force', { timeout: 400_000 }, async () => {
    const gone = await fleet.add(startBare('gone'))
    federation = await create(fleet.api, { name: 'again', host, members: [gone] })
    expect(memberOf(federation, gone)).toMatchObject({ state: 'Ready' })
    await gone.cluster.close()
    const begun = Date.now()
    await remove(fleet.api, federation.uuid, [idOf(gone)])
    const failed = await fleet.api.settled<FederationView>(federationPath(federation.uuid), 'UPDATE_FAILED')
    expect(Date.now() - begun).toBeLessThan(150_000)
    expect(memberOf(failed, gone)).toMatchObject({ state: 'UnjoinFailed' })
    await remove(fleet.api, federation.uuid, [idOf(gone)], { force: true })
    federation = await fleet.api.settled<FederationView>(federationPath(federation.uuid), 'UPDATE_COMPLETE')
    expect(federation.members).toEqual([])
    const told = JSON.stringify(await fleet.api.get(`${federationPath(federation.uuid)}/events`))
    expect(told).toMatch(/stays valid/)
    await deleteFederation(fleet.api, federation.uuid)
    await expectAsBefore(host)
  })
})
