import { type Cluster, NO_MAGNUM_ATTRIBUTES } from '../../../functions/core/cluster/cluster.ts'
import type { ClusterTemplate } from '../../../functions/core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../../functions/core/cluster/magnum-attributes.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import type { Hook, ObserveRequest } from '../../../functions/core/cluster/observe-request.ts'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import type { Grant } from '../../../functions/core/grant/grant.ts'
import { newUuidV7 } from '../../../functions/core/ids.ts'
import type { JoiningMembership, ReadyMembership } from '../../../functions/core/membership/membership.ts'
import type { Operation } from '../../../functions/core/operation/operation.ts'
import { type Delivery, newDelivery, type Trigger } from '../../../functions/core/trigger/trigger.ts'
import { defaultsOf } from '../../../functions/core/values/attributes.ts'
import type { DomainEvent } from '../../../functions/core/values/event.ts'

const clock = { now: () => new Date() }

/** A fresh id, rising within the process. */
export const sampleId = (): string => newUuidV7(clock)

export const sampleOperation = <K extends string>(kind: K, changes: Partial<Operation<K>> = {}): Operation<K> => ({
  id: sampleId(),
  kind,
  attempt: 1,
  mode: 'do',
  startedAt: '2026-11-27T10:00:00.000Z',
  deadline: '2026-11-27T11:00:00.000Z',
  force: false,
  supersedes: [{ flow: 'cluster-create', name: `${sampleId()}-1` }],
  failure: { reason: 'TimedOut', message: 'The step took too long.' },
  ...changes,
})

/** A registered cluster in rest, with something in every attribute that the tests don't rely on being empty. */
export const sampleCluster = (changes: Partial<Cluster> = {}): Cluster => ({
  id: sampleId(),
  projectId: 'blue',
  userId: 'alice',
  name: 'edge-1',
  driver: 'external@1',
  revision: 1,
  status: 'CREATE_COMPLETE',
  statusReason: 'None',
  operation: null,
  task: null,
  queue: [],
  nodes: null,
  conditions: [
    {
      type: 'Reachable',
      status: 'True',
      reason: 'Answered',
      message: '',
      observedRevision: 1,
      changedAt: '2026-11-27T10:00:00.000Z',
    },
  ],
  endpoint: {
    server: 'https://10.0.0.1:6443',
    serverForPeers: null,
    caPem: 'PEM',
    tlsServerName: null,
    tlsVerify: true,
  },
  identity: { uid: 'uid-1', user: 'system:admin' },
  magnum: {
    ...NO_MAGNUM_ATTRIBUTES,
    clusterTemplateId: 'external',
    labels: { zone: 'a', empty: '' },
    createTimeout: 60,
    floatingIpEnabled: false,
  },
  driverState: { note: { list: [1, 'two', null, { deep: true }] } },
  createdAt: '2026-11-27T10:00:00.000Z',
  updatedAt: null,
  observation: null,
  uses: [],
  ...changes,
})

/** A private template that no cluster uses. */
export const sampleTemplate = (changes: Partial<ClusterTemplate> = {}): ClusterTemplate => ({
  id: sampleId(),
  projectId: 'blue',
  userId: 'alice',
  name: 'small',
  driver: 'memory@1',
  spec: {
    ...defaultsOf(TEMPLATE_ATTRIBUTES),
    coe: 'kubernetes',
    imageId: 'ubuntu-24.04',
    flavorId: 'm1.small',
    networkDriver: 'cilium',
    dnsNameserver: '8.8.8.8',
    apiserverPort: 6443,
    labels: { zone: 'a', empty: '' },
    clusterDistro: 'ubuntu',
    masterLbEnabled: true,
    floatingIpEnabled: false,
  },
  public: false,
  hidden: false,
  tags: 'a,b',
  revision: 1,
  createdAt: '2026-11-27T10:00:00.000Z',
  updatedAt: null,
  clusterCount: 0,
  ...changes,
})

/** A group of workers in rest. */
export const sampleNodeGroup = (changes: Partial<NodeGroup> = {}): NodeGroup => ({
  id: sampleId(),
  projectId: 'blue',
  clusterId: sampleId(),
  number: 3,
  name: 'gpu',
  role: 'worker',
  isDefault: false,
  nodeCount: 2,
  reachedCount: 1,
  minNodeCount: 0,
  maxNodeCount: null,
  flavorId: 'm1.small',
  imageId: 'ubuntu-24.04',
  labels: { zone: 'a' },
  dockerVolumeSize: 20,
  nodeLabels: { gpu: 'yes' },
  nodeTaints: [
    { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
    { key: 'only', effect: 'NoExecute' },
  ],
  nodeAddresses: ['10.0.0.5'],
  status: 'CREATE_COMPLETE',
  statusReason: null,
  failedTask: null,
  version: 'v1.36.0',
  revision: 1,
  createdAt: '2026-11-27T10:00:00.000Z',
  updatedAt: null,
  ...changes,
})

/** A federation in rest without members. */
export const sampleFederation = (changes: Partial<Federation> = {}): Federation => ({
  id: sampleId(),
  projectId: 'blue',
  userId: 'alice',
  name: 'fleet',
  driver: 'clusterprofile@1',
  hostClusterId: sampleId(),
  properties: { 'dns-zone': 'example.org', unknown: '' },
  revision: 1,
  status: 'CREATE_COMPLETE',
  statusReason: null,
  operation: null,
  change: null,
  conditions: [],
  endpoint: 'https://10.0.0.1:6443',
  made: [{ where: 'host', apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'fedplane-1', uid: 'u1' }],
  driverState: {},
  renewAfter: null,
  driverSecrets: [],
  observation: null,
  createdAt: '2026-11-27T10:00:00.000Z',
  updatedAt: '2026-11-27T10:01:00.000Z',
  memberIds: [],
  ...changes,
})

/** A grant that nothing uses. */
export const sampleGrant = (changes: Partial<Grant> = {}): Grant => ({
  id: sampleId(),
  projectId: 'blue',
  clusterId: sampleId(),
  clusterName: 'edge-1',
  userId: 'alice',
  receiver: { projectId: 'green' },
  actions: ['join'],
  rights: 'edit',
  expiresAt: null,
  revokedAt: null,
  createdAt: '2026-11-27T10:00:00.000Z',
  revision: 1,
  uses: [],
  ...changes,
})

/** A membership that is being joined. */
export const sampleJoining = (changes: Partial<JoiningMembership> = {}): JoiningMembership => ({
  projectId: 'blue',
  federationId: sampleId(),
  clusterId: sampleId(),
  memberName: 'edge-1',
  revision: 1,
  changeId: sampleId(),
  since: '2026-11-27T10:00:00.000Z',
  made: [],
  credential: null,
  state: 'Joining',
  operation: sampleOperation('join'),
  ...changes,
})

/** The same membership, ready, with a credential that is to be renewed. */
export const readyOf = (joining: JoiningMembership, renewAfter: string | null = null): ReadyMembership => ({
  ...joining,
  state: 'Ready',
  operation: null,
  made: [{ where: 'member', apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'fedplane', name: 'sa', uid: 'u2' }],
  credential: { kind: 'token-request', expiresAt: '2027-01-01T00:00:00.000Z', renewAfter },
})

export const sampleEvent = (changes: Partial<DomainEvent> = {}): DomainEvent => ({
  id: sampleId(),
  projectId: 'blue',
  owner: { kind: 'cluster', id: 'c1' },
  clusterId: null,
  action: 'create',
  outcome: 'success',
  sequence: 2,
  reason: 'Created',
  message: 'The cluster is registered.',
  time: '2026-11-27T10:00:00.000Z',
  name: 'paris',
  initiator: { userId: 'alice', projectId: 'blue' },
  ...changes,
})

export const sampleTrigger = (changes: Partial<Trigger> = {}): Trigger => ({
  id: sampleId(),
  projectId: 'blue',
  userId: 'alice',
  name: 'pager',
  events: ['cluster.*'],
  filter: { outcome: 'failure' },
  url: 'https://example.org/hook',
  formerSecretUntil: null,
  testedAt: null,
  revision: 1,
  createdAt: '2026-11-29T10:00:00.000Z',
  ...changes,
})

export const sampleObserveRequest = (changes: Partial<ObserveRequest> = {}): ObserveRequest => ({
  projectId: 'blue',
  clusterId: sampleId(),
  askedAt: '2026-11-29T10:00:00.000Z',
  begunAt: null,
  leaseUntil: null,
  endedAt: null,
  spentUntil: '2026-11-29T10:00:05.000Z',
  revision: 1,
  ...changes,
})

export const sampleHook = (changes: Partial<Hook> = {}): Hook => ({
  id: sampleId(),
  projectId: 'blue',
  clusterId: sampleId(),
  userId: 'alice',
  name: 'alertmanager',
  digest: sampleId(),
  createdAt: '2026-11-29T10:00:00.000Z',
  ...changes,
})

/** Due since then. */
export const sampleDelivery = (changes: Partial<Delivery> = {}): Delivery => ({
  ...newDelivery(
    {
      id: sampleId(),
      messageId: 'm1',
      projectId: 'blue',
      triggerId: sampleId(),
      type: 'cluster.create.success',
      payload: '{}',
    },
    new Date('2026-11-29T10:00:00.000Z'),
  ),
  ...changes,
})
