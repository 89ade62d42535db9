import type { Cluster, ClusterChange } from '../../../functions/core/cluster/cluster.ts'
import type { ClusterTemplate, ClusterTemplateSpec } from '../../../functions/core/cluster/cluster-template.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import {
  CONTROL_PLANE_READY,
  type Federation,
  type FederationUpdate,
} from '../../../functions/core/federation/federation.ts'
import type { Membership } from '../../../functions/core/membership/membership.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import type { ApiLab } from './lab.ts'
import { ALICE } from './request.ts'
import { SAMPLE_SPEC, sampleTemplate } from './templates.ts'

/** What flows would write, written at once: the API's tests need entities in every state. */

const inProject = (as: Principal | undefined): string => (as ?? ALICE).projectId

export const readCluster = async (lab: ApiLab, id: string, as?: Principal): Promise<Cluster> => {
  const cluster = await lab.stores.clusters.get({ projectId: inProject(as), id })
  if (cluster === undefined) throw new Error(`there is no cluster ${id}`)
  return cluster
}

export const changeCluster = async (lab: ApiLab, id: string, change: ClusterChange, as?: Principal): Promise<void> =>
  lab.stores.commit([lab.stores.clusters.change(await readCluster(lab, id, as), change)])

/** Node groups of a cluster, oldest first. */
export const readGroups = (lab: ApiLab, id: string, as?: Principal): Promise<NodeGroup[]> =>
  lab.stores.nodeGroups.listOf({ projectId: inProject(as), id })

/** Brings a cluster with its node groups to a status; what ran is over unless it is `*_IN_PROGRESS`. */
export const settleCluster = async (
  lab: ApiLab,
  id: string,
  change: ClusterChange & { status: Cluster['status'] },
  as?: Principal,
): Promise<void> => {
  const { clusters, nodeGroups, commit } = lab.stores
  const isOver = !change.status.endsWith('_IN_PROGRESS')
  const over = isOver ? { operation: null, task: null, queue: [] } : {}
  const groups = await readGroups(lab, id, as)
  await commit([
    clusters.change(await readCluster(lab, id, as), { ...over, ...change }),
    ...groups.map((group) => nodeGroups.change(group, { status: change.status, reachedCount: group.nodeCount })),
  ])
}

export type GivenCluster = {
  name?: string
  status?: Cluster['status']
  as?: Principal
  /** Attributes of the request; default: the driver `memory@1`. */
  body?: Record<string, unknown>
}

/** A cluster of `memory@1`, created through the API and brought to a status. */
export const givenCluster = async (
  lab: ApiLab,
  { name, status = 'CREATE_COMPLETE', as = ALICE, body: attributes = { driver: 'memory@1' } }: GivenCluster = {},
): Promise<string> => {
  const { body } = await lab.call('POST', '/v1/clusters', { as, body: { name, ...attributes } })
  const identity = { uid: `uid-of-${body.uuid}`, user: 'admin' }
  await settleCluster(lab, body.uuid, { status, identity }, as)
  return body.uuid
}

/** A template straight in the store. */
export const givenTemplate = async (
  lab: ApiLab,
  { spec = {}, ...fields }: Partial<Omit<ClusterTemplate, 'spec'>> & { spec?: Partial<ClusterTemplateSpec> } = {},
): Promise<ClusterTemplate> => {
  const template = sampleTemplate({ id: lab.ports.newId(), ...fields, spec: { ...SAMPLE_SPEC, ...spec } })
  await lab.stores.commit([lab.stores.templates.insert(template)])
  return template
}

export const readFederation = async (lab: ApiLab, id: string, as?: Principal): Promise<Federation> => {
  const federation = await lab.stores.federations.get({ projectId: inProject(as), id })
  if (federation === undefined) throw new Error(`there is no federation ${id}`)
  return federation
}

export const changeFederation = async (
  lab: ApiLab,
  id: string,
  update: FederationUpdate,
  as?: Principal,
): Promise<void> => lab.stores.commit([lab.stores.federations.change(await readFederation(lab, id, as), update)])

export const readMembership = async (lab: ApiLab, federationId: string, clusterId: string): Promise<Membership> => {
  const membership = await lab.stores.memberships.get({ projectId: ALICE.projectId, federationId, clusterId })
  if (membership === undefined) throw new Error(`${clusterId} has no membership in ${federationId}`)
  return membership
}

/** What a membership carries in each state besides its base. */
const STATES = {
  Ready: { state: 'Ready', operation: null },
  Degraded: { state: 'Degraded', operation: null, reason: 'NotReady', message: 'No heartbeat.' },
  JoinFailed: { state: 'JoinFailed', reason: 'ConnectTimedOut', message: 'It did not answer.', leftovers: [] },
  UnjoinFailed: { state: 'UnjoinFailed', reason: 'ConnectTimedOut', message: 'It did not answer.' },
} as const

/** Ends what runs on a membership, as its flow would. */
export const endMembership = async (
  lab: ApiLab,
  federationId: string,
  clusterId: string,
  state: keyof typeof STATES,
): Promise<void> => {
  const before = await readMembership(lab, federationId, clusterId)
  const { projectId, memberName, revision, changeId, since, made, credential, loan } = before
  const own = { projectId, federationId, clusterId, memberName, revision, changeId, since, made, credential }
  const base = { ...own, ...(loan && { loan }) }
  await lab.stores.commit([lab.stores.memberships.replace(before, { ...base, ...STATES[state] })])
  if (state !== 'JoinFailed') return
  await lab.stores.commit([lab.stores.federations.removeMemberId({ projectId, id: federationId }, clusterId)])
}

/** The federation as it is when its create is over and its members have joined. */
export const settleFederation = async (lab: ApiLab, id: string, update: FederationUpdate = {}): Promise<void> => {
  const memberships = await lab.stores.memberships.listOf({ projectId: ALICE.projectId, id })
  for (const { clusterId, state } of memberships) {
    if (state === 'Waiting' || state === 'Joining') await endMembership(lab, id, clusterId, 'Ready')
  }
  const ready = { type: CONTROL_PLANE_READY, status: 'True', reason: 'Up', message: '', observedRevision: 2 } as const
  await changeFederation(lab, id, {
    status: 'CREATE_COMPLETE',
    operation: null,
    change: null,
    conditions: [{ ...ready, changedAt: '2026-11-27T10:00:00.000Z' }],
    ...update,
  })
}

export type GivenFederation = { name?: string; driver?: string; host?: string; members?: string[] }

/** A federation of `memory@1` on a fresh host, created through the API and settled. */
export const givenFederation = async (
  lab: ApiLab,
  { name, driver, host, members = [] }: GivenFederation = {},
): Promise<{ id: string; host: string }> => {
  const hostId = host ?? (await givenCluster(lab))
  const { body } = await lab.call('POST', '/v1/federations', {
    body: { name, driver, hostcluster_id: hostId, member_ids: members },
  })
  await settleFederation(lab, body.uuid)
  return { id: body.uuid, host: hostId }
}
