import * as z from 'zod'
import { type OtherAttributes, parseAttributes } from '../body/attributes.ts'
import { integerField, optional, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import type { BodySchema } from '../route.ts'

/** Nodes that one resize names at most. */
const NODES_TO_REMOVE_MAX = 1000

const NODES_RULE = `must be a list of at most ${NODES_TO_REMOVE_MAX} ids or names of nodes`

/** Body of `actions/resize` (magnum-rest.md 4.5). */
export const resizeCluster = z.object({
  node_count: integerField(0),
  nodes_to_remove: optional(
    z.array(textField(), { error: NODES_RULE }).max(NODES_TO_REMOVE_MAX, { error: NODES_RULE }),
  ),
  /** Id or name; default the default group of workers. */
  nodegroup: optional(textField()),
})
export type ResizeCluster = z.output<typeof resizeCluster>

/** Body of `actions/upgrade` (magnum-rest.md 4.6). */
export const upgradeCluster = z.object({
  /** Id or name. Without one nothing is found: 404 (magnum-rest.md 13.5). */
  cluster_template: optional(textField()),
  /** Nodes that are replaced at a time. Null is 1; absent is refused (magnum-rest.md 13.6). */
  max_batch_size: integerField(1).nullable(),
  nodegroup: optional(textField()),
})
export type UpgradeCluster = z.output<typeof upgradeCluster>

const NO_OTHERS: OtherAttributes = { ignored: [], readOnly: [] }

export const resizeClusterBody: BodySchema<ResizeCluster> = {
  schema: resizeCluster,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(resizeCluster, body, NO_OTHERS),
}

export const upgradeClusterBody: BodySchema<UpgradeCluster> = {
  schema: upgradeCluster,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(upgradeCluster, body, NO_OTHERS),
}
