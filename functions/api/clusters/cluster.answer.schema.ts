import * as z from 'zod'
import { CLUSTER_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import type { ObjectName } from '../../core/values/attributes.ts'
import {
  type Answers,
  answerFields,
  conditionsAnswer,
  eventAnswer,
  kubeconfigAnswer,
  operationAnswer,
  pageAnswer,
  textMapAnswer,
  timeAnswer,
  uuidAnswer,
} from '../common.answer.schema.ts'

const OWN = {
  uuid: z.uuid(),
  stack_id: z.uuid().optional().meta({ description: 'Up to version 1.12.' }),
  cluster_id: z.uuid().optional().meta({ description: 'From version 1.13 on.' }),
  create_timeout: z.int().nullable().meta({ description: 'Minutes.' }),
  merge_labels: z.literal(false),
  faults: textMapAnswer.optional().meta({ description: 'Reasons by node group, when something failed.' }),
  conditions: conditionsAnswer,
  federations: z.array(
    z.object({ uuid: z.string(), role: z.enum(['host', 'member']), project_id: z.string().optional() }),
  ),
  operation: operationAnswer.unwrap().extend({ task: z.string().nullable(), queued: z.int() }).nullable(),
  management: z.object({ driver: z.string(), default: z.boolean() }).catchall(z.string()).nullable().meta({
    description: 'Of a management cluster: the driver that makes clusters through it, and what that asked for.',
  }),
  management_cluster: z.uuid().nullable().meta({ description: 'What the cluster is made through.' }),
  // Of clusters that were registered so, without what is confidential.
  eks: textMapAnswer.optional(),
} satisfies Record<ObjectName<typeof CLUSTER_ATTRIBUTES>, z.ZodType> & Record<string, z.ZodType>

/** An item of the plain list: exactly Magnum's keys (magnum-rest.md 4.2). */
export const clusterItemAnswer = z.object(answerFields(CLUSTER_ATTRIBUTES, 'list', OWN))

/** An item of the detailed list. */
export const clusterDetailAnswer = z.object(answerFields(CLUSTER_ATTRIBUTES, 'detail', OWN))

/** One cluster. */
export const clusterAnswer = z.object(answerFields(CLUSTER_ATTRIBUTES, 'one', OWN))

const observeAnswer = z.object({
  uuid: z.uuid(),
  state: z.enum(['idle', 'waiting', 'running']),
  asked_at: timeAnswer.nullable(),
  begun_at: timeAnswer.nullable(),
  ended_at: timeAnswer.nullable(),
})

const hookAnswer = z.object({ uuid: z.uuid(), name: z.string(), created_at: timeAnswer })

export const CLUSTER_ANSWERS: Answers = {
  'GET /v1/clusters': { 200: pageAnswer('clusters', clusterItemAnswer) },
  'POST /v1/clusters': { 202: uuidAnswer },
  'GET /v1/clusters/detail': { 200: pageAnswer('clusters', clusterDetailAnswer) },
  'GET /v1/clusters/{cluster}': { 200: clusterAnswer },
  'GET /v1/clusters/{cluster}/events': { 200: pageAnswer('events', eventAnswer) },
  'PATCH /v1/clusters/{cluster}': { 202: uuidAnswer },
  'DELETE /v1/clusters/{cluster}': { 204: null },
  'POST /v1/clusters/{cluster}/kubeconfig': { 200: kubeconfigAnswer },
  'POST /v1/clusters/{cluster}/actions/resize': { 202: uuidAnswer },
  'POST /v1/clusters/{cluster}/actions/upgrade': { 202: uuidAnswer },
  'POST /v1/clusters/{cluster}/actions/observe': { 202: observeAnswer },
  'GET /v1/clusters/{cluster}/actions/observe': { 200: observeAnswer },
  'POST /v1/clusters/{cluster}/hooks': { 201: hookAnswer.extend({ url: z.url() }) },
  'GET /v1/clusters/{cluster}/hooks': { 200: z.object({ hooks: z.array(hookAnswer) }) },
  'DELETE /v1/clusters/{cluster}/hooks/{hook}': { 204: null },
  'POST /v1/hooks/{hook}': { 202: uuidAnswer },
}
