import * as z from 'zod'
import { NODE_GROUP_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { TAINT_EFFECTS } from '../../core/cluster/node-group.ts'
import type { ObjectName } from '../../core/values/attributes.ts'
import { type Answers, answerFields, pageAnswer } from '../common.answer.schema.ts'

const taint = z.strictObject({ key: z.string(), value: z.string().optional(), effect: z.enum(TAINT_EFFECTS) })

const OWN = { merge_labels: z.literal(false), node_taints: z.array(taint) } satisfies Record<
  ObjectName<typeof NODE_GROUP_ATTRIBUTES>,
  z.ZodType
> &
  Record<string, z.ZodType>

/** A page of node groups (magnum-rest.md section 6). */
export const nodeGroupsAnswer = pageAnswer(
  'nodegroups',
  z.strictObject(answerFields(NODE_GROUP_ATTRIBUTES, 'list', OWN)),
)

/** A node group, whole. */
export const nodeGroupAnswer = z.strictObject(answerFields(NODE_GROUP_ATTRIBUTES, 'one', OWN))

export const NODE_GROUP_ANSWERS: Answers = {
  'GET /v1/clusters/{cluster}/nodegroups': { 200: nodeGroupsAnswer },
  'POST /v1/clusters/{cluster}/nodegroups': { 202: nodeGroupAnswer },
  'GET /v1/clusters/{cluster}/nodegroups/{nodegroup}': { 200: nodeGroupAnswer },
  'PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}': { 202: nodeGroupAnswer },
  'DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}': { 204: null },
}
