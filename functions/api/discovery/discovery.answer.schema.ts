import * as z from 'zod'

const link = z.object({ href: z.string(), rel: z.string(), type: z.string().optional() })

export const versionsAnswer = z.object({
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
export const versionAnswer = z
  .object({
    id: z.string(),
    media_types: z.array(z.object({ base: z.string(), type: z.string() })),
    links: z.array(link),
  })
  .catchall(z.array(link))

export const openApiAnswer = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) })

/** As JSON; as text it is `OK`. */
export const healthAnswer = z.object({ detailed: z.boolean(), reasons: z.array(z.string()) })
