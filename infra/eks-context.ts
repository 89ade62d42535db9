/** Names of `-c name=value` that say which EKS clusters fedplane may reach (docs in `functions/drivers/cluster/eks/v1/README.md`). */
export const EKS_CONTEXT: readonly string[] = ['eksRoles', 'eksClusters']

/** What the functions that talk to clusters may do for EKS: ARNs, with `*` in names at most. None of them: no rights. */
export type EksRights = {
  /** IAM roles that may be assumed. */
  roles: readonly string[]
  /** EKS clusters that fedplane's own roles may describe. */
  clusters: readonly string[]
}

/** An account is always named: a role of "any account" would be anybody's. */
const ROLE_ARN = /^arn:aws(-[a-z]+)*:iam::[0-9]{12}:role\/[\w+=,.@/*-]+$/
const CLUSTER_ARN = /^arn:aws(-[a-z]+)*:eks:([a-z0-9-]+|\*):[0-9]{12}:cluster\/[\w*-]+$/

const listOf = (text: string | undefined): string[] => (text ?? '').split(',').flatMap((part) => part.trim() || [])

const demand = (name: string, arns: readonly string[], pattern: RegExp, example: string): void => {
  const faulty = arns.filter((arn) => !pattern.test(arn))
  if (faulty.length === 0) return
  throw new Error(
    `The context ${name} has ${faulty.join(', ')}. Give ARNs separated by commas, each with its account, for example ${example}.`,
  )
}

/**
 * Rights of the context.
 *
 * @throws Error naming the context at fault
 */
export const eksRights = ({ eksRoles, eksClusters }: Readonly<Record<string, string | undefined>>): EksRights => {
  const [roles, clusters] = [listOf(eksRoles), listOf(eksClusters)]
  demand('eksRoles', roles, ROLE_ARN, 'arn:aws:iam::111122223333:role/fedplane-*')
  demand('eksClusters', clusters, CLUSTER_ARN, 'arn:aws:eks:eu-central-1:111122223333:cluster/shop')
  return { roles, clusters }
}
