import * as z from 'zod'
import type { Cluster } from '../../../../core/cluster/cluster.ts'
import type { AwsService } from '../../../contract/aws-access.ts'
import type { PlannedCluster, RegistrationField } from '../../../contract/cluster-driver-description.ts'

/** Partitions of AWS by the prefix of their Regions; all others are in `aws`. */
const PARTITIONS = [
  { prefix: 'cn-', partition: 'aws-cn', suffix: 'amazonaws.com.cn' },
  { prefix: 'us-gov-', partition: 'aws-us-gov', suffix: 'amazonaws.com' },
  { prefix: 'eusc-', partition: 'aws-eusc', suffix: 'amazonaws.eu' },
  { prefix: 'us-iso-', partition: 'aws-iso', suffix: 'c2s.ic.gov' },
  { prefix: 'us-isob-', partition: 'aws-iso-b', suffix: 'sc2s.sgov.gov' },
  { prefix: 'eu-isoe-', partition: 'aws-iso-e', suffix: 'cloud.adc-e.uk' },
  { prefix: 'us-isof-', partition: 'aws-iso-f', suffix: 'csp.hci.ic.gov' },
] as const

/** Partition and DNS suffix of a Region. */
export const partitionOf = (region: string): { partition: string; suffix: string } =>
  PARTITIONS.find(({ prefix }) => region.startsWith(prefix)) ?? { partition: 'aws', suffix: 'amazonaws.com' }

/** What names an EKS cluster. Shapes as the APIs of EKS, IAM and STS have them. */
export const EKS_FIELDS = [
  {
    name: 'name',
    required: true,
    pattern: /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/,
    rule: 'must be the name of the EKS cluster: 1 to 100 letters, digits, "-" and "_", and not its ARN',
    confidential: false,
  },
  {
    name: 'region',
    required: true,
    pattern: /^[a-z]{2,8}(-[a-z]{2,16}){1,3}-[0-9]{1,2}$/,
    rule: 'must be the AWS Region of the cluster, for example "eu-central-1"',
    confidential: false,
  },
  {
    name: 'role_arn',
    required: false,
    pattern: /^arn:aws(-[a-z]+)*:iam::[0-9]{12}:role\/[\w+=,.@/-]{1,512}$/,
    rule: 'must be the ARN of an IAM role, for example "arn:aws:iam::111122223333:role/fedplane"',
    confidential: false,
  },
  {
    name: 'external_id',
    required: false,
    pattern: /^[\w+=,.@:/-]{2,1224}$/,
    rule: 'must be the external ID that the role\'s trust policy asks for: 2 to 1224 letters, digits and "+=,.@:/-_"',
    confidential: true,
    goesWith: 'role_arn',
  },
] as const satisfies readonly RegistrationField[]

/** Key in `driverState`, and attribute of the request. */
export const EKS = 'eks'

const Shown = z.object({ name: z.string(), region: z.string(), role_arn: z.string().optional() })

/** The part of a registration that is sealed as the cluster's credential. */
export const Sealed = z.object({ external_id: z.string().optional() })

/** The part of the settings that is not secret; undefined when there is none. */
export const shownSettings = ({ driverState }: Pick<Cluster, 'driverState'>): z.infer<typeof Shown> | undefined =>
  Shown.safeParse(driverState[EKS]).data

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

/** Public host of a service in a Region. Always the Regional one: STS's global host works in one partition only, and is a single point of failure. */
export const hostOfService = (service: AwsService, region: string): string =>
  `${service}.${region}.${partitionOf(region).suffix}`
