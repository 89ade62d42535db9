import * as z from 'zod'
import { IDENTITY_SOURCES, ROLES } from '../../core/values/identity.ts'
import { type Answers, timeAnswer } from '../common.answer.schema.ts'

const link = z.object({ href: z.string(), rel: z.string(), type: z.string().optional() })

const versionsAnswer = z.object({
  name: z.string(),
  description: z.string(),
  versions: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      min_version: z.string(),
      max_version: z.string(),
      links: z.array(link),
    }),
  ),
})

/** Beside these, one pair of links per resource. */
const versionAnswer = z
  .object({
    id: z.string(),
    media_types: z.array(z.object({ base: z.string(), type: z.string() })),
    links: z.array(link),
  })
  .catchall(z.array(link))

const openApiAnswer = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) })

/** As text it is `OK`, or the reason. */
const healthAnswer = {
  'application/json': z.object({ detailed: z.boolean(), reasons: z.array(z.string()) }),
  'text/plain': z.string(),
}

export const DISCOVERY_ANSWERS: Answers = {
  'GET /': { 200: versionsAnswer },
  'GET /v1': { 200: versionAnswer },
  'GET /v1/openapi.json': { 200: openApiAnswer },
  'GET /healthcheck': { 200: healthAnswer, 503: healthAnswer },
}

const mserviceAnswer = z.object({
  id: z.int(),
  host: z.string(),
  binary: z.literal('magnum-conductor'),
  state: z.enum(['up', 'down']),
  report_count: z.int(),
  disabled: z.literal(false),
  disabled_reason: z.null(),
  created_at: timeAnswer,
  updated_at: timeAnswer,
})

const mservicesAnswer = z.object({ mservices: z.array(mserviceAnswer) })

export const MSERVICE_ANSWERS: Answers = {
  'GET /v1/mservices': { 200: mservicesAnswer },
}

/** `nodes` has the masters in it. */
const statsAnswer = z.object({ clusters: z.int(), nodes: z.int() })

export const STATS_ANSWERS: Answers = {
  'GET /v1/stats': { 200: statsAnswer },
}

const whoamiAnswer = z.object({
  user_id: z.string(),
  project_id: z.string(),
  roles: z.array(z.enum(ROLES)),
  source: z.enum(IDENTITY_SOURCES),
})

export const WHOAMI_ANSWERS: Answers = {
  'GET /v1/whoami': { 200: whoamiAnswer },
}
