import * as z from 'zod'
import { CLUSTER_TASKS } from '../../core/cluster/cluster-task.ts'
import { KUBECONFIG_ROLES } from '../../core/values/identity.ts'
import { type Answers, linksAnswer } from '../common.answer.schema.ts'

const federationSide = z.strictObject({
  description: z.string(),
  contract: z.int(),
  /** Taken for federations that name no driver. */
  default: z.boolean(),
  capabilities: z.strictObject({
    host_as_member: z.boolean(),
    uses_kubernetes_api: z.boolean(),
    kubeconfig: z.boolean(),
    workloads: z.boolean(),
    cordon: z.boolean(),
    revoke: z.boolean(),
  }),
  /** By role how far a kubeconfig may reach: everything, or one namespace. */
  kubeconfig_roles: z.partialRecord(z.enum(KUBECONFIG_ROLES), z.array(z.enum(['all', 'namespace']))),
  properties: z.array(z.strictObject({ key: z.string(), description: z.string(), default: z.string().nullable() })),
})

const clusterSide = z.strictObject({
  description: z.string(),
  contract: z.int(),
  capabilities: z.strictObject({
    needs_kubeconfig: z.boolean(),
    kubernetes_api: z.boolean(),
    makes_nodes: z.boolean(),
    certificate_authority: z.boolean(),
    needs_management: z.boolean(),
  }),
  /** The public template that stands for its clusters; null when they need one of their own. */
  builtin_template: z.strictObject({ uuid: z.uuid(), name: z.string(), links: linksAnswer }).nullable(),
  /** What is asked of a management cluster; null for drivers that need none. */
  management: z
    .strictObject({
      fields: z.array(z.strictObject({ name: z.string(), required: z.boolean(), rule: z.string() })),
    })
    .nullable(),
  /** Kinds of changes of a cluster that it knows; others are refused with 400. */
  updates: z.array(z.enum(CLUSTER_TASKS)),
})

/** A driver; a side is null when nothing of that kind has its id. */
export const driverAnswer = z.strictObject({
  id: z.string(),
  federation: federationSide.nullable(),
  cluster: clusterSide.nullable(),
  links: linksAnswer,
})

export const driversAnswer = z.strictObject({ drivers: z.array(driverAnswer) })

export const DRIVER_ANSWERS: Answers = {
  'GET /v1/drivers': { 200: driversAnswer },
  'GET /v1/drivers/{driver}': { 200: driverAnswer },
}
