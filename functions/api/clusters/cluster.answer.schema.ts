import * as z from 'zod'
import type { Answers } from '../answers.ts'
import {
  conditionsAnswer,
  linksAnswer,
  operationAnswer,
  pageAnswer,
  statusAnswer,
  textMapAnswer,
  timeAnswer,
  uuidAnswer,
} from '../common.answer.schema.ts'
import { eventAnswer } from '../events/event.answer.schema.ts'
import type { RegistrationAttribute } from './registration-attributes.ts'

const text = z.string().nullable()

/** Of clusters that were registered so, without what is confidential. */
const registrationAnswers: Readonly<Record<RegistrationAttribute, z.ZodOptional<typeof textMapAnswer>>> = {
  eks: textMapAnswer.optional(),
}

/** An item of the plain list: exactly Magnum's keys (magnum-rest.md 4.2). */
export const clusterItemAnswer = z.object({
  uuid: z.uuid(),
  name: z.string(),
  cluster_template_id: z.string(),
  keypair: text,
  node_count: z.int(),
  master_count: z.int(),
  docker_volume_size: z.int().nullable(),
  labels: textMapAnswer,
  master_flavor_id: text,
  flavor_id: text,
  create_timeout: z.int().nullable().meta({ description: 'Minutes.' }),
  links: linksAnswer,
  stack_id: z.uuid().optional().meta({ description: 'Up to version 1.12.' }),
  cluster_id: z.uuid().optional().meta({ description: 'From version 1.13 on.' }),
  status: statusAnswer,
  health_status: z.enum(['HEALTHY', 'UNHEALTHY', 'UNKNOWN']).nullable(),
  merge_labels: z.literal(false),
})

/** An item of the detailed list. */
export const clusterDetailAnswer = clusterItemAnswer.extend({
  status_reason: text,
  health_status_reason: textMapAnswer,
  discovery_url: text,
  api_address: text,
  coe_version: text,
  container_version: text,
  project_id: z.string(),
  user_id: z.string(),
  node_addresses: z.array(z.string()),
  master_addresses: z.array(z.string()),
  fixed_network: text,
  fixed_subnet: text,
  floating_ip_enabled: z.boolean().nullable(),
  labels_overridden: textMapAnswer,
  labels_added: textMapAnswer,
  labels_skipped: textMapAnswer,
  master_lb_enabled: z.boolean().nullable(),
  created_at: timeAnswer,
  updated_at: timeAnswer.nullable(),
  driver: z.string(),
  conditions: conditionsAnswer,
  federations: z.array(z.object({ uuid: z.string(), role: z.enum(['host', 'member']) })),
  operation: operationAnswer.unwrap().extend({ task: text, queued: z.int() }).nullable(),
  tls_verify: z.boolean().nullable(),
  management: z.object({ driver: z.string(), default: z.boolean() }).catchall(z.string()).nullable().meta({
    description: 'Of a management cluster: the driver that makes clusters through it, and what that asked for.',
  }),
  management_cluster: z.uuid().nullable().meta({ description: 'What the cluster is made through.' }),
  ...registrationAnswers,
})

/** One cluster. */
export const clusterAnswer = clusterDetailAnswer.extend({
  faults: textMapAnswer.optional().meta({ description: 'Reasons by node group, when something failed.' }),
})

export const CLUSTER_ANSWERS: Answers = {
  'GET /v1/clusters': { 200: pageAnswer('clusters', clusterItemAnswer) },
  'POST /v1/clusters': { 202: uuidAnswer },
  'GET /v1/clusters/detail': { 200: pageAnswer('clusters', clusterDetailAnswer) },
  'GET /v1/clusters/{cluster}': { 200: clusterAnswer },
  'GET /v1/clusters/{cluster}/events': { 200: pageAnswer('events', eventAnswer) },
  'PATCH /v1/clusters/{cluster}': { 202: uuidAnswer },
  'DELETE /v1/clusters/{cluster}': { 204: null },
  'POST /v1/clusters/{cluster}/actions/resize': { 202: uuidAnswer },
  'POST /v1/clusters/{cluster}/actions/upgrade': { 202: uuidAnswer },
}
