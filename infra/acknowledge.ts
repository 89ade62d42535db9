import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/**
 * Accepts a finding of cdk-nag about a construct or what is in it. It stands beside the construct that it concerns.
 *
 * @param id as the finding names it, without the pack: `AwsSolutions-IAM5[Resource::*]`
 * @param reason a sentence: why the rule does not fit here
 */
export const acknowledge = (construct: IConstruct, id: string, reason: string): void =>
  Validations.of(construct).acknowledge({ id, reason })
