import type { JsonObject } from '../../../../../core/values/json.ts'
import type { InfrastructureKind } from './infrastructures.ts'
import { VARIABLES, type VariableName, WORKER_CLASS } from './topology.ts'

const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io/v1beta2'
const CONTROL_PLANE = 'controlplane.cluster.x-k8s.io/v1beta2'

/** Names of the templates of a class. */
export type TemplateNames = { cluster: string; controlPlane: string; controlPlaneMachine: string; worker: string }

export const templateNames = (className: string): TemplateNames => ({
  cluster: className,
  controlPlane: className,
  controlPlaneMachine: `${className}-control-plane`,
  worker: `${className}-worker`,
})

/** How long a machine that goes may take, seconds. Never without end: a volume or a disruption budget would hold it (cluster-api.md section 7, row 31). */
const DELETION = { nodeDrainTimeoutSeconds: 600, nodeVolumeDetachTimeoutSeconds: 300, nodeDeletionTimeoutSeconds: 300 }

const LOST = ['Unknown', 'False'].map((status) => ({ type: 'Ready', status, timeoutSeconds: 300 }))

/** A node that is not Ready for five minutes is replaced; one that is new has half an hour (cluster-api.md section 3, auto-healing). */
const healthCheck = (most: number | string): JsonObject => ({
  checks: { nodeStartupTimeoutSeconds: 1800, unhealthyNodeConditions: LOST },
  remediation: { triggerIf: { unhealthyLessThanOrEqualTo: most } },
})

const templateRef = (apiVersion: string, kind: string, name: string): JsonObject => ({
  templateRef: { apiVersion, kind: `${kind}Template`, name },
})

const variable = (name: VariableName, description: string, required: boolean): JsonObject => ({
  name,
  required,
  schema: { openAPIV3Schema: { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true } },
})

type Target = { apiVersion: string; kind: string; matchResources: JsonObject; path: string }

/** Puts a whole variable in the place of what the template has. */
const patch = (name: VariableName, { path, kind, ...selector }: Target): JsonObject => ({
  name,
  definitions: [
    {
      selector: { ...selector, kind: `${kind}Template` },
      jsonPatches: [{ op: 'replace', path, valueFrom: { variable: name } }],
    },
  ],
})

const WORKERS = { machineDeploymentClass: { names: [WORKER_CLASS] } }

const patches = ({ apiVersion, cluster, machine, clusterSpec }: InfrastructureKind): JsonObject[] => {
  const template = '/spec/template/spec'
  const whole = { apiVersion, path: template }
  return [
    ...(clusterSpec === undefined
      ? []
      : [
          patch(VARIABLES.infrastructureCluster, {
            ...whole,
            kind: cluster.kind,
            matchResources: { infrastructureCluster: true },
          }),
        ]),
    patch(VARIABLES.controlPlaneMachine, { ...whole, kind: machine.kind, matchResources: { controlPlane: true } }),
    patch(VARIABLES.controlPlaneConfig, {
      apiVersion: CONTROL_PLANE,
      kind: 'KubeadmControlPlane',
      matchResources: { controlPlane: true },
      path: `${template}/kubeadmConfigSpec`,
    }),
    patch(VARIABLES.workerMachine, { ...whole, kind: machine.kind, matchResources: WORKERS }),
    patch(VARIABLES.workerConfig, {
      apiVersion: BOOTSTRAP,
      kind: 'KubeadmConfig',
      matchResources: WORKERS,
      path: template,
    }),
  ]
}

const variables = ({ clusterSpec, cluster, machine }: InfrastructureKind): JsonObject[] => [
  ...(clusterSpec === undefined
    ? []
    : [variable(VARIABLES.infrastructureCluster, `Spec of the ${cluster.kind}. Most of it can't be changed.`, true)]),
  variable(VARIABLES.controlPlaneMachine, `Spec of the control plane's ${machine.kind}s.`, true),
  variable(VARIABLES.controlPlaneConfig, 'kubeadmConfigSpec of the KubeadmControlPlane.', true),
  variable(VARIABLES.workerMachine, `Spec of a worker group's ${machine.kind}s, by group.`, false),
  variable(VARIABLES.workerConfig, "Spec of a worker group's KubeadmConfigs, by group.", false),
]

/** `spec` of the ClusterClass. */
export const classSpec = (kind: InfrastructureKind, names: TemplateNames): JsonObject => ({
  infrastructure: templateRef(kind.apiVersion, kind.cluster.kind, names.cluster),
  controlPlane: {
    ...templateRef(CONTROL_PLANE, 'KubeadmControlPlane', names.controlPlane),
    machineInfrastructure: templateRef(kind.apiVersion, kind.machine.kind, names.controlPlaneMachine),
    deletion: DELETION,
    healthCheck: healthCheck(1),
  },
  workers: {
    machineDeployments: [
      {
        class: WORKER_CLASS,
        bootstrap: templateRef(BOOTSTRAP, 'KubeadmConfig', names.worker),
        infrastructure: templateRef(kind.apiVersion, kind.machine.kind, names.worker),
        // A count that was a slip takes back what came of it, and no node that works.
        deletion: { ...DELETION, order: 'Newest' },
        healthCheck: healthCheck('80%'),
      },
    ],
  },
  variables: variables(kind),
  patches: patches(kind),
})

/** Specs of the templates that patches fill; placeholders where an API wants something. */
export const KUBEADM_PLACEHOLDER = { joinConfiguration: { nodeRegistration: { name: 'placeholder' } } } as const

/** The control plane but for its kubeadm configuration: machines are replaced before their certificates, which last a year, end; a failed repair is tried again. */
export const controlPlaneTemplate: JsonObject = {
  kubeadmConfigSpec: KUBEADM_PLACEHOLDER,
  rollout: { before: { certificatesExpiryDays: 21 } },
  remediation: { maxRetry: 3, retryPeriodSeconds: 1200, minHealthyPeriodSeconds: 3600 },
}
