import * as z from 'zod'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ManagementUnreachable } from '../../../../contract/errors.ts'
import { shaped } from '../../../../support/pages.ts'

/** What is read of Cluster API's objects (contract v1beta2). Permissive: only the fields that are used, with what their absence means. */

export const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().catch(''),
  message: z.string().catch(''),
  /** Generation that it was set for; servers that do not say it mean the current one. */
  observedGeneration: z.number().optional().catch(undefined),
  lastTransitionTime: z.string().optional().catch(undefined),
})
export type Condition = z.infer<typeof Condition>

const Metadata = z.object({
  name: z.string(),
  namespace: z.string().default(''),
  uid: z.string().default(''),
  generation: z.number().default(0),
  creationTimestamp: z.string().default(''),
  deletionTimestamp: z.string().optional(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
})

const count = z.number().default(0)

/** Fields of every `status`. */
const common = { observedGeneration: count, conditions: z.array(Condition).default([]) }

const TopologyEntry = z.object({
  name: z.string(),
  replicas: z.number().optional(),
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }).prefault({}),
})

export const CapiCluster = z.object({
  kind: z.literal('Cluster').default('Cluster'),
  metadata: Metadata,
  spec: z
    .object({
      controlPlaneEndpoint: z
        .object({ host: z.string().default(''), port: z.number().default(0) })
        .default({ host: '', port: 0 }),
      topology: z
        .object({
          version: z.string().default(''),
          controlPlane: z.object({ replicas: z.number().optional() }).default({}),
          workers: z
            .object({ machineDeployments: z.array(TopologyEntry).default([]) })
            .default({ machineDeployments: [] }),
        })
        .optional(),
    })
    .prefault({}),
  status: z
    .object({
      ...common,
      controlPlane: z
        .object({ versions: z.array(z.object({ version: z.string() })).default([]) })
        .default({ versions: [] }),
    })
    .prefault({}),
})
export type CapiCluster = z.infer<typeof CapiCluster>

/** Counters of what has replicas. */
const replicated = {
  ...common,
  replicas: count,
  availableReplicas: count,
  upToDateReplicas: count,
  readyReplicas: count,
}

export const ControlPlane = z.object({
  kind: z.literal('KubeadmControlPlane').default('KubeadmControlPlane'),
  metadata: Metadata,
  spec: z.object({ replicas: z.number().default(1), version: z.string().default('') }),
  // Deprecated since Cluster API 1.14, which tells the versions in the Cluster; 1.13 has them here only.
  status: z.object({ ...replicated, version: z.string().default('') }).prefault({}),
})
export type ControlPlane = z.infer<typeof ControlPlane>

export const MachineDeployment = z.object({
  kind: z.literal('MachineDeployment').default('MachineDeployment'),
  metadata: Metadata,
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({ spec: z.object({ version: z.string().default('') }).prefault({}) }).prefault({}),
  }),
  status: z.object(replicated).prefault({}),
})
export type MachineDeployment = z.infer<typeof MachineDeployment>

export const Machine = z.object({
  kind: z.literal('Machine').default('Machine'),
  metadata: Metadata,
  spec: z.object({ version: z.string().default(''), providerID: z.string().default('') }),
  status: z
    .object({
      ...common,
      addresses: z.array(z.object({ type: z.string(), address: z.string() })).default([]),
      nodeRef: z.object({ name: z.string().default('') }).default({ name: '' }),
    })
    .prefault({}),
})
export type Machine = z.infer<typeof Machine>

/**
 * What CAPO makes a machine by (v1alpha1, with conditions of Cluster API's first kind). What goes wrong is said here and nowhere else: CAPO 0.14 does
 * not carry it over to its machine, and so not to Cluster API's (its issues 2265 and 3375).
 */
export const OpenStackServer = z.object({
  kind: z.literal('OpenStackServer').default('OpenStackServer'),
  metadata: Metadata,
  spec: z
    .object({
      flavor: z.string().optional(),
      flavorID: z.string().optional(),
      image: z
        .object({ id: z.string().optional(), filter: z.object({ name: z.string().optional() }).prefault({}) })
        .prefault({}),
    })
    .prefault({}),
  status: z
    .object({
      ...common,
      /** What was found in the cloud so far; absent until it was looked for. */
      resolved: z
        .object({
          imageID: z.string().default(''),
          flavorID: z.string().default(''),
          ports: z.array(z.unknown()).default([]),
        })
        .optional(),
    })
    .prefault({}),
})
export type OpenStackServer = z.infer<typeof OpenStackServer>

/** What every object of Cluster API has. */
export const Conditioned = z.object({ metadata: Metadata, status: z.object(common).prefault({}) })

/** One of those. */
export type CapiObject = CapiCluster | ControlPlane | MachineDeployment | Machine | OpenStackServer

export const conditionOf = ({ status }: CapiObject, type: string): Condition | undefined =>
  status.conditions.find((condition) => condition.type === type)

/** An absent condition is not True. */
export const isTrue = (object: CapiObject, type: string): boolean => conditionOf(object, type)?.status === 'True'

/** Conditions that are well when they are not True: whatever changes at the moment. */
const CHANGES = ['RollingOut', 'ScalingUp', 'ScalingDown'] as const

/** True while machines are being replaced, added or taken away on purpose: not every one is healthy then. */
export const isChanging = (object: CapiObject): boolean => CHANGES.some((type) => isTrue(object, type))

export const isLeaving = ({ metadata }: CapiObject): boolean => metadata.deletionTimestamp !== undefined

/** Its controller has seen what is wanted of it. */
export const isSettled = (object: CapiObject): boolean =>
  object.status.observedGeneration >= object.metadata.generation && !isLeaving(object)

/** An object of a management cluster as it is used here. @throws ManagementUnreachable for one of another shape */
export const readAs = <T>(where: string, shape: z.ZodType<T>, object: KubernetesObject): T => {
  const read = shaped(shape, object)
  if (read.fault === undefined) return read.data
  throw new ManagementUnreachable(
    `Management cluster ${where} can't be worked with at the moment: it tells of a ${object.kind} what no Cluster API says (${read.fault}).`,
    { details: { kind: object.kind, field: read.fault } },
  )
}
