import * as z from 'zod'
import type { HealthStatus } from '../../core/cluster/cluster.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { requireSize } from '../../core/require-size.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { quote } from '../../core/values/wording.ts'
import { booleanOf, sizeNote } from '../body/fields.ts'
import { KUBECONFIG_BODY_BYTES_MAX } from '../body/read-body.ts'
import { patchSchema } from '../json-patch/patch.schema.ts'
import { type PatchOperation, parsePatch, requireChangeable } from '../json-patch/patch-operation.ts'
import { integerValue, oneOf, requireWhole, textMapValue, textValue } from '../json-patch/typed-value.ts'
import type { BodySchema } from '../route.ts'
import { isEmptyKubeconfig, KUBECONFIG_RULE } from './kubeconfig-value.ts'
import { MANAGEMENT_RULE } from './take-management.ts'

/** What a PATCH of a cluster asks for; absent keys stay as they are. */
export type ClusterPatch = {
  nodeCount?: number
  healthStatus?: HealthStatus
  healthReason?: Record<string, string>
  kubeconfig?: string | JsonObject
  context?: string
  insecureSkipTlsVerify?: boolean
  /** Null: it shall be no management cluster any more. */
  management?: JsonObject | null
  /** Attributes set with `add`, which demands that they are unset. */
  added: string[]
}

/** True for a patch that changes nothing, which is accepted (magnum-rest.md 4.3). */
export const isEmptyPatch = (patch: ClusterPatch): boolean => Object.keys(patch).length === 1

const HEALTH: readonly HealthStatus[] = ['HEALTHY', 'UNHEALTHY', 'UNKNOWN']

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

const noRemove = (operation: PatchOperation): void => {
  if (operation.op !== 'remove') return
  throw new InvalidRequest(`${quote(operation.path)} can be replaced, not removed.`)
}

/** `remove` gives the default back (magnum-rest.md 4.3). */
const APPLY: Readonly<Record<string, (operation: PatchOperation) => Partial<ClusterPatch>>> = {
  node_count: (operation) => ({ nodeCount: operation.op === 'remove' ? 1 : integerValue(operation, 0) }),
  health_status: (operation) => ({ healthStatus: operation.op === 'remove' ? 'UNKNOWN' : oneOf(operation, HEALTH) }),
  health_status_reason: (operation) => ({ healthReason: operation.op === 'remove' ? {} : textMapValue(operation) }),
  kubeconfig: (operation) => {
    noRemove(operation)
    return { kubeconfig: kubeconfigOf(operation) }
  },
  context: (operation) => {
    noRemove(operation)
    return { context: textValue(operation) }
  },
  insecure_skip_tls_verify: (operation) => {
    noRemove(operation)
    return { insecureSkipTlsVerify: insecureOf(operation) }
  },
  management: (operation) => ({ management: managementOf(operation) }),
}

const EXAMPLE = '{"op": "replace", "path": "/node_count", "value": 2}'

/** Which of them a cluster takes is its driver's matter, and reported when it is known. */
const CHANGEABLE =
  '"/node_count" of clusters whose nodes are managed, "/health_status", "/health_status_reason", and of clusters that were registered with a kubeconfig "/kubeconfig" (with it "/context" and "/insecure_skip_tls_verify"); by administrators also "/management" of clusters with a Kubernetes API'

/** Turns operations into what they ask for; the last one on an attribute counts. @throws InvalidRequest, RequestTooLarge */
const readClusterPatch = (operations: readonly PatchOperation[]): ClusterPatch => {
  requireChangeable(operations, Object.keys(APPLY), CHANGEABLE)
  const patch: ClusterPatch = { added: [] }
  for (const operation of operations) {
    requireWhole(operation)
    Object.assign(patch, APPLY[operation.attribute]?.(operation))
    if (operation.op === 'add') patch.added.push(operation.attribute)
  }
  requireSize('health_status_reason', patch.healthReason ?? {})
  if (patch.kubeconfig === undefined && (patch.context !== undefined || patch.insecureSkipTlsVerify !== undefined)) {
    throw new InvalidRequest(
      '"/context" and "/insecure_skip_tls_verify" can be replaced together with "/kubeconfig" only.',
    )
  }
  return patch
}

/** A plain object in place of a patch, for documentation. */
const changes = z
  .object({
    node_count: z.int().min(0),
    health_status: z.enum(HEALTH),
    health_status_reason: z.record(z.string(), z.string()).meta({ description: sizeNote('health_status_reason') }),
    kubeconfig: z.union([z.string(), z.record(z.string(), z.unknown())]),
    context: z.string(),
    insecure_skip_tls_verify: z.boolean(),
    management: z.record(z.string(), z.unknown()),
  })
  .partial()

export const clusterPatchBody: BodySchema<ClusterPatch> = {
  schema: patchSchema.or(changes),
  bytesMax: KUBECONFIG_BODY_BYTES_MAX,
  parse: (body) => readClusterPatch(parsePatch(body, { example: EXAMPLE, acceptObject: true })),
}
