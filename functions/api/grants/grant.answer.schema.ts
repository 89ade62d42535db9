import * as z from 'zod'
import { type Answers, pageAnswer, timeAnswer, uuidAnswer } from '../common.answer.schema.ts'

const grantAnswer = z.object({
  uuid: z.string(),
  direction: z.enum(['given', 'received']),
  cluster_uuid: z.string(),
  cluster_name: z.string(),
  owner_project_id: z.string(),
  project_id: z.string().nullable(),
  federation_id: z.string().nullable(),
  actions: z.array(z.enum(['join', 'host'])),
  rights: z.enum(['view', 'edit', 'more']),
  state: z.enum(['live', 'revoked', 'expired']),
  expires_at: timeAnswer.nullable(),
  revoked_at: timeAnswer.nullable(),
  created_at: timeAnswer,
  user_id: z.string().nullable(),
  federations: z.array(
    z.object({ uuid: z.string(), project_id: z.string(), role: z.enum(['host', 'member']), since: timeAnswer }),
  ),
})

const clusterFederationAnswer = z.object({
  uuid: z.string(),
  name: z.string().nullable(),
  project_id: z.string(),
  role: z.enum(['host', 'member']),
  driver: z.string().nullable(),
  rights: z.enum(['view', 'edit', 'more']).nullable(),
  grant_id: z.string().nullable(),
  since: timeAnswer.nullable(),
  name_in_federation: z.string().nullable(),
  state: z.string().nullable(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  made: z.array(z.string()),
  credential: z.object({ kind: z.string(), expires_at: timeAnswer.nullable() }).nullable(),
})

export const GRANT_ANSWERS: Answers = {
  'GET /v1/grants': { 200: pageAnswer('grants', grantAnswer) },
  'GET /v1/clusters/{cluster}/grants': { 200: pageAnswer('grants', grantAnswer) },
  'POST /v1/clusters/{cluster}/grants': { 201: grantAnswer },
  'GET /v1/clusters/{cluster}/grants/{grant}': { 200: grantAnswer },
  'DELETE /v1/clusters/{cluster}/grants/{grant}': { 204: null },
  'GET /v1/clusters/{cluster}/federations': { 200: z.object({ federations: z.array(clusterFederationAnswer) }) },
  'DELETE /v1/clusters/{cluster}/federations/{federation}': { 202: uuidAnswer },
}
