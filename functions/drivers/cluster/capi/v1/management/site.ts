import type { ClusterContext, ManagementAccess } from '../../../../contract/cluster-driver.ts'
import { ManagementMissing } from '../../../../contract/errors.ts'
import { INFRASTRUCTURES, type Infrastructure, infrastructureOf } from '../infrastructure.ts'
import { classNamespaceOf, clusterNames } from '../render/names.ts'
import type { CapiSite } from './snapshot.ts'

/** Where a cluster is made: a management cluster, the names that the cluster has there, and who makes machines. */
export type ManagementSite = CapiSite & {
  infrastructure: Infrastructure
  /** Of the classes of all projects. */
  classNamespace: string
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
  const { options } = access
  return {
    client: await access.client(),
    names: clusterNames(context.cluster, options),
    classNamespace: classNamespaceOf(options),
    infrastructure,
    options,
    where: access.cluster.name,
  }
}
