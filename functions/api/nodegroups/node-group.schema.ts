import * as z from 'zod'
import { MASTER_ROLE } from '../../core/cluster/node-group.ts'
import { parseAttributes } from '../body/attributes.ts'
import { booleanField, integerField, labelsField, optional, sizeNote, textField } from '../body/fields.ts'
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

/** Attributes of `POST /v1/clusters/{cluster}/nodegroups` (magnum-rest.md section 6). */
export const createNodeGroup = z.object({
  name: z.preprocess((value) => value ?? '', textField()),
  node_count: optional(integerField(0)),
  min_node_count: optional(integerField(0)),
  /** 0: no limit. */
  max_node_count: optional(integerField(0)),
  role: optional(roleField),
  flavor_id: optional(textField()),
  image_id: optional(textField()),
  labels: optional(labelsField),
  merge_labels: optional(booleanField),
  /** GB. */
  docker_volume_size: optional(integerField(1)),
  node_labels: optional(nodeLabelsField),
  node_taints: optional(taintsField),
})
export type CreateNodeGroup = z.output<typeof createNodeGroup>

/** `cluster_id` in a body is overwritten by the path's. */
const OTHERS = {
  ignored: [
    'id',
    'uuid',
    'cluster_id',
    'is_default',
    'status',
    'status_reason',
    'version',
    'labels_overridden',
    'labels_added',
    'labels_skipped',
    'created_at',
    'updated_at',
  ],
  readOnly: ['project_id', 'links', 'node_addresses', 'stack_id'],
}

export const createNodeGroupBody: BodySchema<CreateNodeGroup> = {
  schema: createNodeGroup,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(createNodeGroup, body, OTHERS),
}
