import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'

export type NodeFunctionProps = {
  /** Folder with `index.js` (`infra/bundle.ts`). */
  folder: string
  description: string
  timeoutSeconds: number
  environment: Readonly<Record<string, string>>
  /** MiB; processor time grows with it (1,769 MiB are one core). Default 512. */
  memoryMiB?: number
}

/**
 * A Lambda function with our defaults: Node 24 on arm64, JSON logs kept 30 days, tracing, and a role of its own that may write its own
 * log group and nothing else (AWSLambdaBasicExecutionRole would allow every log group).
 */
export class NodeFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: NodeFunctionProps) {
    const logGroup = new LogGroup(scope, `${id}-logs`, {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const role = new Role(scope, `${id}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)
    super(scope, id, {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(props.folder),
      description: props.description,
      memorySize: props.memoryMiB ?? 512,
      timeout: Duration.seconds(props.timeoutSeconds),
      environment: { ...props.environment },
      tracing: Tracing.ACTIVE,
      logGroup,
      role,
    })
  }
}
