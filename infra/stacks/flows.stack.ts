import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Aws, Stack } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { EXECUTION_SECONDS } from '../../functions/core/operation/deadlines.ts'
import { FLOWS, type Flow } from '../../functions/core/operation/operation.ts'
import type { SUBSTITUTIONS } from '../../local/engine/asl-lint.ts'
import { acknowledge } from '../acknowledge.ts'
import { KeptLogs } from '../constructs/kept-logs.ts'
import { NodeFunction } from '../constructs/node-function.ts'
import { grantEks, grantExecutions, grantSealing, grantTable, machineName } from '../grants.ts'
import type { Installation, InstallationStackProps } from '../installation.ts'
import { workerEnvironment } from '../worker-environment.ts'

/** Without an end: each machine has its own, for an execution that even the reconciler has lost. CDK sets none in a definition that is given. */
const DEFINITION: object = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../statemachines/operation.asl.json'), 'utf8'),
)

/** One state machine for each flow, of one definition, and one Lambda function for all of their steps. */
export class FlowsStack extends Stack {
  readonly machines: Readonly<Record<Flow, StateMachine>>
  readonly #installation: Installation

  constructor(scope: Construct, id: string, props: InstallationStackProps) {
    super(scope, id, props)
    this.#installation = props
    const step = this.#addFunction()
    const machines = FLOWS.map((flow) => [flow, this.#addMachine(flow, step)] as const)
    this.machines = Object.fromEntries(machines) as Record<Flow, StateMachine>
  }

  #addFunction(): NodeFunction {
    const { data, settings } = this.#installation
    const step = new NodeFunction(this, 'step', {
      installation: this.#installation,
      kind: 'step',
      description: 'fedplane: steps of all flows',
      environment: workerEnvironment(this.#installation),
      talksToClusters: true,
    })
    grantTable(step, data)
    grantSealing(data.dataKeyKey, step)
    grantExecutions(step)
    grantEks(step, settings)
    return step
  }

  #addMachine(flow: Flow, step: NodeFunction): StateMachine {
    const substitutions: Record<(typeof SUBSTITUTIONS)[number], string> = {
      StepFunctionArn: step.functionArn,
      Flow: flow,
    }
    const machine = new StateMachine(this, flow, {
      stateMachineName: machineName(flow),
      definitionBody: DefinitionBody.fromString(
        this.toJsonString({ ...DEFINITION, TimeoutSeconds: EXECUTION_SECONDS[flow] }),
      ),
      definitionSubstitutions: substitutions,
      tracingEnabled: this.#installation.settings.tracing,
      logs: {
        level: LogLevel.ERROR,
        includeExecutionData: false,
        destination: new KeptLogs(
          this,
          `${flow}-logs`,
          this.#installation,
          `/aws/vendedlogs/states/${Aws.STACK_NAME}-${flow}`,
        ),
      },
    })
    // Not its versions, which `grantInvoke` would add.
    machine.addToRolePolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [step.functionArn] }))
    acknowledge(machine, 'AwsSolutions-IAM5[Resource::*]', 'Delivery of logs, and X-Ray, take no resource.')
    acknowledge(
      machine,
      'AwsSolutions-SF1',
      'Errors are logged; the history of each execution has the rest for 90 days, and to log it costs more than to run it.',
    )
    return machine
  }
}
