import { Aws } from 'aws-cdk-lib'
import { Effect, type IGrantable, Policy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { FLOWS, type Flow } from '../functions/core/operation/operation.ts'
import { FEED_PARTITION, IDENTITY_PREFIX, TABLE_DEFINITION } from '../functions/store/dynamodb/table-definition.ts'
import { acknowledge } from './acknowledge.ts'
import { grantedArns } from './eks-grants.ts'
import type { Installation } from './installation.ts'
import type { DeploymentSettings } from './settings/settings.schema.ts'

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

/** Accepts that a role has a right on a resource with an asterisk in it. */
const accept = ({ grantPrincipal }: IGrantable, resource: string, reason: string): void => {
  if (Construct.isConstruct(grantPrincipal))
    acknowledge(grantPrincipal, `AwsSolutions-IAM5[Resource::${resource}]`, reason)
}

/** May start executions of the flows, and nothing else of Step Functions: whatever begins an operation. */
export const grantStart = (grantee: IGrantable): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['states:StartExecution'],
      resources: FLOWS.map(machineArn),
    }),
  )
}

/** May start, stop and check executions of the flows, and nothing else of Step Functions: steps, and the reconciler. */
export const grantExecutions = (grantee: IGrantable): void => {
  grantStart(grantee)
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['states:DescribeExecution', 'states:StopExecution'],
      resources: FLOWS.map((flow) => states('execution', `${machineName(flow)}:*`)),
    }),
  )
  for (const flow of FLOWS) {
    const execution = `arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:${machineName(flow)}:*`
    accept(grantee, execution, 'Executions have the names of operations, which are made at run time.')
  }
}

/** May read where an execution is: its history, which has ids and names of phases, and no secrets. */
export const grantHistory = (grantee: IGrantable): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['states:GetExecutionHistory'],
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
 * cluster needs no right of its own: the cluster's access entries say who gets in. Which project may use what of it the driver demands.
 */
export const grantEks = (grantee: IGrantable, { eksRoles, eksClusters }: DeploymentSettings): void => {
  const allow = (action: string, resources: readonly string[]): void => {
    if (resources.length === 0) return
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [action], resources: [...resources] }))
    for (const arn of resources) {
      if (arn.includes('*')) accept(grantee, arn, "It is the operator's setting, and names an account.")
    }
  }
  allow('sts:AssumeRole', grantedArns(eksRoles))
  allow('eks:DescribeCluster', grantedArns(eksClusters))
}

/** May put events on the buses that the operator lists for triggers, and on none when none are listed. */
export const grantTriggerBuses = (grantee: IGrantable, { triggerBuses }: DeploymentSettings): void => {
  if (triggerBuses.length === 0) return
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['events:PutEvents'], resources: grantedArns(triggerBuses) }),
  )
}

/** May use the storage key through one service, which asks it with the caller's rights. */
const grantStorageKey = (grantee: IGrantable, key: IKey, service: string, actions: string[]): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions,
      resources: [key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.amazonaws.com` } },
    }),
  )
}

const ITEM_READS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
/** `TransactWriteItems` needs those of its writes; there is no scan, and nothing of the table itself. */
const ITEM_WRITES = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem']

/** May ask the table's indexes, which hold keys only. */
const grantIndexes = (grantee: IGrantable, { table }: Installation['data']): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: TABLE_DEFINITION.indexes.map(({ name }) => `${table.tableArn}/index/${name}`),
    }),
  )
}

/** May read and write items, as `functions/store` does. */
export const grantTable = (grantee: IGrantable, data: Installation['data']): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: [...ITEM_READS, ...ITEM_WRITES], resources: [data.table.tableArn] }),
  )
  grantIndexes(grantee, data)
  grantStorageKey(grantee, data.storageKey, 'dynamodb', [
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
  ])
}

/** May read, or read and write, what the identity facade keeps, and no other item. */
export const grantIdentityItems = (grantee: IGrantable, data: Installation['data'], access: 'read' | 'write'): void => {
  const writes = access === 'write' ? ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'] : []
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [...ITEM_READS, ...writes],
      resources: [data.table.tableArn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${IDENTITY_PREFIX}*`] } },
    }),
  )
  const encrypts =
    access === 'write' ? ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'] : []
  grantStorageKey(grantee, data.storageKey, 'dynamodb', ['kms:Decrypt', 'kms:DescribeKey', ...encrypts])
}

/** May check what there is in all projects, by its keys, and read no item. */
export const grantTableKeys = (grantee: IGrantable, data: Installation['data']): void => {
  grantIndexes(grantee, data)
  grantStorageKey(grantee, data.storageKey, 'dynamodb', ['kms:Decrypt', 'kms:DescribeKey'])
}

/** May put events into the feeds of projects, which are partitions apart, and read or change nothing. */
export const grantFeed = (grantee: IGrantable, { table, storageKey }: Installation['data']): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['dynamodb:PutItem'],
      resources: [table.tableArn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${FEED_PARTITION}*`] } },
    }),
  )
  grantStorageKey(grantee, storageKey, 'dynamodb', ['kms:Encrypt', 'kms:GenerateDataKey'])
}

/** May read the table's stream. `ListStreams` takes no resource. */
export const grantStream = (grantee: IGrantable, data: Installation['data']): void => {
  const { tableStreamArn } = data.table
  if (tableStreamArn === undefined) throw new Error('The table has no stream; table-definition.ts says that it has.')
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resources: [tableStreamArn],
    }),
  )
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
  )
  accept(grantee, '*', 'ListStreams takes no resource.')
  grantStorageKey(grantee, data.storageKey, 'dynamodb', ['kms:Decrypt', 'kms:DescribeKey'])
}

/** May send to a queue under the storage key. */
export const grantSend = (grantee: IGrantable, queue: IQueue, { storageKey }: Installation['data']): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }),
  )
  grantStorageKey(grantee, storageKey, 'sqs', ['kms:Decrypt', 'kms:GenerateDataKey'])
}

/** May reserve concurrency for these functions. `GetAccountSettings` takes no resource. */
export const grantReserving = (grantee: IGrantable, functions: readonly IFunction[]): void => {
  const { grantPrincipal } = grantee
  grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: ['lambda:GetAccountSettings'], resources: ['*'] }))
  accept(grantee, '*', 'GetAccountSettings takes no resource.')
  if (functions.length === 0) return
  grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['Delete', 'Get', 'Put'].map((verb) => `lambda:${verb}FunctionConcurrency`),
      resources: functions.map(({ functionArn }) => functionArn),
    }),
  )
}

const INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
]

/**
 * Lets Lambda make the network interfaces of a function in a VPC: it does so with the function's role, and on no resource that could be
 * named before. The function's own code is refused the same (AWS's advice for functions in a VPC).
 */
export const grantNetworkInterfaces = (role: Role): Policy => {
  const policy = new Policy(role, 'network-interfaces', { roles: [role] })
  acknowledge(policy, 'AwsSolutions-IAM5[Resource::*]', 'Interfaces are made by Lambda and have no names before.')
  const ofOurs = {
    'lambda:SourceFunctionArn': `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:*`,
  }
  policy.addStatements(
    new PolicyStatement({ actions: INTERFACES, resources: ['*'] }),
    new PolicyStatement({
      effect: Effect.DENY,
      actions: INTERFACES,
      resources: ['*'],
      conditions: { ArnLike: ofOurs },
    }),
  )
  return policy
}
