import type { PlannedCluster } from '../../../contract/cluster-driver-description.ts'
import { partitionOf } from './fields.ts'
import { shownSettings } from './schema.ts'

/** The role must be of the Region's partition: credentials of one are worth nothing in another. */
export const check = ({ cluster }: PlannedCluster): string[] => {
  const settings = shownSettings(cluster)
  if (settings?.role_arn === undefined) return []
  const { partition } = partitionOf(settings.region)
  const [, given] = settings.role_arn.split(':')
  if (given === partition) return []
  return [
    `"eks.role_arn" is of the AWS partition ${given}, and "eks.region" ${settings.region} is in ${partition}. Give a role of the same partition.`,
  ]
}
