import { createHash } from 'node:crypto'
import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import type { Pki } from '../pki/pki.schema.ts'
import { componentLabels, type HostPlan, metadataOf } from './plan.ts'
import { KUBECONFIG_FILE, secretManifests } from './secrets.ts'

/** A Secret as files of a container. */
type SecretMount = { secret: string; path: string }

type Probe = { path: string; port: number; scheme: 'HTTP' | 'HTTPS' }

/** One component as a pod: what differs between them. */
export type PodSpec = {
  component: string
  image: string
  command: readonly string[]
  ports: readonly { name: string; port: number }[]
  secrets: readonly SecretMount[]
  ready: Probe
  /** Default: the same as `ready`. */
  alive?: Probe
  /** Seconds before the first liveness probe. Default 15. */
  aliveDelaySeconds?: number
  requests: { cpu: string; memory: string }
  /** The image's program has a file capability: without it in the bounding set the kernel refuses to run it. */
  needsBindService?: boolean
  /** More volume mounts, for example of a claim. */
  volumeMounts?: readonly { name: string; mountPath: string }[]
}

/** Where a Secret with certificates or keys is mounted. */
export const pkiPath = (secret: string): string => `/etc/karmada/pki/${secret}`
/** Where a component finds its kubeconfig. */
export const CONFIG_PATH = '/etc/karmada/config'
export const KUBECONFIG_PATH = `${CONFIG_PATH}/${KUBECONFIG_FILE}`

/** Content of the Secrets that a pod mounts: when it changes, the pods are replaced. */
export const CHECKSUM_ANNOTATION = 'fedplane.io/secrets-checksum'

/** No user of the images, and so none of the host: "nonroot" of distroless. Owns nothing; the group reads the Secrets. */
const USER = 65_532
const SECRET_MODE = 0o440

const probe = ({ path, port, scheme }: Probe): PartOf['probe'] => ({ httpGet: { path, port, scheme } })

/** Quick to say ready: the next part of the control plane waits for it. */
const readiness = (ready: Probe): PartOf['probe'] => ({
  ...probe(ready),
  periodSeconds: 1,
  timeoutSeconds: 5,
  failureThreshold: 3,
})

const liveness = ({ ready, alive = ready, aliveDelaySeconds = 15 }: PodSpec): PartOf['probe'] => ({
  ...probe(alive),
  initialDelaySeconds: aliveDelaySeconds,
  periodSeconds: 10,
  timeoutSeconds: 15,
  failureThreshold: 8,
})

const spread = (labels: Record<string, string>): PartOf['affinity'] => {
  const term = (topologyKey: string, weight: number) => ({
    weight,
    podAffinityTerm: { topologyKey, labelSelector: { matchLabels: labels } },
  })
  return {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        term('kubernetes.io/hostname', 100),
        term('topology.kubernetes.io/zone', 50),
      ],
    },
  }
}

/** PodSecurity `restricted`. */
const containerSecurity = ({ needsBindService = false }: PodSpec): PartOf['securityContext'] => ({
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'], ...(needsBindService ? { add: ['NET_BIND_SERVICE'] } : {}) },
})

const TEMPORARY = { name: 'tmp', mountPath: '/tmp' }

const container = (spec: PodSpec): PartOf['container'] => ({
  name: spec.component,
  image: spec.image,
  imagePullPolicy: 'IfNotPresent',
  command: [...spec.command],
  env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
  ports: spec.ports.map(({ name, port }) => ({ name, containerPort: port, protocol: 'TCP' })),
  readinessProbe: readiness(spec.ready),
  livenessProbe: liveness(spec),
  resources: { requests: spec.requests },
  securityContext: containerSecurity(spec),
  // So that a crash says why, in the pod's status.
  terminationMessagePolicy: 'FallbackToLogsOnError',
  volumeMounts: [
    ...spec.secrets.map(({ secret, path }) => ({ name: secret, mountPath: path, readOnly: true })),
    ...(spec.volumeMounts ?? []),
    TEMPORARY,
  ],
})

const checksumOf = (secrets: readonly Manifest<'Secret'>[], mounts: readonly SecretMount[]): string => {
  const names = mounts.map(({ secret }) => secret)
  const content = secrets.filter(({ metadata }) => names.includes(metadata.name)).map(({ data }) => data)
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}

/** The pod template of a component, for Deployments and StatefulSets alike. */
export const podTemplate = (plan: HostPlan, pki: Pki, spec: PodSpec): PartOf['podTemplate'] => {
  const labels = componentLabels(plan.federationId, spec.component)
  const { imagePullSecret } = plan.properties
  return {
    metadata: {
      labels,
      annotations: { [CHECKSUM_ANNOTATION]: checksumOf(secretManifests(plan, pki), spec.secrets) },
    },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      imagePullSecrets: imagePullSecret === null ? [] : [{ name: imagePullSecret }],
      affinity: spread(labels),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [container(spec)],
      volumes: [
        ...spec.secrets.map(({ secret }) => ({
          name: secret,
          secret: { secretName: secret, defaultMode: SECRET_MODE },
        })),
        { name: TEMPORARY.name, emptyDir: {} },
      ],
    },
  }
}

/** One pod alone is replaced by a new one that comes first; of three one may be missed, so that no room for a fourth is needed. */
const rollingUpdate = ({ properties: { replicas } }: HostPlan) =>
  replicas === 1 ? { maxSurge: 1, maxUnavailable: 0 } : { maxSurge: 0, maxUnavailable: 1 }

/** A component without storage. */
export const deploymentOf = (plan: HostPlan, pki: Pki, spec: PodSpec): Manifest<'Deployment'> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadataOf(plan, spec.component),
  spec: {
    replicas: plan.properties.replicas,
    strategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(plan) },
    selector: { matchLabels: componentLabels(plan.federationId, spec.component) },
    template: podTemplate(plan, pki, spec),
  },
})

/** With three pods of a component one at a time may be evicted; a budget for one pod would only block the drain of its node. */
export const budgetManifests = (plan: HostPlan, components: readonly string[]): Manifest<'PodDisruptionBudget'>[] =>
  plan.properties.replicas === 1
    ? []
    : components.map((component) => ({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: metadataOf(plan, component),
        spec: {
          maxUnavailable: 1,
          selector: { matchLabels: componentLabels(plan.federationId, component) },
        },
      }))
