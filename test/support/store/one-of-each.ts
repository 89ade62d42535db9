import { Secret } from '../../../functions/core/values/secret.ts'
import type { IdentityStore } from '../../../functions/store/identity.store.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import {
  readyOf,
  sampleCluster,
  sampleDelivery,
  sampleEvent,
  sampleFederation,
  sampleGrant,
  sampleHook,
  sampleJoining,
  sampleNodeGroup,
  sampleObserveRequest,
  sampleTemplate,
  sampleTrigger,
} from './samples.ts'

export const PROJECT = 'blue'
const AT = '2026-11-27T10:00:00.000Z'
const CREDENTIAL = { projectId: PROJECT, owner: 'membership/f1/c1', purpose: 'member-token' } as const
const AUTHORITY = { projectId: PROJECT, clusterId: 'c1', type: 'etcd', candidate: false } as const

/** Writes an item of each kind, by the stores. */
export const writeOneOfEach = async (stores: Stores): Promise<void> => {
  const member = { projectId: PROJECT, federationId: 'f1' }
  await stores.commit([
    stores.clusters.insert(sampleCluster({ projectId: PROJECT, id: 'c1', name: 'paris' })),
    stores.federations.insert(sampleFederation({ projectId: PROJECT, id: 'f1', name: 'fleet' })),
    stores.memberships.insert(sampleJoining({ ...member, clusterId: 'c1' })),
    stores.memberships.insert(readyOf(sampleJoining({ ...member, clusterId: 'c2' }), '2026-12-27T10:00:00.000Z')),
    stores.templates.insert(sampleTemplate({ projectId: PROJECT, id: 't1', public: true })),
    stores.nodeGroups.insert(sampleNodeGroup({ projectId: PROJECT, clusterId: 'c1', id: 'g1' })),
    stores.clusters.claimUid(PROJECT, 'u1', 'c1'),
    stores.federations.claimNamespace({ projectId: PROJECT, uid: 'u1' }, 'ns1', 'f1'),
    stores.management.move({ projectId: PROJECT, id: 'c1' }, null, { driver: 'capi@1', options: {}, isDefault: true }),
    stores.grants.insert(sampleGrant({ projectId: PROJECT, clusterId: 'c1', id: 'gr1' })),
    stores.events.append(sampleEvent({ projectId: PROJECT, id: 'e1', owner: { kind: 'cluster', id: 'c1' } })),
    stores.events.append(
      sampleEvent({
        projectId: PROJECT,
        id: 'e2',
        owner: { kind: 'cluster', id: 'c1' },
        action: 'update',
        health: { before: 'HEALTHY', after: 'UNHEALTHY' },
      }),
    ),
    stores.idempotency.remember(PROJECT, 'key', { fingerprint: 'sha', entityId: 'c1' }),
    await stores.credentials.seal(CREDENTIAL, new Secret('token')),
    await stores.certificates.seal(AUTHORITY, { certificatePem: 'pem', privateKey: new Secret('key') }),
    stores.quotas.insert({
      projectId: PROJECT,
      resource: 'Cluster',
      number: await stores.quotas.nextNumber(),
      hardLimit: 1,
      revision: 1,
      createdAt: AT,
      updatedAt: null,
    }),
  ])
  await stores.quotas.takePlace(PROJECT, 5)
  await stores.events.publish({ position: '1', event: sampleEvent({ projectId: PROJECT, id: 'e1' }) })
  await stores.commit([stores.triggers.insert(sampleTrigger({ projectId: PROJECT, id: 'tr1' }))])
  const work = { federationId: 'f1', clusterId: 'c1', noted: 'e1', marker: null, since: AT }
  await stores.commit([
    stores.selectors.put({ projectId: PROJECT, id: 'f1', wanted: { labels: 'a=b' } }),
    stores.selectors.addWork({ projectId: PROJECT, ...work }),
  ])
  await stores.commit([stores.triggers.addDelivery(sampleDelivery({ projectId: PROJECT, triggerId: 'tr1', id: 'e1' }))])
  await stores.commit([
    stores.hooks.insert(sampleHook({ projectId: PROJECT, clusterId: 'c1', id: 'h1' })),
    stores.observeRequests.ask(undefined, sampleObserveRequest({ projectId: PROJECT, clusterId: 'c1' })),
    stores.inventory.remember({
      id: 'k1',
      projectId: PROJECT,
      of: { kind: 'federation', id: 'f1' },
      userId: 'ana',
      role: 'viewer',
      namespace: null,
      expiresAt: '2026-12-01T00:00:00.000Z',
      createdAt: '2026-11-30T00:00:00.000Z',
    }),
    stores.inventory.putLeftover(undefined, {
      projectId: PROJECT,
      clusterId: 'c1',
      federationId: 'f9',
      federationProjectId: PROJECT,
      memberName: 'paris',
      rights: 'view',
      objects: [],
      createdAt: AT,
      dueAt: AT,
    }),
  ])
  await stores.commit([stores.putOff.replace({ index: 0, of: 1 }, { c1: ['k1'] }, AT)])
  await stores.heartbeats.beat('reconciler')
}

/** The same of what the identity facade keeps. */
export const writeOneCredential = (store: IdentityStore): Promise<void> =>
  store.addApplicationCredential({
    id: 'ac1',
    name: 'ci',
    description: '',
    userId: 'ana',
    projectId: PROJECT,
    roles: ['reader'],
    unrestricted: false,
    secretDigest: 'digest',
    expiresAt: null,
    createdAt: AT,
  })

/** Reads all of it, by the stores. @throws ItemCorrupt, CredentialUnreadable */
export const readOneOfEach = async (stores: Stores) => ({
  cluster: await stores.clusters.get({ projectId: PROJECT, id: 'c1' }),
  clusters: (await stores.clusters.list(PROJECT, { limit: 10 })).items.map(({ id }) => id),
  federation: await stores.federations.get({ projectId: PROJECT, id: 'f1' }),
  members: (await stores.memberships.listOf({ projectId: PROJECT, id: 'f1' })).map(({ state }) => state),
  template: await stores.templates.get({ projectId: PROJECT, id: 't1' }),
  nodeGroup: await stores.nodeGroups.get({ projectId: PROJECT, clusterId: 'c1', id: 'g1' }),
  grants: (await stores.grants.listOf({ projectId: PROJECT, id: 'c1' })).map(({ id }) => id),
  management: (await stores.management.list('capi@1')).map(({ id }) => id),
  quota: (await stores.quotas.get(PROJECT))?.hardLimit,
  workers: (await stores.heartbeats.list()).map(({ host }) => host),
  credential: (await stores.credentials.get(CREDENTIAL))?.reveal(),
  authority: (await stores.certificates.open(AUTHORITY))?.privateKey.reveal(),
})
