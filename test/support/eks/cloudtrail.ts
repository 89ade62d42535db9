/**
 * Calls of EKS as EventBridge gives them: the envelope of "AWS API Call via CloudTrail" (EventBridge user guide), around records of CloudTrail as the EKS
 * user guide shows them ("Analyze AWS CloudTrail log file entries") with the parameters of the API reference.
 */
type Call = { eventName: string; requestParameters: Record<string, unknown>; account?: string; region?: string }

export const ACCOUNT = '111122223333'

export const eksCallEvent = ({
  eventName,
  requestParameters,
  account = ACCOUNT,
  region = 'eu-central-1',
}: Call): Record<string, unknown> & { detail: Record<string, unknown> } => ({
  version: '0',
  id: '36eb8523-97d0-4518-b33d-ee3579ff19f0',
  'detail-type': 'AWS API Call via CloudTrail',
  source: 'aws.eks',
  account,
  time: '2026-11-29T10:00:00Z',
  region,
  resources: [],
  detail: {
    eventVersion: '1.11',
    userIdentity: {
      type: 'IAMUser',
      principalId: 'AKIAIOSFODNN7EXAMPLE',
      arn: `arn:aws:iam::${account}:user/username`,
      accountId: account,
      userName: 'username',
    },
    eventTime: '2026-11-29T10:00:00Z',
    eventSource: 'eks.amazonaws.com',
    eventName,
    awsRegion: region,
    sourceIPAddress: '205.251.233.178',
    userAgent: 'aws-cli/2.31',
    requestParameters,
    responseElements: null,
    requestID: 'a7a0735d-62ab-11e8-9f79-81ce5b2b7d37',
    eventID: 'eab22523-174a-499c-9dd6-91e7be3ff8e3',
    readOnly: false,
    eventType: 'AwsApiCall',
    managementEvent: true,
    recipientAccountId: account,
    eventCategory: 'Management',
  },
})

const OF_CLUSTER = { name: 'shop-1' }
const OF_GROUP = { clusterName: 'shop-1', nodegroupName: 'workers' }
const OF_ENTRY = { clusterName: 'shop-1', principalArn: `arn%3Aaws%3Aiam%3A%3A${ACCOUNT}%3Arole%2Fedge` }

/** One of each kind, about the cluster `shop-1`. */
export const EKS_CALL_SAMPLES = [
  // The user guide's, of 2018, names it so.
  eksCallEvent({
    eventName: 'CreateCluster',
    requestParameters: { clusterName: 'shop-1', roleArn: 'arn:aws:iam::1:role/r' },
  }),
  eksCallEvent({ eventName: 'CreateCluster', requestParameters: { ...OF_CLUSTER, version: '1.34' } }),
  eksCallEvent({ eventName: 'DeleteCluster', requestParameters: OF_CLUSTER }),
  eksCallEvent({ eventName: 'UpdateClusterVersion', requestParameters: { ...OF_CLUSTER, version: '1.35' } }),
  eksCallEvent({ eventName: 'UpdateClusterConfig', requestParameters: { ...OF_CLUSTER, logging: {} } }),
  eksCallEvent({ eventName: 'CreateNodegroup', requestParameters: { ...OF_GROUP, nodeRole: 'arn:aws:iam::1:role/r' } }),
  eksCallEvent({ eventName: 'DeleteNodegroup', requestParameters: OF_GROUP }),
  eksCallEvent({
    eventName: 'UpdateNodegroupConfig',
    requestParameters: { ...OF_GROUP, scalingConfig: { minSize: 1 } },
  }),
  eksCallEvent({ eventName: 'UpdateNodegroupVersion', requestParameters: { ...OF_GROUP, version: '1.35' } }),
  eksCallEvent({ eventName: 'CreateAccessEntry', requestParameters: OF_ENTRY }),
  eksCallEvent({ eventName: 'UpdateAccessEntry', requestParameters: OF_ENTRY }),
  eksCallEvent({ eventName: 'DeleteAccessEntry', requestParameters: OF_ENTRY }),
  eksCallEvent({ eventName: 'AssociateAccessPolicy', requestParameters: OF_ENTRY }),
  eksCallEvent({ eventName: 'DisassociateAccessPolicy', requestParameters: OF_ENTRY }),
]

type Pattern = { [key: string]: Pattern | (string | { exists: boolean })[] }

/** Matches as EventBridge does, as far as our pattern needs that: exact values, and `exists`. */
export const matches = (pattern: Pattern, event: unknown): boolean =>
  Object.entries(pattern).every(([key, wanted]) => {
    const value = (event as Record<string, unknown> | undefined)?.[key]
    if (!Array.isArray(wanted)) return matches(wanted, value)
    return wanted.some((one) => (typeof one === 'string' ? one === value : one.exists === (value !== undefined)))
  })
