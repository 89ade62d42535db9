import * as z from 'zod'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { deleteCluster } from '../../core/cluster/delete-cluster.ts'
import { resizeCluster } from '../../core/cluster/resize-cluster.ts'
import { upgradeCluster } from '../../core/cluster/upgrade-cluster.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { type OtherAttributes, parseAttributes } from '../body/attributes.ts'
import { integerField, optional, textField } from '../body/fields.ts'
import { BODY_BYTES_MAX } from '../body/read-body.ts'
import { storeDeletion } from '../cloud/delegate.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findTemplate, requireTemplateOpen } from '../clustertemplates/access.ts'
import { requirePolicy } from '../policy.ts'
import type { ApiResponse, BodySchema, KeysRequest } from '../route.ts'
import { findCluster, findIntactCluster } from './find-cluster.ts'
import { requireCountAllowed } from './node-count.ts'

/** Nodes that one resize names at most. */
const NODES_TO_REMOVE_MAX = 1000

const NODES_RULE = `must be a list of at most ${NODES_TO_REMOVE_MAX} ids or names of nodes`

/** Body of `actions/resize` (magnum-rest.md 4.5). */
const resizeSchema = z.object({
  node_count: integerField(0),
  nodes_to_remove: optional(
    z.array(textField(), { error: NODES_RULE }).max(NODES_TO_REMOVE_MAX, { error: NODES_RULE }),
  ),
  /** Id or name; default the default group of workers. */
  nodegroup: optional(textField()),
})
type ResizeCluster = z.output<typeof resizeSchema>

/** Body of `actions/upgrade` (magnum-rest.md 4.6). */
const upgradeSchema = z.object({
  /** Id or name. Without one nothing is found: 404 (magnum-rest.md 13.5). */
  cluster_template: optional(textField()),
  /** Nodes that are replaced at a time; absent and null are 1, Magnum's default. */
  max_batch_size: integerField(1).nullish(),
  nodegroup: optional(textField()),
})
type UpgradeCluster = z.output<typeof upgradeSchema>

const NO_OTHERS: OtherAttributes = { ignored: [], readOnly: [] }

export const resizeClusterBody: BodySchema<ResizeCluster> = {
  schema: resizeSchema,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(resizeSchema, body, NO_OTHERS),
}

export const upgradeClusterBody: BodySchema<UpgradeCluster> = {
  schema: upgradeSchema,
  bytesMax: BODY_BYTES_MAX,
  parse: (body) => parseAttributes(upgradeSchema, body, NO_OTHERS),
}

type ResizeRequest = KeysRequest<unknown, ResizeCluster>

/**
 * `POST /v1/clusters/{cluster}/actions/resize` → 202 (magnum-rest.md 4.5). While another change runs it waits for its turn, each with the
 * nodes that it names (section 11 row 13).
 */
export const resizeClusterHandler = async (request: ResizeRequest): Promise<ApiResponse> => {
  const { ports, body, minor } = request
  requireCountAllowed(body.node_count, minor)
  const rules = { findCluster: () => findIntactCluster(request), request: requestChange(request) }
  const { id: uuid } = await resizeCluster(ports, rules, {
    nodeCount: body.node_count,
    nodesToRemove: body.nodes_to_remove ?? [],
    nodeGroup: body.nodegroup,
  })
  return { status: 202, body: { uuid } }
}

type UpgradeRequest = KeysRequest<unknown, UpgradeCluster>

/** The action is there from 1.7 on and works from this minor version on (magnum-rest.md 1.4). */
const UPGRADE_SINCE = 8

const requireVersion = (minor: number): void => {
  if (minor >= UPGRADE_SINCE) return
  throw new InvalidRequest(
    `A cluster can't be upgraded in version 1.${minor}; it can from 1.${UPGRADE_SINCE} on: send the header "OpenStack-API-Version: container-infra 1.${UPGRADE_SINCE}".`,
  )
}

/** `POST /v1/clusters/{cluster}/actions/upgrade` → 202 (magnum-rest.md 4.6). Refusals of state are 400, as in Magnum, which asks at once. */
export const upgradeClusterHandler = async (request: UpgradeRequest): Promise<ApiResponse> => {
  const { ports, body, minor, principal } = request
  requireVersion(minor)
  const rules = {
    findCluster: () => findIntactCluster(request, 'cluster:upgrade_all_projects'),
    findTemplate: ({ projectId }: { projectId: string }, ident: string) =>
      findTemplate({ ...request, principal: { ...principal, projectId } }, ident),
    requireTemplateOpen: requireTemplateOpen(request),
    request: requestChange(request),
  }
  const { id: uuid } = await upgradeCluster(ports, rules, {
    template: body.cluster_template,
    nodeGroup: body.nodegroup,
    maxBatchSize: body.max_batch_size ?? 1,
  })
  return { status: 202, body: { uuid } }
}

type DeleteRequest = KeysRequest<{ force: boolean }>

/** What can't be taken down is left where it is, which may cost somebody else money: a rule of its own. @throws PolicyForbids */
const requireMayForce = (request: DeleteRequest, { projectId, userId }: Cluster): void => {
  if (request.query.force) requirePolicy(request, 'cluster:force_delete', { projectId, userId })
}

/**
 * `DELETE /v1/clusters/{cluster}` → 204 (magnum-rest.md 4.4). Reads `DELETE_IN_PROGRESS` until it is gone; a running create or update is
 * replaced, and what waits behind it is dropped. A cluster that a federation uses stays, and so does one through which others are made. With
 * `?force=true`, also of a deletion that runs, what can't be taken down soon is left, and reported by the last event.
 */
export const deleteClusterHandler = async (request: DeleteRequest): Promise<ApiResponse> => {
  await deleteCluster(request.ports, {
    findCluster: async () => {
      const cluster = await findCluster(request, 'cluster:delete_all_projects')
      requireMayForce(request, cluster)
      return cluster
    },
    force: request.query.force,
    storeDeletion: (cluster, store) => storeDeletion(request, cluster, store),
  })
  return { status: 204 }
}
