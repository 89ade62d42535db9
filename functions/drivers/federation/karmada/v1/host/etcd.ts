import { shortId } from '../../../../../core/values/ids.ts'
import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import { ETCD } from '../names.ts'
import type { Pki } from '../pki/pki.schema.ts'
import { ETCD_CLIENT_PORT, ETCD_PEER_PORT, memberHost, memberNames, peerUrl } from './etcd-members.ts'
import { etcdImage } from './images.ts'
import { anyHost, componentLabels, type HostPlan, metadataOf } from './plan.ts'
import { type PodSpec, pkiPath, podTemplate } from './pod.ts'
import { ETCD_CERT } from './secrets.ts'

const METRICS_PORT = 2381
const DATA = 'etcd-data'
const DATA_PATH = '/var/lib/etcd'

/** How many members the StatefulSet has, and which of them its new pods are told of. */
export type Membership = {
  members: number
  /** `existing` for members that are added to a cluster that runs. */
  state: 'new' | 'existing'
  /** Pods below this ordinal keep the template that they have. */
  partition: number
}

/** Annotation of the StatefulSet: the `state` with which its pods were made. */
export const STATE_ANNOTATION = 'fedplane.io/etcd-initial-state'

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
