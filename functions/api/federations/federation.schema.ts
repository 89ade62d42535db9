import * as z from 'zod'
import { parseAttributes } from '../body/attributes.ts'
import { nameField, optional, sizeNote, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'

const PROPERTIES_RULE = 'must be an object of texts'

/** Text to text; `null` is the same as absent. */
const propertiesField = z
  .record(
    z
      .string()
      .min(1, { error: 'must not have an empty key' })
      .max(255, { error: 'must have a key of at most 255 characters' }),
    z.string({ error: 'must be text' }),
    { error: PROPERTIES_RULE },
  )
  .meta({ description: sizeNote('properties') })

const MEMBERS_RULE = 'must be a list of cluster ids or names'

/** Attributes of `POST /v1/federations` (magnum-rest.md 8.2), and `driver`. */
export const createFederation = z.object({
  name: optional(nameField),
  hostcluster_id: z
    .string({ error: 'is missing: it must be the id or name of the cluster that hosts the federation' })
    .min(1, { error: 'must be the id or name of the cluster that hosts the federation, not empty' })
    .max(255, { error: 'must be the id or name of a cluster, at most 255 characters' }),
  member_ids: optional(z.array(textField(), { error: MEMBERS_RULE })),
  driver: optional(textField()),
  properties: optional(propertiesField),
})
export type CreateFederation = z.output<typeof createFederation>

const OTHERS = {
  ignored: ['uuid', 'status', 'status_reason'],
  readOnly: ['links', 'created_at', 'updated_at'],
}

export const createFederationBody: BodySchema<CreateFederation> = {
  schema: createFederation,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createFederation, body, OTHERS),
}
