import * as z from 'zod'
import type { DesiredChange } from '../../core/cluster/change-cluster.ts'
import { CLUSTER_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { InvalidRequest, requireSize } from '../../core/errors.ts'
import type { Attributes, PatchName } from '../../core/values/attributes.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { quote } from '../../core/values/wording.ts'
import { patchable, patchFields } from '../attributes.ts'
import { booleanOf, nameField, sizeNote } from '../body/fields.ts'
import { KUBECONFIG_BODY_BYTES_MAX } from '../body/read-body.ts'
import {
  type PatchOperation,
  parsePatch,
  patchSchema,
  requireChangeable,
  requireNotInternal,
} from '../json-patch/patch-operation.ts'
import { integerValue, oneOf, requireWhole, textMapValue, textValue } from '../json-patch/values.ts'
import type { BodySchema } from '../route.ts'
import { isEmptyKubeconfig, KUBECONFIG_RULE } from './cluster.schema.ts'
import { MANAGEMENT_RULE } from './registration.ts'

/** What a PATCH of a cluster asks for; absent keys stay as they are. */
export type ClusterPatch = Pick<DesiredChange, 'name' | 'labels' | 'nodeCount' | 'healthStatus' | 'healthReason'> & {
  kubeconfig?: string | JsonObject
  context?: string
  insecureSkipTlsVerify?: boolean
  /** Null: where fedplane itself reaches it. */
  serverForPeers?: string | null
  /** Null: it shall be no management cluster any more. */
  management?: JsonObject | null
  /** Attributes set with `add`, which demands that they are unset. */
  added: string[]
}

const ATTRIBUTES: Attributes = CLUSTER_ATTRIBUTES

const kubeconfigOf = (operation: PatchOperation): string | JsonObject => {
  const { value } = operation
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    throw new InvalidRequest(`The value of "/kubeconfig" must be ${KUBECONFIG_RULE}.`)
  }
  if (!isEmptyKubeconfig(value)) return value
  throw new InvalidRequest(`The value of "/kubeconfig" is empty; it must be ${KUBECONFIG_RULE}.`)
}

const managementOf = ({ op, value }: PatchOperation): JsonObject | null => {
  if (op === 'remove') return null
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new InvalidRequest(`The value of "/management" ${MANAGEMENT_RULE}.`)
}

const insecureOf = (operation: PatchOperation): boolean => {
  const value = booleanOf(operation.value)
  if (value !== undefined) return value
  throw new InvalidRequest('The value of "/insecure_skip_tls_verify" must be a boolean: true or false.')
}

const nameOf = ({ value }: PatchOperation): string => {
  const { data, error } = nameField.safeParse(value)
  if (error === undefined) return data
  throw new InvalidRequest(`The value of "/name" ${error.issues[0]?.message}.`)
}

const requireRemovable = ({ op, path, attribute }: PatchOperation): void => {
  if (op !== 'remove' || ATTRIBUTES[attribute]?.patch === 'remove') return
  throw new InvalidRequest(`${quote(path)} can be replaced, not removed.`)
}

type Apply = (operation: PatchOperation) => Partial<ClusterPatch>

/** An object: unlike templates, whose clients write them as text, clusters take no text for labels (cases/IN-01). */
const labelsOf = (operation: PatchOperation): Record<string, string> => {
  if (typeof operation.value !== 'string') return textMapValue(operation)
  throw new InvalidRequest('"/labels" must be a JSON object of texts, not a text.')
}

/** `remove` gives the default back (magnum-rest.md 4.3). */
const APPLY: Readonly<Record<PatchName<typeof CLUSTER_ATTRIBUTES>, Apply>> = {
  name: (operation) => ({ name: nameOf(operation) }),
  server_for_peers: (operation) => ({ serverForPeers: operation.op === 'remove' ? null : textValue(operation) }),
  node_count: (operation) => ({
    nodeCount: operation.op === 'remove' ? CLUSTER_ATTRIBUTES.node_count.default : integerValue(operation, 0),
  }),
  labels: (operation) => ({ labels: operation.op === 'remove' ? {} : labelsOf(operation) }),
  health_status: (operation) => ({
    healthStatus: operation.op === 'remove' ? 'UNKNOWN' : oneOf(operation, CLUSTER_ATTRIBUTES.health_status.words),
  }),
  health_status_reason: (operation) => ({ healthReason: operation.op === 'remove' ? {} : textMapValue(operation) }),
  kubeconfig: (operation) => ({ kubeconfig: kubeconfigOf(operation) }),
  context: (operation) => ({ context: textValue(operation) }),
  insecure_skip_tls_verify: (operation) => ({ insecureSkipTlsVerify: insecureOf(operation) }),
  management: (operation) => ({ management: managementOf(operation) }),
}

const EXAMPLE = '{"op": "replace", "path": "/node_count", "value": 2}'

/** Which of them a cluster takes is its driver's matter, and reported when it is known. */
const CHANGEABLE =
  '"/node_count" of clusters whose nodes are managed, "/name" and "/labels" of others, "/health_status", "/health_status_reason", and of clusters that were registered with a kubeconfig "/server_for_peers" and "/kubeconfig" (with it "/context" and "/insecure_skip_tls_verify"); by administrators also "/management" of clusters with a Kubernetes API'

/** Turns operations into what they ask for; the last one on an attribute counts. @throws InvalidRequest, RequestTooLarge */
export const readClusterPatch = (operations: readonly PatchOperation[]): ClusterPatch => {
  requireChangeable(operations, patchable(ATTRIBUTES), CHANGEABLE)
  const apply: Readonly<Record<string, Apply>> = APPLY
  const patch: ClusterPatch = { added: [] }
  for (const operation of operations) {
    requireWhole(operation)
    requireRemovable(operation)
    Object.assign(patch, apply[operation.attribute]?.(operation))
    if (operation.op === 'add') patch.added.push(operation.attribute)
  }
  requireSize('labels', patch.labels ?? {})
  requireSize('health_status_reason', patch.healthReason ?? {})
  if (patch.kubeconfig === undefined && (patch.context !== undefined || patch.insecureSkipTlsVerify !== undefined)) {
    throw new InvalidRequest(
      '"/context" and "/insecure_skip_tls_verify" can be replaced together with "/kubeconfig" only.',
    )
  }
  return patch
}

/** A plain object in place of a patch, for documentation. */
const changes = z.object(
  patchFields(CLUSTER_ATTRIBUTES, {
    health_status_reason: z
      .record(z.string(), z.string())
      .meta({ description: sizeNote('health_status_reason') })
      .optional(),
    kubeconfig: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
    management: z.record(z.string(), z.unknown()).optional(),
  }),
)

/** The syntax of a patch, and that nothing internal is changed: the rest is judged when the cluster is there. */
export const clusterPatchBody: BodySchema<readonly PatchOperation[]> = {
  schema: patchSchema.or(changes),
  bytesMax: KUBECONFIG_BODY_BYTES_MAX,
  parse: (body) => {
    const operations = parsePatch(body, { example: EXAMPLE, acceptObject: true })
    requireNotInternal(operations)
    return operations
  },
}
