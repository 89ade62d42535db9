import * as z from 'zod'
import { TAINT_EFFECTS } from '../../core/cluster/node-group.ts'
import type { Answers } from '../answers.ts'
import { linksAnswer, pageAnswer, statusAnswer, textMapAnswer, timeAnswer } from '../common.answer.schema.ts'

const inBoth = {
  uuid: z.string(),
  name: z.string(),
  flavor_id: z.string().nullable(),
  image_id: z.string().nullable(),
  node_count: z.int(),
  role: z.string(),
  min_node_count: z.int(),
  max_node_count: z.int().nullable(),
  is_default: z.boolean(),
  /** The cluster's id, in every version. */
  stack_id: z.string(),
  status: statusAnswer,
  merge_labels: z.literal(false),
}

/** A page of node groups (magnum-rest.md section 6). */
export const nodeGroupsAnswer = pageAnswer('nodegroups', z.strictObject(inBoth))

/** A node group, whole. */
export const nodeGroupAnswer = z.strictObject({
  ...inBoth,
  /** Rises within the cluster. */
  id: z.int(),
  cluster_id: z.string(),
  project_id: z.string(),
  docker_volume_size: z.int().nullable(),
  labels: textMapAnswer,
  labels_overridden: textMapAnswer,
  labels_added: textMapAnswer,
  labels_skipped: textMapAnswer,
  links: linksAnswer,
  node_addresses: z.array(z.string()),
  status_reason: z.string().nullable(),
  version: z.string().nullable(),
  node_labels: textMapAnswer,
  node_taints: z.array(
    z.strictObject({ key: z.string(), value: z.string().optional(), effect: z.enum(TAINT_EFFECTS) }),
  ),
  created_at: timeAnswer,
  updated_at: timeAnswer.nullable(),
})

export const NODE_GROUP_ANSWERS: Answers = {
  'GET /v1/clusters/{cluster}/nodegroups': { 200: nodeGroupsAnswer },
  'POST /v1/clusters/{cluster}/nodegroups': { 202: nodeGroupAnswer },
  'GET /v1/clusters/{cluster}/nodegroups/{nodegroup}': { 200: nodeGroupAnswer },
  'PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}': { 202: nodeGroupAnswer },
  'DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}': { 204: null },
}
