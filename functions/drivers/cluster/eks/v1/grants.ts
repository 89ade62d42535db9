import type { AwsGrant, AwsGrants } from '../../../contract/aws-access.ts'
import { partitionOf } from './fields.ts'

/** What a project wants to use: a role, or, by the process's own credentials, a cluster of its account. */
export type EksUse = { projectId: string; name: string; region: string; roleArn: string | null }

const matches = (pattern: string, text: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'u').test(text)
}

/** ARN of the cluster, in whichever account the process's credentials are: they reach no other. */
const clusterArn = ({ name, region }: EksUse, account: string): string =>
  `arn:${partitionOf(region).partition}:eks:${region}:${account}:cluster/${name}`

const covers = (arn: string, use: EksUse): boolean =>
  use.roleArn === null ? matches(arn, clusterArn(use, arn.split(':')[4] ?? '')) : matches(arn, use.roleArn)

const grantsOf = (grants: readonly AwsGrant[], use: EksUse): AwsGrant[] =>
  grants.filter(({ projectId, arn }) => (projectId === null || projectId === use.projectId) && covers(arn, use))

/** Why a project may not use it, as whole sentences; undefined when it may. */
export const useFault = (grants: AwsGrants, use: EksUse): string | undefined => {
  if (grants === 'everything' || grantsOf(grants, use).length > 0) return
  const [what, arn] =
    use.roleArn === null
      ? [`the EKS cluster ${use.name} in ${use.region} by fedplane's own credentials`, clusterArn(use, '<account>')]
      : [`the IAM role ${use.roleArn}`, use.roleArn]
  return (
    `Project ${use.projectId} may not use ${what}: fedplane's operator lists what projects may use of AWS (settings eksRoles and eksClusters; ` +
    `FEDPLANE_EKS_GRANTS on one machine). Ask for the entry ${use.projectId}=${arn}.`
  )
}

/** True when the list names the project of a role. Else its trust policy alone keeps other projects from it. */
export const isBoundByList = (grants: AwsGrants, use: EksUse): boolean =>
  grants === 'everything' || grantsOf(grants, use).some(({ projectId }) => projectId !== null)
