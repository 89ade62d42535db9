import { awsDestroyGuard } from '../../runtime/aws-destroy-guard.ts'
import { destroyGuardEnv, readEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { guardDestruction } from './guard.ts'

const ports = lazy(() => awsDestroyGuard(readEnv(destroyGuardEnv)))

/** Lambda entry of CloudFormation, when the stacks are made and destroyed. */
export const handler = (event: unknown): Promise<void> => guardDestruction(event, ports())
