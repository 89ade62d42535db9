import { Duration } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { acknowledge } from '../acknowledge.ts'
import { grantNetworkInterfaces } from '../grants.ts'
import type { Installation } from '../installation.ts'
import { TIMEOUT_SECONDS } from '../limits.ts'
import type { FunctionKind } from '../settings/settings.schema.ts'
import { clusterNetwork } from './cluster-network.ts'
import { KeptLogs } from './kept-logs.ts'

export type NodeFunctionProps = {
  installation: Installation
  /** Decides its time limit and reserved concurrency. */
  kind: FunctionKind
  /** Name of its bundle (`infra/bundle.ts`). Default: the construct's id. */
  bundle?: string
  description: string
  environment: Readonly<Record<string, string>>
  /** MiB; processor time grows with it (1,769 MiB are one core). Default 512. */
  memoryMiB?: number
  /** True for functions that talk to clusters: they are put into the subnets of the settings, if there are any. Default: false. */
  talksToClusters?: boolean
  /**
   * True for what nobody waits for, and what runs again by a clock: Lambda neither repeats a run that failed nor keeps an event for longer than a
   * minute. By itself it would try twice more, and keep events for six hours, to run hours of them at once after a throttle. Default: false.
   */
  once?: boolean
}

/** The shortest that Lambda takes. */
const EVENT_AGE = Duration.minutes(1)

/** Of the gateway and of state machines, of clocks, of the stream, which has a queue for what is given up. */
const NO_DEAD_LETTERS =
  'Its callers wait for its answer, or it runs by a clock, whose next minute does what this one did not: an event that is kept is of no use.'

/**
 * A Lambda function with our defaults: Node 24 on arm64, JSON logs of its own, tracing as the settings say, and a role of its own that may
 * write its own log group and nothing else (AWSLambdaBasicExecutionRole would allow every log group).
 */
export class NodeFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: NodeFunctionProps) {
    const { installation, kind, talksToClusters = false, once = false } = props
    const { settings, folderOf } = installation
    const reserved = settings.reservedConcurrency[kind]
    const logGroup = new KeptLogs(scope, `${id}-logs`, installation)
    const role = new Role(scope, `${id}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)
    super(scope, id, {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(folderOf(props.bundle ?? id)),
      description: props.description,
      memorySize: props.memoryMiB ?? 512,
      timeout: Duration.seconds(TIMEOUT_SECONDS[kind]),
      environment: { ...props.environment },
      tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup,
      role,
      ...(once ? { retryAttempts: 0, maxEventAge: EVENT_AGE } : {}),
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
    })
    if (settings.tracing) acknowledge(role, 'AwsSolutions-IAM5[Resource::*]', 'X-Ray takes no resource.')
    acknowledge(this, 'Serverless-LambdaDLQ', NO_DEAD_LETTERS)
    if (once) acknowledge(this, 'Serverless-LambdaAsyncFailureDestination', NO_DEAD_LETTERS)
    const network = talksToClusters ? clusterNetwork(this, settings) : undefined
    if (network === undefined) return
    ;(this.node.defaultChild as CfnFunction).vpcConfig = network
    // Lambda makes the interfaces when it makes the function.
    this.node.addDependency(grantNetworkInterfaces(role))
  }
}
