import * as z from 'zod'
import type { Json, JsonObject } from '../../../../../core/values/json.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ManagementObjectChanged } from '../model/errors.ts'

/** A named value: a variable, or an override of one. */
export type Variable = { name: string; value: Json }

/** One entry of `workers.machineDeployments`, with whatever else it has. */
export type WorkerEntry = {
  name: string
  class: string
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
  replicas?: number
  variables?: { overrides: Variable[] }
  [field: string]: unknown
}

export type Topology = {
  /** Without a namespace it is the Cluster's own: classes that were made for each project. */
  classRef: { name: string; namespace?: string }
  version: string
  /** Without replicas somebody took them out: what there is stays. */
  controlPlane: { replicas?: number; [field: string]: unknown }
  workers?: { machineDeployments?: WorkerEntry[] }
  variables: Variable[]
}

/** The part of a Cluster's `spec` that is ours. What Cluster API itself writes there is never sent: references, endpoint. */
export type ClusterSpec = { clusterNetwork?: JsonObject; topology: Topology }

const variable = z.looseObject({ name: z.string(), value: z.json() })
const texts = z.record(z.string(), z.string())

const Entry = z.looseObject({
  name: z.string(),
  class: z.string(),
  metadata: z.looseObject({ labels: texts.optional(), annotations: texts.optional() }).optional(),
  replicas: z.number().optional(),
  variables: z.looseObject({ overrides: z.array(variable).default([]) }).optional(),
})

const Spec = z.object({
  clusterNetwork: z.record(z.string(), z.json()).optional(),
  topology: z.looseObject({
    classRef: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
    version: z.string(),
    controlPlane: z.looseObject({ replicas: z.number().optional() }),
    workers: z.looseObject({ machineDeployments: z.array(Entry).optional() }).optional(),
    variables: z.array(variable).default([]),
  }),
})

/** Somebody took out of a Cluster what changes are made from. `what`: "spec.topology". */
export const changedByHand = ({ namespace, name }: { namespace?: string; name: string }, what: string) =>
  new ManagementObjectChanged(
    `Cluster ${namespace}/${name} was changed by hand: ${what} is missing or can't be read. ` +
      'Put it back in the management cluster, then try again.',
  )

/** Our part of a Cluster as it was read. @throws ManagementObjectChanged for one that lacks what was put into it */
export const specOf = (object: KubernetesObject): ClusterSpec => {
  const { data, error } = Spec.safeParse(object.spec)
  if (data === undefined) throw changedByHand(object.metadata, ['spec', ...(error.issues[0]?.path ?? [])].join('.'))
  const { clusterNetwork, topology } = data
  return {
    ...(clusterNetwork === undefined ? {} : { clusterNetwork: clusterNetwork as JsonObject }),
    topology: topology as Topology,
  }
}

/** The worker entries, by order. */
export const entriesOf = ({ topology }: ClusterSpec): WorkerEntry[] => topology.workers?.machineDeployments ?? []

/** The topology with other worker entries; Cluster API refuses an empty list, and `workers` without one. */
export const withEntries = ({ workers: _, ...topology }: Topology, entries: WorkerEntry[]): Topology =>
  entries.length === 0 ? topology : { ...topology, workers: { machineDeployments: entries } }

/** The variables with some of them changed or added. */
export const withVariables = (variables: readonly Variable[], changed: readonly Variable[]): Variable[] => [
  ...variables.filter(({ name }) => !changed.some((one) => one.name === name)),
  ...changed,
]

/**
 * Variables of our ClusterClasses: each is a whole spec, made here and put into a template by one patch. So a class says nothing of labels and need not
 * change when labels do, and an old class takes what a newer driver renders.
 */
export const VARIABLES = {
  /** `spec` of the infrastructure's cluster. */
  infrastructureCluster: 'infrastructureCluster',
  /** `spec` of the infrastructure's machines of the control plane. */
  controlPlaneMachine: 'controlPlaneMachine',
  /** `kubeadmConfigSpec` of the control plane. */
  controlPlaneConfig: 'controlPlaneConfig',
  /** Of each worker group: `spec` of its infrastructure's machines. */
  workerMachine: 'workerMachine',
  /** Of each worker group: `spec` of its KubeadmConfigs. */
  workerConfig: 'workerConfig',
} as const
export type VariableName = keyof typeof VARIABLES

/** The only class of MachineDeployments. */
export const WORKER_CLASS = 'default-worker'
