import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { cedarPolicy } from '../../../functions/policy/cedar-policy.ts'
import { changeCluster, givenCluster, readCluster, settleFederation } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type Answer, type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE } from '../../support/api/request.ts'
import { defaultPolicies } from '../../support/policy.ts'

/** Who may have a federation use a cluster as host or member: `cluster:host`, `cluster:join` (issue on access, points 1 and 4). */

const member = (userId: string): Principal => ({
  userId,
  projectId: 'blue',
  roles: ['member', 'reader'],
  source: 'token-file',
})
/** Registered the clusters; `MALLORY` is a colleague without more roles. */
const OWNER = member('olga')
const MALLORY = member('mallory')

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const registered = (as: Principal): Promise<string> => givenCluster(lab, { as, body: { kubeconfig: kubeconfigText() } })

let [prod, own] = ['', '']
beforeEach(async () => {
  prod = await registered(OWNER)
  own = await registered(MALLORY)
})

const create = (as: Principal, body: object, query = ''): Promise<Answer> =>
  lab.call('POST', `/v1/federations${query}`, { as, body: { driver: 'kube@1', ...body } })
const patch = (as: Principal, id: string, operations: object[], query = ''): Promise<Answer> =>
  lab.call('PATCH', `/v1/federations/${id}${query}`, { as, body: operations })
const add = (value: string) => ({ op: 'add', path: '/member_ids', value })
const setRole = (value: string) => ({ op: 'replace', path: '/properties', value: { 'member-role': value } })
const said = ({ status, body }: Answer): [number, string] => [status, body?.errors?.[0].detail]
const usesOf = async (id: string) => (await readCluster(lab, id)).uses

const JOIN_REFUSED = [403, expect.stringContaining("Policy doesn't allow cluster:join")]
const HOST_REFUSED = [403, expect.stringContaining("Policy doesn't allow cluster:host")]
const ROLE_REFUSED = [403, expect.stringContaining("Policy doesn't allow cluster:set_management")]

const settled = async (as: Principal, body: object): Promise<string> => {
  const answer = await create(as, body)
  expect(said(answer)).toEqual([202, undefined])
  await settleFederation(lab, answer.body.uuid)
  return answer.body.uuid
}

describe('cluster:join', () => {
  it('refuses a colleague more than edit in a cluster, with the side and the rights', async () => {
    const body = { hostcluster_id: own, member_ids: [prod], properties: { 'member-role': 'cluster-admin' } }
    for (const query of ['', '?dry_run=true']) {
      const [status, detail] = said(await create(MALLORY, body, query))
      expect([status, detail]).toEqual(JOIN_REFUSED)
      expect(detail).toContain('as member of a federation of kube@1 it would give rights beyond the ClusterRole "edit"')
    }
    expect([await usesOf(prod), await usesOf(own)]).toEqual([[], []])
  })

  it.each(['view', 'edit'])('lets a colleague take %s', async (role) => {
    const body = { hostcluster_id: own, member_ids: [prod], properties: { 'member-role': role } }
    expect((await create(MALLORY, body)).status).toBe(202)
  })

  it('lets the owner and administrators take more', async () => {
    const body = { hostcluster_id: prod, member_ids: [prod], properties: { 'member-role': 'cluster-admin' } }
    expect((await create(OWNER, { ...body, driver: 'selfhost@1' })).status).toBe(202)
    expect((await create(ALICE, { ...body, driver: 'selfhost@1' })).status).toBe(202)
  })

  it('is asked when a member is added, by dry runs too, and when all are named', async () => {
    const id = await settled(MALLORY, { hostcluster_id: own, properties: { 'member-role': 'admin' } })
    const exactly = { op: 'replace', path: '/member_ids', value: [prod] }
    for (const operation of [add(prod), exactly]) {
      expect(said(await patch(MALLORY, id, [operation]))).toEqual(JOIN_REFUSED)
      expect(said(await patch(MALLORY, id, [operation], '?dry_run=true'))).toEqual(JOIN_REFUSED)
    }
    expect(await usesOf(prod)).toEqual([])
    expect((await patch(OWNER, id, [add(prod)])).status).toBe(202)
  })

  it('is asked of every member when properties would give more', async () => {
    const id = await settled(MALLORY, { hostcluster_id: own, member_ids: [prod] })
    expect(said(await patch(MALLORY, id, [setRole('cluster-admin')]))).toEqual(JOIN_REFUSED)
    expect(said(await patch(MALLORY, id, [setRole('cluster-admin')], '?dry_run=true'))).toEqual(JOIN_REFUSED)
    expect((await patch(MALLORY, id, [setRole('edit')])).status).toBe(202)
  })

  it('is not asked of members that leave with the same request', async () => {
    const id = await settled(MALLORY, { hostcluster_id: own, member_ids: [prod] })
    const remove = { op: 'remove', path: '/member_ids', value: prod }
    expect(said(await patch(MALLORY, id, [remove, setRole('cluster-admin')]))).toEqual([202, undefined])
  })

  it('counts a driver that does not say what it takes as one that takes all', async () => {
    const { rights: _, ...silent } = lab.ports.drivers.federation.choose('kube@1')
    const federation = { ...lab.ports.drivers.federation, choose: () => silent }
    const app = lab.appOver({ drivers: { ...lab.ports.drivers, federation } })
    const body = { driver: 'kube@1', hostcluster_id: own, member_ids: [prod] }
    expect(said(await callApp(app, 'POST', '/v1/federations', { as: MALLORY, body }))).toEqual(JOIN_REFUSED)
  })
})

describe('cluster:host', () => {
  it('refuses a colleague a driver that takes more than edit in the host', async () => {
    const [status, detail] = said(await create(MALLORY, { driver: 'platform@1', hostcluster_id: prod }))
    expect([status, detail]).toEqual(HOST_REFUSED)
    expect(detail).toContain('as host of a federation of platform@1')
    expect((await create(OWNER, { driver: 'platform@1', hostcluster_id: prod })).status).toBe(202)
  })

  it("is asked again when properties change, which decide what runs in somebody's host", async () => {
    const id = await settled(OWNER, { driver: 'platform@1', hostcluster_id: prod })
    const change = [{ op: 'add', path: '/properties/color', value: 'blue' }]
    expect(said(await patch(MALLORY, id, change))).toEqual(HOST_REFUSED)
    expect((await patch(OWNER, id, change)).status).toBe(202)
  })
})

describe('a registration that failed', () => {
  const other = [{ op: 'replace', path: '/kubeconfig', value: kubeconfigText('https://other.example.com') }]
  const send = (as: Principal) => lab.call('PATCH', `/v1/clusters/${prod}`, { as, body: other })
  beforeEach(() => changeCluster(lab, prod, { status: 'CREATE_FAILED', identity: null }))

  it('is not taken over by a colleague under the name of its owner', async () => {
    const [status, detail] = said(await send(MALLORY))
    expect([status, detail]).toEqual([403, expect.stringContaining('cluster:accept_identity')])
    expect((await readCluster(lab, prod)).status).toBe('CREATE_FAILED')
  })

  it.each([OWNER, ALICE])('is tried again by its owner and by administrators: $userId', async (as) => {
    expect((await send(as)).status).toBe(202)
  })
})

describe('the address for peers, to which federations send credentials', () => {
  const moved = [{ op: 'replace', path: '/server_for_peers', value: 'https://mallory.example.com' }]
  const send = (as: Principal, query = '') => lab.call('PATCH', `/v1/clusters/${prod}${query}`, { as, body: moved })

  it('is not changed by a colleague, vouching or not', async () => {
    for (const query of ['', '?accept_identity=true']) {
      const [status, detail] = said(await send(MALLORY, query))
      expect([status, detail]).toEqual([403, expect.stringContaining('cluster:accept_identity')])
    }
    expect((await readCluster(lab, prod)).endpoint?.serverForPeers ?? null).toBe(null)
  })

  it('is changed by its owner, and by an administrator who vouches', async () => {
    expect((await send(OWNER)).status).toBe(202)
    expect(said(await send(ALICE))).toEqual([403, expect.stringContaining('accept_identity=true')])
    expect((await send(ALICE, '?accept_identity=true')).status).toBe(202)
  })
})

describe('what somebody else wrote into the table', () => {
  /** The API as it is while items of a store read otherwise than they were written. */
  const reading = (change: { federation?: object; clusters?: object }) => {
    const { stores } = lab
    const { federations, clusters } = stores
    const alter = <T extends object>(read: T | undefined, by: object | undefined): T | undefined =>
      read && { ...read, ...by }
    return lab.appOver({
      stores: {
        ...stores,
        federations: { ...federations, get: async (key) => alter(await federations.get(key), change.federation) },
        clusters: {
          ...clusters,
          get: async (key) => alter(await clusters.get(key), change.clusters),
          getMany: async (...of) => (await clusters.getMany(...of)).map((read) => ({ ...read, ...change.clusters })),
        },
      },
    })
  }
  const send = (app: ReturnType<typeof reading>, id: string, body: object[]) =>
    callApp(app, 'PATCH', `/v1/federations/${id}`, { as: MALLORY, body })

  it.each([{ properties: { 'member-role': 'view' } }, { driver: 'memory@1' }, { userId: 'mallory' }])(
    'of a federation is not asked about when a cluster joins: %j',
    async (federation) => {
      const id = await settled(OWNER, { hostcluster_id: own, properties: { 'member-role': 'admin' } })
      expect((await send(reading({ federation }), id, [add(prod)])).status).toBe(500)
      expect(await usesOf(prod)).toEqual([])
    },
  )

  it('of owners of host and members is not asked about when properties change', async () => {
    const id = await settled(OWNER, { hostcluster_id: prod, member_ids: [own] })
    const app = reading({ clusters: { userId: 'mallory' } })
    expect((await send(app, id, [setRole('cluster-admin')])).status).toBe(500)
    expect((await lab.call('GET', `/v1/federations/${id}`)).body.properties).toEqual({})
  })

  it('lets members leave all the same', async () => {
    const id = await settled(MALLORY, { hostcluster_id: own, member_ids: [prod] })
    const app = reading({ federation: { userId: 'eve' }, clusters: { userId: 'eve' } })
    expect((await send(app, id, [{ op: 'remove', path: '/member_ids', value: prod }])).status).toBe(202)
  })
})

describe('a policy that an operator adds', () => {
  const withPolicy = (text: string) =>
    lab.appWith({ policy: cedarPolicy([...defaultPolicies, { file: 'added.cedar', text }]) })
  const ask = (app: ReturnType<typeof withPolicy>, as: Principal, body: object) =>
    callApp(app, 'POST', '/v1/federations', { as, body: { driver: 'kube@1', ...body } })

  it('can check driver, rights and who makes the federation', async () => {
    const app = withPolicy(`
      forbid (principal, action == Action::"cluster:join", resource)
      when { context.driver == "kube@1" && context.rights == "edit" && context.federation.owner != resource.owner }
      unless { !(resource has owner) || !(context.federation has owner) };`)
    const body = (role: string) => ({ hostcluster_id: own, member_ids: [prod], properties: { 'member-role': role } })
    expect(said(await ask(app, MALLORY, body('edit')))).toEqual(JOIN_REFUSED)
    expect((await ask(app, MALLORY, body('view'))).status).toBe(202)
  })
})

describe('a cluster with the role of a management cluster', () => {
  const give = (id: string, as = ALICE) =>
    lab.call('PATCH', `/v1/clusters/${id}`, {
      as,
      body: [{ op: 'add', path: '/management', value: { infrastructure: 'dev' } }],
    })

  beforeEach(async () => expect((await give(prod)).status).toBe(202))

  it('is neither host nor member for its own owner, whatever the rights', async () => {
    expect(said(await create(OWNER, { hostcluster_id: prod }))).toEqual(ROLE_REFUSED)
    expect(said(await create(OWNER, { hostcluster_id: own, member_ids: [prod] }))).toEqual(ROLE_REFUSED)
    const id = await settled(OWNER, { hostcluster_id: own })
    expect(said(await patch(OWNER, id, [add(prod)]))).toEqual(ROLE_REFUSED)
    expect((await patch(ALICE, id, [add(prod)])).status).toBe(202)
  })

  it.each([
    ['another kubeconfig', 'PATCH', '', [{ op: 'replace', path: '/kubeconfig', value: kubeconfigText() }]],
    ['health', 'PATCH', '', [{ op: 'replace', path: '/health_status', value: 'UNHEALTHY' }]],
    ['its deletion', 'DELETE', '', undefined],
  ])('refuses its owner %s', async (_what, method, path, body) => {
    const options = body === undefined ? { as: OWNER } : { as: OWNER, body }
    const before = await readCluster(lab, prod)
    expect(said(await lab.call(method, `/v1/clusters/${prod}${path}`, options))).toEqual(ROLE_REFUSED)
    expect(await readCluster(lab, prod)).toEqual(before)
  })

  it('may be read by members, and clusters are made through it by members', async () => {
    expect((await lab.call('GET', `/v1/clusters/${prod}`, { as: MALLORY })).status).toBe(200)
    const body = { name: 'shop', driver: 'managed@1', labels: { management_cluster: prod } }
    const headers = { 'OpenStack-API-Version': 'container-infra latest' }
    expect((await lab.call('POST', '/v1/clusters', { as: MALLORY, body, headers })).status).toBe(202)
  })

  it('refuses federation changes of properties in it as host, by others than administrators', async () => {
    const id = await settled(ALICE, { hostcluster_id: prod })
    expect(said(await patch(OWNER, id, [setRole('edit')]))).toEqual(ROLE_REFUSED)
  })

  it('is not given to a member of a federation', async () => {
    const id = await settled(MALLORY, { hostcluster_id: own, member_ids: [own], driver: 'selfhost@1' })
    const [status, detail] = said(await give(own))
    expect([status, detail]).toEqual([409, expect.stringContaining(id)])
    expect((await readCluster(lab, own)).management).toBeNull()
  })

  it('is not given to a member whose uses were taken out of the table, past everything', async () => {
    const edge = await registered(MALLORY)
    const id = await settled(MALLORY, { hostcluster_id: own, member_ids: [edge] })
    await lab.stores.commit([lab.stores.clusters.removeUses({ projectId: 'blue', id: edge }, [`member:${id}`])])
    const [status, detail] = said(await give(edge))
    expect([status, detail]).toEqual([409, expect.stringContaining(id)])
    expect((await readCluster(lab, edge)).management).toBeNull()
  })

  it('is decided again when a cluster gets the role while it is being joined', async () => {
    const id = await settled(OWNER, { hostcluster_id: own })
    const late = await registered(OWNER)
    const commit = lab.stores.commit.bind(lab.stores)
    let raced = false
    const stores = {
      ...lab.stores,
      commit: async (writes: Parameters<typeof commit>[0]) => {
        if (!raced)
          await changeCluster(lab, late, { management: { driver: 'managed@1', options: {}, isDefault: false } })
        raced = true
        return commit(writes)
      },
    }
    const app = lab.appOver({ stores })
    const answer = await callApp(app, 'PATCH', `/v1/federations/${id}`, { as: OWNER, body: [add(late)] })
    expect(said(answer)).toEqual(ROLE_REFUSED)
    expect((await readCluster(lab, late)).uses).toEqual([])
  })
})
