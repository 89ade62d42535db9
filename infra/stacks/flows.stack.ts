import path from 'node:path'
import { Aws, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { EXECUTION_SECONDS } from '../../functions/domain/deadlines.ts'
import { FLOWS, type Flow } from '../../functions/domain/operation.ts'
import type { Settings, WorkerEnv } from '../../functions/runtime/env.ts'
import type { SUBSTITUTIONS } from '../asl-lint.ts'
import { NodeFunction } from '../constructs/node-function.ts'
import { grantEks, grantExecutions, grantSealing, machineArnPrefix, machineName } from '../grants.ts'
import { TIMEOUT_SECONDS } from '../limits.ts'
import type { WorkerStackProps } from './worker-stack-props.ts'

const STATE_MACHINES = path.join(import.meta.dirname, '../../statemachines')

/** One state machine and one Lambda function for each flow. */
export class FlowsStack extends Stack {
  readonly #props: WorkerStackProps

  constructor(scope: Construct, id: string, props: WorkerStackProps) {
    super(scope, id, props)
    this.#props = props
    for (const flow of FLOWS) this.#addMachine(flow, this.#addFunction(flow))
  }

  #addFunction(flow: Flow): NodeFunction {
    const { data, folderOf, allowedNetworks, eks } = this.#props
    const environment: Settings<WorkerEnv> = {
      TABLE_NAME: data.table.tableName,
      STATE_MACHINE_ARN_PREFIX: machineArnPrefix(),
      KMS_KEY_ARN: data.dataKeyKey.keyArn,
      ALLOWED_NETWORKS: allowedNetworks,
    }
    const step = new NodeFunction(this, `step-${flow}`, {
      folder: folderOf(`step-${flow}`),
      description: `fedplane: steps of the flow ${flow}`,
      timeoutSeconds: TIMEOUT_SECONDS.step,
      environment,
    })
    data.table.grantReadWriteData(step)
    grantSealing(data.dataKeyKey, step)
    grantExecutions(step)
    grantEks(step, eks)
    return step
  }

  #addMachine(flow: Flow, step: NodeFunction): void {
    const substitutions: Record<(typeof SUBSTITUTIONS)[number], string> = { StepFunctionArn: step.functionArn }
    const machine = new StateMachine(this, flow, {
      stateMachineName: machineName(flow),
      definitionBody: DefinitionBody.fromFile(path.join(STATE_MACHINES, flow, 'flow.asl.json')),
      definitionSubstitutions: substitutions,
      // The reconciler ends an operation at its deadline; this one is for an execution that even it has lost.
      timeout: Duration.seconds(EXECUTION_SECONDS[flow]),
      tracingEnabled: true,
      logs: {
        level: LogLevel.ERROR,
        includeExecutionData: false,
        destination: new LogGroup(this, `${flow}-logs`, {
          logGroupName: `/aws/vendedlogs/states/${Aws.STACK_NAME}-${flow}`,
          retention: RetentionDays.ONE_MONTH,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      },
    })
    step.grantInvoke(machine)
  }
}
