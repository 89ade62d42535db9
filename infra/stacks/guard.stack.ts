import { CustomResource, Duration, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { DestroyGuardEnv, Settings } from '../../functions/runtime/env.ts'
import { NodeFunction } from '../constructs/node-function.ts'
import { grantTableKeys } from '../grants.ts'
import type { InstallationStackProps } from '../installation.ts'

/** CloudFormation's longest wait for the guard's answer: one observation, and two more when Lambda has to try again. */
const ANSWER_WITHIN = Duration.minutes(15)

/**
 * Refuses to be deleted while there are federations or clusters (docs/decisions/0019). It needs all other stacks, so `cdk destroy` begins with
 * it, and it holds nothing else, so that a refusal leaves everything as it was.
 */
export class GuardStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { others, ...props }: InstallationStackProps & { others: readonly Stack[] },
  ) {
    super(scope, id, props)
    const environment: Settings<DestroyGuardEnv> = { TABLE_NAME: props.data.table.tableName }
    const guard = new NodeFunction(this, 'destroy-guard', {
      installation: props,
      kind: 'event',
      bundle: 'event-destroy-guard',
      description: 'fedplane: refuses to be destroyed while there are federations or clusters',
      environment,
    })
    grantTableKeys(guard, props.data)
    new CustomResource(this, 'nothing-depends-on-fedplane', {
      resourceType: 'Custom::FedplaneDestroyGuard',
      serviceToken: guard.functionArn,
      serviceTimeout: ANSWER_WITHIN,
      properties: { Enforce: String(props.settings.destroyGuard) },
    })
    for (const other of others) this.addStackDependency(other, 'is destroyed after the guard')
  }
}
