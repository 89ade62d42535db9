import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import type { DesiredGrant } from '../../core/grant/give-grant.ts'
import { GRANT_ACTIONS, type Receiver } from '../../core/grant/grant.ts'
import { isUuid } from '../../core/values/ids.ts'
import { type OtherAttributes, parseAttributes } from '../body/attributes.ts'
import { optional, textField, wordField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'

const ACTIONS_RULE = 'must be a list of "join" and "host", each at most once'
const TIME_RULE = 'must be a time with its offset, such as "2027-01-31T12:00:00Z"'
const RIGHTS = ['view', 'edit', 'more'] as const

/** Attributes of `POST /v1/clusters/{cluster}/grants`. */
const createGrant = z.object({
  project_id: optional(textField()),
  federation_id: optional(z.string().refine(isUuid, { error: 'must be the UUID of a federation' })),
  actions: z
    .array(z.enum(GRANT_ACTIONS, { error: ACTIONS_RULE }), { error: ACTIONS_RULE })
    .min(1, { error: ACTIONS_RULE })
    .refine((actions) => new Set(actions).size === actions.length, { error: ACTIONS_RULE }),
  rights: optional(wordField(RIGHTS)).meta({
    description:
      'The most that a federation may take in the cluster: the ClusterRole view (the default) or edit, or more.',
  }),
  expires_at: optional(z.iso.datetime({ offset: true, error: TIME_RULE })),
})

const OTHERS: OtherAttributes = {
  ignored: ['uuid'],
  readOnly: ['cluster_uuid', 'cluster_name', 'created_at', 'revoked_at', 'state', 'federations'],
}

const receiverOf = ({ project_id, federation_id }: z.output<typeof createGrant>): Receiver => {
  if (project_id !== undefined && federation_id === undefined) return { projectId: project_id }
  if (federation_id !== undefined && project_id === undefined) return { federationId: federation_id }
  throw new InvalidRequest(
    'Give either "project_id" or "federation_id": whose federations, or which one, may use the cluster.',
  )
}

export const createGrantBody: BodySchema<DesiredGrant> = {
  schema: createGrant,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => {
    const given = parseAttributes(createGrant, body, OTHERS)
    return {
      receiver: receiverOf(given),
      actions: GRANT_ACTIONS.filter((action) => given.actions.includes(action)),
      rights: RIGHTS.find((level) => level === given.rights) ?? 'view',
      expiresAt: given.expires_at === undefined ? null : new Date(given.expires_at).toISOString(),
    }
  },
}
