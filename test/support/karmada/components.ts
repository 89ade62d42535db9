import { parse } from 'yaml'
import type { PodFate } from '../../../simulated-kubernetes/behaviour.ts'
import type { Cluster } from '../../../simulated-kubernetes/cluster.ts'
import { isPodReady, PODS } from '../../../simulated-kubernetes/controllers/pods.ts'
import type { Attributes } from '../../../simulated-kubernetes/rbac.ts'
import type { ApiObject } from '../../../simulated-kubernetes/types.ts'
import { requirePair, requireServes, requireSigned, subjectOf } from './certificates.ts'
import { type Program, ProgramFault, programOf } from './mounted-files.ts'
import { requireProbes } from './probes.ts'
import { decoded, remembered } from './remembered.ts'

const SERVICES = { group: '', plural: 'services' }

/** Programs of a control plane, by the label `app` of their pods. */
export const PROGRAMS = [
  'etcd',
  'karmada-apiserver',
  'karmada-aggregated-apiserver',
  'kube-controller-manager',
  'karmada-scheduler',
  'karmada-controller-manager',
  'karmada-webhook',
] as const
export type ProgramName = (typeof PROGRAMS)[number]

/** Pods of a program that are Ready. */
export const readyPods = (host: Cluster, namespace: string, program: ProgramName): ApiObject[] =>
  host.store
    .list(PODS, namespace)
    .filter(({ metadata, ...pod }) => metadata.labels?.app === program && isPodReady({ ...pod, metadata } as ApiObject))

export const workloadOf = (host: Cluster, namespace: string, program: ProgramName): ApiObject | undefined =>
  host.store.get({ group: 'apps', plural: program === 'etcd' ? 'statefulsets' : 'deployments' }, program, namespace)
    ?.object

/** A name within the host's DNS: `service.namespace.svc…` or `pod.service.namespace.svc…`. @throws ProgramFault when no Service has it */
const requireResolves = (host: Cluster, name: string): void => {
  const parts = name.split('.')
  const at = parts.indexOf('svc')
  const [service = '', namespace = ''] = parts.slice(at - 2, at)
  if (host.store.get(SERVICES, service, namespace) === undefined) {
    throw new ProgramFault(`dial tcp: lookup ${name}: no such host`)
  }
}

const etcdFaults = (host: Cluster, program: Program): void => {
  requirePair({ certificate: program.fileOf('cert-file'), key: program.fileOf('key-file') })
  requirePair({ certificate: program.fileOf('peer-cert-file'), key: program.fileOf('peer-key-file') })
  const members = program.flag('initial-cluster').split(',')
  for (const member of members) {
    const [, url = ''] = member.split('=')
    const { hostname, protocol } = new URL(url)
    if (protocol !== 'https:') throw new ProgramFault(`peers of etcd talk without TLS: ${url}`)
    requireResolves(host, hostname)
    requireServes(program.fileOf('peer-cert-file'), program.fileOf('peer-trusted-ca-file'), hostname)
    requireServes(program.fileOf('cert-file'), program.fileOf('trusted-ca-file'), hostname)
  }
}

/** A client of etcd finds all members, and is known to them. */
const requireEtcd = (host: Cluster, program: Program): void => {
  const set = workloadOf(host, program.namespace, 'etcd')
  if (set === undefined) throw new ProgramFault('dial tcp: etcd is not there')
  const server = programOf(host, set)
  requireSigned(program.fileOf('etcd-certfile'), server.fileOf('trusted-ca-file'))
  for (const url of program.flag('etcd-servers').split(',')) {
    requireServes(server.fileOf('cert-file'), program.fileOf('etcd-cafile'), new URL(url).hostname)
  }
  const replicas = program.flag('etcd-servers').split(',').length
  if (readyPods(host, program.namespace, 'etcd').length * 2 <= replicas) {
    throw new ProgramFault('context deadline exceeded: etcd has no quorum')
  }
}

type Providers = { secretbox?: { keys: { name: string; secret: string }[] }; identity?: object }[]

/** As kube-apiserver checks it: 32 bytes for each key, and names. */
const requireEncryption = (text: string): void => {
  const { kind, resources } = parse(text) as {
    kind: string
    resources: { resources: string[]; providers: Providers }[]
  }
  const keys = resources.flatMap(({ providers }) => providers.flatMap(({ secretbox }) => secretbox?.keys ?? []))
  const isRight = ({ name, secret }: (typeof keys)[number]) =>
    name !== '' && Buffer.from(secret, 'base64').length === 32
  if (kind === 'EncryptionConfiguration' && keys.length > 0 && keys.every(isRight)) return
  throw new ProgramFault('error while parsing encryption provider configuration')
}

const apiServerFaults = (host: Cluster, program: Program): void => {
  requireEtcd(host, program)
  requirePair({ certificate: program.fileOf('tls-cert-file'), key: program.fileOf('tls-private-key-file') })
  requirePair({ certificate: program.fileOf('proxy-client-cert-file'), key: program.fileOf('proxy-client-key-file') })
  requireSigned(program.fileOf('proxy-client-cert-file'), program.fileOf('requestheader-client-ca-file'))
  if (program.hasFlag('encryption-provider-config')) requireEncryption(program.fileOf('encryption-provider-config'))
  for (const flag of ['client-ca-file', 'service-account-key-file', 'service-account-signing-key-file'])
    program.fileOf(flag)
}

type Kubeconfig = {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }]
}
const readKubeconfig = remembered((text: string) => parse(text) as Kubeconfig)

/** Who a component is at the control plane's API, proved by its kubeconfig. @throws ProgramFault */
export const userOfComponent = (host: Cluster, program: Program): { username: string; groups: string[] } => {
  const { clusters, users } = readKubeconfig(program.fileOf('kubeconfig'))
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  const { 'client-certificate-data': certificate, 'client-key-data': key } = users[0].user
  const { hostname, port } = new URL(server)
  const apiServer = workloadOf(host, program.namespace, 'karmada-apiserver')
  if (apiServer === undefined) throw new ProgramFault(`dial tcp: ${hostname}: connection refused`)
  requireResolves(host, hostname)
  requirePort(host, program.namespace, Number(port || 443))
  const serving = programOf(host, apiServer)
  requireServes(serving.fileOf('tls-cert-file'), decoded(ca), hostname)
  requirePair({ certificate: decoded(certificate), key: decoded(key) })
  requireSigned(decoded(certificate), serving.fileOf('client-ca-file'))
  return subjectOf(decoded(certificate))
}

const requirePort = (host: Cluster, namespace: string, port: number): void => {
  const service = host.store.get(SERVICES, 'karmada-apiserver', namespace)?.object
  const { ports = [] } = (service?.spec ?? {}) as { ports?: { port: number }[] }
  if (!ports.some((it) => it.port === port)) throw new ProgramFault(`dial tcp: port ${port}: connection refused`)
}

const CLUSTERS = { group: 'cluster.karmada.io', resource: 'clusters' }

/** Without these a component ends or idles: its leader's lease, its informers, and what the aggregation layer demands. */
const NEEDS: Readonly<Partial<Record<ProgramName, readonly Attributes[]>>> = {
  'karmada-aggregated-apiserver': [
    { verb: 'get', resource: 'configmaps', namespace: 'kube-system', name: 'extension-apiserver-authentication' },
    { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
    { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' },
  ],
  'kube-controller-manager': [
    { verb: 'list', resource: 'namespaces' },
    { verb: 'create', group: 'coordination.k8s.io', resource: 'leases', namespace: 'karmada-system' },
  ],
  'karmada-scheduler': [
    { verb: 'list', ...CLUSTERS },
    { verb: 'update', group: 'work.karmada.io', resource: 'resourcebindings' },
    { verb: 'create', group: 'coordination.k8s.io', resource: 'leases', namespace: 'karmada-system' },
  ],
  'karmada-controller-manager': [
    { verb: 'update', ...CLUSTERS },
    { verb: 'update', ...CLUSTERS, subresource: 'status' },
    { verb: 'create', resource: 'namespaces' },
    { verb: 'create', group: 'work.karmada.io', resource: 'works' },
  ],
  'karmada-webhook': [{ verb: 'list', ...CLUSTERS }],
}

/** What a component finds of the control plane when it starts; undefined while its API server does not answer. */
export type Api = { cluster: Cluster } | undefined

const requireRights = (api: Api, name: ProgramName, user: { username: string; groups: string[] }): void => {
  if (api === undefined) throw new ProgramFault('the API server of the control plane does not answer')
  for (const attributes of NEEDS[name] ?? []) {
    if (api.cluster.rbac.allows({ ...user, uid: '', extra: {} }, attributes) === undefined) {
      throw new ProgramFault(
        `User "${user.username}" cannot ${attributes.verb} resource "${attributes.resource}" in API group "${attributes.group ?? ''}"`,
      )
    }
  }
}

/** What each program demands of its own flags and files. */
const OF_PROGRAM: Readonly<Partial<Record<ProgramName, (host: Cluster, program: Program) => void>>> = {
  etcd: etcdFaults,
  'karmada-apiserver': apiServerFaults,
  'karmada-aggregated-apiserver': (host, program) => {
    requireEtcd(host, program)
    requirePair({ certificate: program.fileOf('tls-cert-file'), key: program.fileOf('tls-private-key-file') })
  },
  'kube-controller-manager': (_, program) => {
    program.fileOf('service-account-private-key-file')
    program.fileOf('root-ca-file')
  },
  'karmada-webhook': (_, program) => {
    const folder = program.flag('cert-dir')
    requirePair({ certificate: program.file(`${folder}/tls.crt`), key: program.file(`${folder}/tls.key`) })
  },
}

/** karmada-controller-manager ends when `Cluster` is not served (federation-control-planes.md 7.3). */
const requireClusters = (name: ProgramName, servesClusters: boolean): void => {
  if (name === 'karmada-controller-manager' && !servesClusters) {
    throw new ProgramFault('no matches for kind "Cluster" in version "cluster.karmada.io/v1alpha1"')
  }
}

/** @throws ProgramFault while the program would not become ready with what it finds */
export const requireStarts = (host: Cluster, workload: ApiObject, api: Api, servesClusters: boolean): void => {
  const name = workload.metadata.name as ProgramName
  const program = programOf(host, workload)
  OF_PROGRAM[name]?.(host, program)
  requireProbes(workload, program)
  if (name === 'etcd' || name === 'karmada-apiserver') return
  requireRights(api, name, userOfComponent(host, program))
  requireClusters(name, servesClusters)
}

/** A program that ends with an error. */
export const crashed = (fault: ProgramFault): PodFate => ({
  fate: 'waiting',
  reason: 'CrashLoopBackOff',
  message: fault.message,
})
