import * as z from 'zod'
import { NODE_GROUP_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { MASTER_ROLE } from '../../core/cluster/node-group.ts'
import { otherAttributes, patchFields, requestFields } from '../attributes.ts'
import { parseAttributes } from '../body/attributes.ts'
import { optional, sizeNote, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'

const TAINTS_RULE = 'must be a list of taints like {"key": "gpu", "value": "yes", "effect": "NoSchedule"}'

const taintText = optional(z.string({ error: 'must be text' }))

/** Taints by their shape only: what Kubernetes says of keys, values and effects is 409 and comes later. */
const taintsField = z
  .array(
    z.strictObject(
      { key: taintText, value: taintText, effect: taintText },
      {
        error: ({ code }) => (code === 'unrecognized_keys' ? 'may have "key", "value" and "effect" only' : TAINTS_RULE),
      },
    ),
    { error: TAINTS_RULE },
  )
  .meta({ description: sizeNote('node_taints') })

/** The same as the value of a patch. */
export const taintsValue = z.object({ node_taints: taintsField })

const nodeLabelsField = z
  .record(z.string(), z.string({ error: 'must be text' }), { error: 'must be an object of label names and texts' })
  .meta({ description: sizeNote('node_labels') })

/** However it is written: a role that reads like that of the masters is taken for it. */
const roleField = textField().refine((role) => role.trim().toLowerCase() !== MASTER_ROLE, {
  error: `must not be "${MASTER_ROLE}": a cluster has one group of masters, which is made with it`,
})

const OWN = {
  name: z.preprocess((value) => value ?? '', textField()),
  role: optional(roleField),
  node_labels: optional(nodeLabelsField),
  node_taints: optional(taintsField),
}

/** Attributes of `POST /v1/clusters/{cluster}/nodegroups` (magnum-rest.md section 6). */
const createNodeGroup = z.object(requestFields(NODE_GROUP_ATTRIBUTES, OWN))
export type CreateNodeGroup = z.output<typeof createNodeGroup>

/** What a patch may set, as a plain object. */
export const nodeGroupChange = z.object(patchFields(NODE_GROUP_ATTRIBUTES, OWN))

const OTHERS = otherAttributes(NODE_GROUP_ATTRIBUTES)

export const createNodeGroupBody: BodySchema<CreateNodeGroup> = {
  schema: createNodeGroup,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createNodeGroup, body, OTHERS),
}
