import { upgradeCluster } from '../../core/cluster/upgrade-cluster.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findTemplate } from '../clustertemplates/find-template.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import type { UpgradeCluster } from './cluster-actions.schema.ts'
import { findIntactCluster } from './find-cluster.ts'
import { requireTemplateOpen } from './template-rules.ts'

type Request = KeysRequest<unknown, UpgradeCluster>

/** The action is there from 1.7 on and works from this minor version on (magnum-rest.md 1.4). */
const UPGRADE_SINCE = 8

const requireVersion = (minor: number): void => {
  if (minor >= UPGRADE_SINCE) return
  throw new InvalidRequest(
    `A cluster can't be upgraded in version 1.${minor}; it can from 1.${UPGRADE_SINCE} on: send the header "OpenStack-API-Version: container-infra 1.${UPGRADE_SINCE}".`,
  )
}

/** `POST /v1/clusters/{cluster}/actions/upgrade` → 202 (magnum-rest.md 4.6). Refusals of state are 400, as in Magnum, which asks at once. */
export const upgradeClusterHandler = async (request: Request): Promise<ApiResponse> => {
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
