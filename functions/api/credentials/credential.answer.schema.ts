import * as z from 'zod'
import { type Answers, pageAnswer, timeAnswer, uuidAnswer } from '../common.answer.schema.ts'

const credentialAnswer = z.object({
  uuid: z.uuid(),
  kind: z.enum([
    'cluster-kubeconfig',
    'application-credential',
    'certificate-authority',
    'control-plane-keys',
    'member-token',
    'service-account',
    'secret',
    'kubeconfig',
    'hook',
    'trigger-secret',
  ]),
  place: z.enum(['fedplane', 'host', 'member', 'control-plane', 'bearer']),
  project_id: z.string(),
  cluster_uuid: z.string().nullable(),
  cluster_name: z.string().nullable(),
  federation_uuid: z.string().nullable(),
  federation_name: z.string().nullable(),
  object: z.string().nullable(),
  holder: z.enum(['fedplane', 'federation', 'user', 'anyone', 'nobody']),
  user_id: z.string().nullable(),
  rights: z.string().nullable(),
  left_behind: z.boolean(),
  valid_until: z.union([timeAnswer, z.enum(['never', 'unknown'])]),
})

export const CREDENTIAL_ANSWERS: Answers = {
  'GET /v1/credentials/inventory': { 200: pageAnswer('credentials', credentialAnswer) },
  'PATCH /v1/credentials/{cluster}': { 202: uuidAnswer },
}
