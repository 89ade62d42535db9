import { awsGrants } from '../functions/drivers/contract/aws-access.ts'
import type { DeploymentSettings } from './settings/settings.schema.ts'

type EksSettings = Pick<DeploymentSettings, 'eksRoles' | 'eksClusters'>

/** Which project may use which role and cluster, for the functions that talk to clusters. IAM knows no projects. */
export const eksGrants = ({ eksRoles, eksClusters }: EksSettings): string => [...eksRoles, ...eksClusters].join(',')

/** The ARNs of such a list, for IAM: each once. */
export const grantedArns = (list: readonly string[]): string[] => [
  ...new Set(list.flatMap((entry) => awsGrants(entry).map(({ arn }) => arn))),
]
