import type { Cluster } from '../../../../core/cluster/cluster.ts'
import { CredentialRejected } from '../../../../kubernetes/errors.ts'
import { connectionTo } from '../../../../kubernetes/stored-connection.ts'
import type { AwsAccess, AwsGrants } from '../../../contract/aws-access.ts'
import type { ClusterDriver, ClusterPhase } from '../../../contract/cluster-driver.ts'
import { observeRegistered, type Way } from '../../../support/registered/observe.ts'
import { createPhases } from '../../../support/registered/phases.ts'
import { eksV1Description } from './description.ts'
import { EksAccess } from './eks-access.ts'
import { AwsUnavailable, EksClusterNotActive } from './errors.ts'
import { shownSettings } from './fields.ts'
import { useFault } from './settings.ts'

/** Seconds that a cluster which is being made may take: EKS needs some ten minutes. */
const CREATION_SECONDS = 1800

/** First phase: EKS says where the cluster is. One that is being made is waited for. */
const locatePhase = (access: EksAccess): ClusterPhase => ({
  id: 'locate',
  title: 'find the EKS cluster',
  deadlineSeconds: CREATION_SECONDS,
  ensure: async ({ cluster, credential }) => {
    try {
      return { done: true, endpoint: await access.endpoint(cluster, await credential()) }
    } catch (error) {
      if (!(error instanceof EksClusterNotActive) || error.details.status !== 'CREATING') throw error
      return { done: false, waitingFor: 'the EKS cluster, which is CREATING, to be ACTIVE' }
    }
  },
})

/** EKS refuses every token of a role that it has no access entry for. */
const explain = (error: unknown, cluster: Cluster): unknown => {
  if (!(error instanceof CredentialRejected)) return error
  const { name = cluster.name, role_arn: role = "fedplane's own IAM role" } = shownSettings(cluster) ?? {}
  return new CredentialRejected(
    `The EKS cluster ${name} does not accept ${role}. Make an access entry for it: "aws eks create-access-entry --cluster-name ${name} --principal-arn <ARN of the role>", with a policy or Kubernetes group that has the rights; the cluster's authentication mode must be API or API_AND_CONFIG_MAP.`,
    { cause: error },
  )
}

const wayOf = (access: EksAccess): Way => ({
  connection: async (cluster, credential) => {
    const endpoint = cluster.endpoint ?? (await access.endpoint(cluster, credential))
    return connectionTo(endpoint, { kind: 'token', token: await access.token(cluster, credential) })
  },
  grantAdvice:
    "Grant them: associate an access policy with the role's EKS access entry, or bind a ClusterRole to its Kubernetes group.",
  isOurFault: (error) => error instanceof AwsUnavailable,
  explain,
})

/** What the list does not grant is refused at once, and again at every use: the list may have changed since. */
const checkWith = (grants: AwsGrants): ClusterDriver['check'] => {
  const { check } = eksV1Description
  if (grants === 'everything') return check
  return (plan) => {
    const { name, region, role_arn: roleArn = null } = shownSettings(plan.cluster) ?? {}
    if (name === undefined || region === undefined) return check(plan)
    const fault = useFault(grants, { projectId: plan.cluster.projectId, name, region, roleArn })
    return fault === undefined ? check(plan) : [...check(plan), fault]
  }
}

/** eks@1 over a way into AWS of one's own. `now` is for tests. */
export const eksV1 = ({ aws, now = () => new Date() }: { aws: AwsAccess; now?: () => Date }): ClusterDriver => {
  const access = new EksAccess(aws, now)
  const way = wayOf(access)
  return {
    ...eksV1Description,
    check: checkWith(aws.grants),
    phases: { create: [locatePhase(access), ...createPhases(way)], update: {}, delete: [] },
    connection: way.connection,
    locate: (cluster, credential) => access.endpoint(cluster, credential),
    observe: (context) => observeRegistered(way, context),
  }
}
