import * as z from 'zod'
import { ON_HEALTHY, ON_UNHEALTHY } from '../../core/health-policy/health-policy.ts'
import {
  type Answers,
  conditionsAnswer,
  eventAnswer,
  kubeconfigAnswer,
  linksAnswer,
  operationAnswer,
  pageAnswer,
  statusAnswer,
  textMapAnswer,
  timeAnswer,
  uuidAnswer,
} from '../common.answer.schema.ts'

/** An item of the plain list. */
const federationItemAnswer = z.object({
  uuid: z.string(),
  name: z.string(),
  hostcluster_id: z.string(),
  member_ids: z.array(z.string()),
  status: statusAnswer,
  properties: textMapAnswer,
  links: linksAnswer,
})

const memberItem = z.object({
  cluster_id: z.string(),
  name: z.string(),
  state: z.enum(['Waiting', 'Joining', 'Ready', 'Degraded', 'Leaving', 'JoinFailed', 'UnjoinFailed']),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  since: timeAnswer,
  /** Of a cluster of another project. */
  shared: z.literal(true).optional(),
  /** Brought by the selector. */
  selected: z.literal(true).optional(),
  /** It takes no new workloads, since its cluster is unhealthy. */
  cordoned: z.literal(true).optional(),
})

const membersAnswer = z.object({ members: z.array(memberItem) })

const memberAnswer = memberItem.extend({
  operation: operationAnswer,
  credential: z
    .object({ kind: z.string(), expires_at: timeAnswer.nullable(), renew_after: timeAnswer.nullable() })
    .nullable(),
  leftovers: z.array(z.string()),
})

const federationAnswer = federationItemAnswer.extend({
  status_reason: z.string().nullable(),
  created_at: timeAnswer,
  updated_at: timeAnswer.nullable(),
  driver: z.string(),
  host: z.object({ created: z.boolean(), keep: z.boolean() }),
  project_id: z.string(),
  conditions: conditionsAnswer,
  members: z.array(memberItem),
  operation: operationAnswer,
  endpoint: z.string().nullable(),
  certificates_renew_after: timeAnswer.nullable(),
  member_selector: z
    .object({
      labels: z.string().optional(),
      driver: z.string().optional(),
      health_status: z.string().optional(),
      status: z.string().optional(),
      version: z.string().optional(),
      max_unavailable: z.int(),
      member_limit: z.int().nullable(),
      set_by: z.string(),
    })
    .nullable(),
  /** Selected members that somebody removed. */
  excluded_ids: z.array(z.string()),
  on_unhealthy: z.enum(ON_UNHEALTHY),
  after_seconds: z.int(),
  on_healthy: z.enum(ON_HEALTHY),
  /** Clusters that left by the health policy. */
  left_unhealthy_ids: z.array(z.string()),
})

const namedAnswer = z.array(z.object({ uuid: z.string(), name: z.string() }))

/** Answer to `?dry_run=true`. */
const dryRunAnswerSchema = z.object({
  would_succeed: z.boolean(),
  findings: z.array(
    z.object({
      severity: z.enum(['error', 'warning']),
      reason: z.string(),
      message: z.string(),
      cluster_id: z.string().nullable(),
    }),
  ),
  would_make: z.array(z.string()),
  would_remove: z.array(z.string()).optional(),
  /** By the selector, or the health policy. */
  would_join: namedAnswer.optional(),
  would_leave: namedAnswer.optional(),
  would_cordon: namedAnswer.optional(),
})

/** Members whose credentials are being replaced, and why those of others are not. */
const rotationsAnswer = z.strictObject({
  uuid: z.string(),
  rotating: z.array(z.string()),
  skipped: z.array(z.strictObject({ uuid: z.string(), reason: z.string() })),
})

export const FEDERATION_ANSWERS: Answers = {
  'GET /v1/federations': { 200: pageAnswer('federations', federationItemAnswer) },
  'POST /v1/federations': { 200: dryRunAnswerSchema, 202: uuidAnswer },
  'GET /v1/federations/detail': { 200: pageAnswer('federations', federationAnswer) },
  'GET /v1/federations/{federation}': { 200: federationAnswer },
  'PATCH /v1/federations/{federation}': { 200: dryRunAnswerSchema, 202: uuidAnswer },
  'DELETE /v1/federations/{federation}': { 204: null },
  'POST /v1/federations/{federation}/actions/release-selector': { 202: uuidAnswer },
  'POST /v1/federations/{federation}/members/{cluster}/actions/rotate': { 202: uuidAnswer },
  'POST /v1/federations/{federation}/actions/rotate-members': { 202: rotationsAnswer },
  'GET /v1/federations/{federation}/kubeconfig': { 200: kubeconfigAnswer },
  'POST /v1/federations/{federation}/kubeconfig': { 200: kubeconfigAnswer },
  'GET /v1/federations/{federation}/members': { 200: membersAnswer },
  'GET /v1/federations/{federation}/members/{cluster}': { 200: memberAnswer },
  'GET /v1/federations/{federation}/events': { 200: pageAnswer('events', eventAnswer) },
}
