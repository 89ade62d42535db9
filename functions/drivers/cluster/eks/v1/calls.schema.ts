import * as z from 'zod'
import type { CloudEvents } from '../../../contract/cluster-driver-description.ts'
import { shownSettings } from './fields.ts'

/** Without its account: without a role a cluster is in the installation's own. */
const nameOf = ({ name, region }: { name: string; region: string }): string => `eks@1/${region}/${name}`

/**
 * What EventBridge gives to the function (EventBridge user guide, "AWS API Call via CloudTrail"; EKS user guide, "Analyze AWS CloudTrail log file
 * entries"). Parameters have the names that the API has, where the cluster's is `clusterName` beside another name.
 */
const eksCall = z.object({
  account: z.string(),
  detail: z.object({
    eventSource: z.literal('eks.amazonaws.com'),
    awsRegion: z.string(),
    requestParameters: z.object({ name: z.string().optional(), clusterName: z.string().optional() }),
  }),
})

/** Calls of EKS that change what an observation sees. */
export const EKS_EVENTS: CloudEvents = {
  source: 'aws.eks',
  eventSource: 'eks.amazonaws.com',
  calls: [
    'CreateCluster',
    'DeleteCluster',
    'UpdateClusterVersion',
    'UpdateClusterConfig',
    'CreateNodegroup',
    'DeleteNodegroup',
    'UpdateNodegroupConfig',
    'UpdateNodegroupVersion',
    'CreateAccessEntry',
    'UpdateAccessEntry',
    'DeleteAccessEntry',
    'AssociateAccessPolicy',
    'DisassociateAccessPolicy',
  ],
  nameOf: (cluster) => {
    const settings = shownSettings(cluster)
    return settings && nameOf(settings)
  },
  parse: (event) => {
    const { account, detail } = eksCall.safeParse(event).data ?? {}
    const { name, clusterName = name } = detail?.requestParameters ?? {}
    if (detail === undefined || clusterName === undefined) return undefined
    return {
      name: nameOf({ name: clusterName, region: detail.awsRegion }),
      isOf: (cluster, ownAccount) => (shownSettings(cluster)?.role_arn?.split(':')[4] ?? ownAccount) === account,
    }
  },
}
