import type { ClusterContext, ManagementAccess } from '../../../../contract/cluster-driver.ts'
import { ManagementMissing } from '../../../../contract/errors.ts'
import { INFRASTRUCTURES, type Infrastructure, infrastructureOf } from '../infrastructure.ts'
import { clusterNames } from '../render/names.ts'
import type { CapiSite } from './snapshot.ts'

/** Where a cluster is made: a management cluster, the names that the cluster has there, and who makes machines. */
export type ManagementSite = CapiSite & {
  infrastructure: Infrastructure
  /** Of the registration. */
  options: ManagementAccess['options']
  /** Name of the management cluster, for messages. */
  where: string
}

/** @throws ManagementMissing, and errors of reaching the management cluster */
export const managementSite = async (context: ClusterContext): Promise<ManagementSite> => {
  const access = await context.management()
  const infrastructure = infrastructureOf(access.options)
  if (infrastructure === undefined) {
    throw new ManagementMissing(
      `The management cluster ${access.cluster.name} names no infrastructure that this version knows; register it again with one of ${INFRASTRUCTURES.join(', ')}.`,
    )
  }
  const names = clusterNames(context.cluster, access.options)
  return { client: await access.client(), names, infrastructure, options: access.options, where: access.cluster.name }
}
