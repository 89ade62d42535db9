import * as z from 'zod'
import { shortId } from '../../../../../core/values/ids.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import { listAll } from '../../../../support/owned.ts'
import { ETCD } from '../model/names.ts'
import type { Pki } from '../pki/pki.schema.ts'
import type { HostWork } from './host-work.ts'
import {
  anyHost,
  componentLabels,
  componentSelector,
  etcdImage,
  type HostPlan,
  metadataOf,
  serviceHost,
  statefulSets,
  volumeClaims,
} from './plan.ts'
import { type PodSpec, pkiPath, podTemplate } from './pod.ts'
import { ETCD_CERT } from './secrets.ts'

export const ETCD_CLIENT_PORT = 2379
export const ETCD_PEER_PORT = 2380

/** Names of the first `count` members: those of the pods. */
export const memberNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `${ETCD}-${index}`)

/** `etcd-0.etcd.federation-system.svc.cluster.local`. */
export const memberHost = (plan: Pick<HostPlan, 'properties'>, member: string): string =>
  `${member}.${serviceHost(plan, ETCD)}`

export const peerUrl = (plan: Pick<HostPlan, 'properties'>, member: string): string =>
  `https://${memberHost(plan, member)}:${ETCD_PEER_PORT}`

/** Value of `--etcd-servers`: every member. */
export const etcdServers = (plan: HostPlan): string =>
  memberNames(plan.properties.replicas)
    .map((member) => `https://${memberHost(plan, member)}:${ETCD_CLIENT_PORT}`)
    .join(',')

const METRICS_PORT = 2381
const DATA = 'etcd-data'
const DATA_PATH = '/var/lib/etcd'

/** How many members the StatefulSet has, and which of them its new pods are informed of. */
export type Membership = {
  members: number
  /** `existing` for members that are added to a cluster that runs. */
  state: 'new' | 'existing'
  /** Pods below this ordinal keep the template that they have. */
  partition: number
}

/** Annotation of the StatefulSet: the `state` with which its pods were made. */
const STATE_ANNOTATION = 'fedplane.io/etcd-initial-state'

/** Claim of a member's volume, as the StatefulSet calls it. */
const claimName = (member: string): string => `${DATA}-${member}`

const commandOf = (plan: HostPlan, { members, state }: Membership): string[] => {
  const self = memberHost(plan, '$(POD_NAME)')
  const tls = pkiPath(ETCD_CERT)
  return [
    '/usr/local/bin/etcd',
    '--name=$(POD_NAME)',
    // Not the volume's root, which may hold lost+found.
    `--data-dir=${DATA_PATH}/data`,
    `--listen-client-urls=https://${anyHost(plan)}:${ETCD_CLIENT_PORT}`,
    `--advertise-client-urls=https://${self}:${ETCD_CLIENT_PORT}`,
    `--listen-peer-urls=https://${anyHost(plan)}:${ETCD_PEER_PORT}`,
    `--initial-advertise-peer-urls=https://${self}:${ETCD_PEER_PORT}`,
    `--initial-cluster=${memberNames(members)
      .map((member) => `${member}=${peerUrl(plan, member)}`)
      .join(',')}`,
    `--initial-cluster-state=${state}`,
    `--initial-cluster-token=fedplane-${shortId(plan.federationId)}`,
    '--client-cert-auth=true',
    `--cert-file=${tls}/tls.crt`,
    `--key-file=${tls}/tls.key`,
    `--trusted-ca-file=${tls}/ca.crt`,
    '--peer-client-cert-auth=true',
    `--peer-cert-file=${tls}/tls.crt`,
    `--peer-key-file=${tls}/tls.key`,
    `--peer-trusted-ca-file=${tls}/ca.crt`,
    `--listen-metrics-urls=http://${anyHost(plan)}:${METRICS_PORT}`,
  ]
}

const specOf = (plan: HostPlan, membership: Membership): PodSpec => ({
  component: ETCD,
  image: etcdImage(plan.properties),
  command: commandOf(plan, membership),
  ports: [
    { name: 'client', port: ETCD_CLIENT_PORT },
    { name: 'peer', port: ETCD_PEER_PORT },
    { name: 'metrics', port: METRICS_PORT },
  ],
  secrets: [{ secret: ETCD_CERT, path: pkiPath(ETCD_CERT) }],
  ready: { path: '/readyz', port: METRICS_PORT, scheme: 'HTTP' },
  alive: { path: '/livez', port: METRICS_PORT, scheme: 'HTTP' },
  aliveDelaySeconds: 60,
  requests: { cpu: '100m', memory: '256Mi' },
  volumeMounts: [{ name: DATA, mountPath: DATA_PATH }],
})

const claimSpec = ({ properties }: HostPlan): PartOf['volumeClaimSpec'] => ({
  accessModes: ['ReadWriteOnce'],
  ...(properties.storageClass === null ? {} : { storageClassName: properties.storageClass }),
  resources: { requests: { storage: properties.storageSize } },
})

/** Volume claims of the members, made before the StatefulSet, which takes those that it finds. */
export const claimManifests = (plan: HostPlan): Manifest<'PersistentVolumeClaim'>[] =>
  memberNames(plan.properties.replicas).map((member) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadataOf(plan, claimName(member), ETCD),
    spec: claimSpec(plan),
  }))

/** All members at once: each needs the others to become ready. */
export const etcdManifest = (plan: HostPlan, pki: Pki, membership: Membership): Manifest<'StatefulSet'> => {
  const labels = componentLabels(plan.federationId, ETCD)
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...metadataOf(plan, ETCD), annotations: { [STATE_ANNOTATION]: membership.state } },
    spec: {
      replicas: membership.members,
      serviceName: ETCD,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: membership.partition } },
      selector: { matchLabels: labels },
      template: podTemplate(plan, pki, specOf(plan, membership)),
      volumeClaimTemplates: [{ metadata: { name: DATA, labels }, spec: claimSpec(plan) }],
    },
  }
}

const Found = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({ replicas: z.number() }),
})

/** With how many members etcd is to run: as many as it has, since members are added one by one (`grow`); else as many as are wanted. */
export const currentMembership = async ({ site, plan, namespace }: HostWork): Promise<Membership> => {
  const found = await site.client.get(statefulSets(namespace), ETCD)
  if (found === undefined) return { members: plan.properties.replicas, state: 'new', partition: 0 }
  const { metadata, spec } = Found.parse(found)
  const state = metadata.annotations[STATE_ANNOTATION] === 'existing' ? 'existing' : 'new'
  return { members: spec.replicas, state, partition: 0 }
}

export const claimSelector = ({ site }: HostWork): string => componentSelector(site.federationId, ETCD)

/** Volume claims of this federation, as they are in the host. */
export const ownClaims = (work: HostWork): Promise<KubernetesObject[]> =>
  listAll(work.site.client, volumeClaims(work.namespace), claimSelector(work))

/** Volume claims that there are to be and are not. */
export const missingClaims = async (work: HostWork): Promise<Manifest<'PersistentVolumeClaim'>[]> => {
  const names = new Set((await ownClaims(work)).map(({ metadata }) => metadata.name))
  return claimManifests(work.plan).filter(({ metadata }) => !names.has(metadata.name))
}
