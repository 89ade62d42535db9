import { Aws } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { FLOWS, type Flow } from '../functions/domain/operation.ts'
import type { EksRights } from './eks-context.ts'

const states = (type: 'stateMachine' | 'execution', rest: string): string =>
  `arn:${Aws.PARTITION}:states:${Aws.REGION}:${Aws.ACCOUNT_ID}:${type}:${rest}`

/**
 * State machines have names of their own, so that functions can know the ARNs of machines that call them. One installation for each
 * account and Region.
 */
export const machineName = (flow: Flow): string => `fedplane-${flow}`

export const machineArn = (flow: Flow): string => states('stateMachine', machineName(flow))

/** ARN of the flows' machines up to the flow's name: `STATE_MACHINE_ARN_PREFIX`. */
export const machineArnPrefix = (): string => states('stateMachine', 'fedplane-')

/** May start, stop and look at executions of the flows, and nothing else of Step Functions. */
export const grantExecutions = (grantee: IGrantable): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['states:StartExecution'],
      resources: FLOWS.map(machineArn),
    }),
  )
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['states:DescribeExecution', 'states:StopExecution'],
      resources: FLOWS.map((flow) => states('execution', `${machineName(flow)}:*`)),
    }),
  )
}

/** KMS refuses any call that does not name a project in its encryption context. */
const grantKey = (key: IKey, grantee: IGrantable, actions: string[]): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions,
      resources: [key.keyArn],
      conditions: { Null: { 'kms:EncryptionContext:project': 'false' } },
    }),
  )
}

/** May seal and open credentials. */
export const grantSealing = (key: IKey, grantee: IGrantable): void =>
  grantKey(key, grantee, ['kms:GenerateDataKey', 'kms:Decrypt'])

/** May open credentials, and seal none. */
export const grantOpening = (key: IKey, grantee: IGrantable): void => grantKey(key, grantee, ['kms:Decrypt'])

/**
 * May read one secret, and nothing else of Secrets Manager. A secret under AWS's own key needs no right on that key.
 *
 * @param keyArn of the customer managed key that encrypts it
 */
export const grantSecret = (grantee: IGrantable, secretArn: string, keyArn?: string): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secretArn] }),
  )
  if (keyArn === undefined) return
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [keyArn],
      conditions: { StringEquals: { 'kms:EncryptionContext:SecretARN': secretArn } },
    }),
  )
}

/**
 * May describe the EKS clusters and assume the roles that the operator lists, and nothing of either kind when none are listed. A token for a
 * cluster needs no right of its own: the cluster's access entries say who gets in.
 */
export const grantEks = (grantee: IGrantable, { roles, clusters }: EksRights): void => {
  const allow = (action: string, resources: readonly string[]): void => {
    if (resources.length === 0) return
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [action], resources: [...resources] }))
  }
  allow('sts:AssumeRole', roles)
  allow('eks:DescribeCluster', clusters)
}
