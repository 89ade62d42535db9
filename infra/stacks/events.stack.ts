import { Duration, Stack } from 'aws-cdk-lib'
import { Rule, type RuleProps, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import { FLOWS } from '../../functions/domain/operation.ts'
import { WORKER_SECONDS, WORKERS, type Worker } from '../../functions/domain/workers.ts'
import type { ReconcilerEnv, Settings, WorkerEnv } from '../../functions/runtime/env.ts'
import { NodeFunction } from '../constructs/node-function.ts'
import { Outbox } from '../constructs/outbox.ts'
import { grantEks, grantExecutions, grantOpening, machineArn, machineArnPrefix } from '../grants.ts'
import { TIMEOUT_SECONDS } from '../limits.ts'
import type { WorkerStackProps } from './worker-stack-props.ts'

/** What runs by the clock, because an execution ended badly, or because something happened. */
export class EventsStack extends Stack {
  readonly #props: WorkerStackProps

  constructor(scope: Construct, id: string, props: WorkerStackProps) {
    super(scope, id, props)
    this.#props = props
    const reconciler = this.#addFunction('reconciler', 'fedplane: looks after what is in progress', this.#environment())
    const renewals = this.#addFunction('renewals', 'fedplane: starts due credential rotations', this.#environment())
    const workers: Record<Worker, NodeFunction> = { reconciler, renewals, 'health-sweep': this.#addSweep() }
    for (const target of [reconciler, renewals]) grantExecutions(target)
    for (const worker of WORKERS) {
      const target = workers[worker]
      props.data.table.grantReadWriteData(target)
      const schedule = Schedule.rate(Duration.seconds(WORKER_SECONDS[worker]))
      this.#addRule(`${target.node.id}-each-minute`, target, { schedule })
    }
    this.#addRule('execution-ended-badly', reconciler, {
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'], stateMachineArn: FLOWS.map(machineArn) },
      },
    })
    new Outbox(this, 'outbox', { table: props.data.table, folder: props.folderOf('event-outbox') })
  }

  #environment(): Settings<ReconcilerEnv> {
    return { TABLE_NAME: this.#props.data.table.tableName, STATE_MACHINE_ARN_PREFIX: machineArnPrefix() }
  }

  #addFunction(name: string, description: string, environment: Record<string, string>): NodeFunction {
    return new NodeFunction(this, name, {
      folder: this.#props.folderOf(`event-${name}`),
      description,
      timeoutSeconds: TIMEOUT_SECONDS.event,
      environment,
    })
  }

  #addSweep(): NodeFunction {
    const { data, allowedNetworks, eks } = this.#props
    const environment: Settings<WorkerEnv> = {
      ...this.#environment(),
      KMS_KEY_ARN: data.dataKeyKey.keyArn,
      ALLOWED_NETWORKS: allowedNetworks,
    }
    const sweep = this.#addFunction('health-sweep', 'fedplane: looks at the health of clusters', environment)
    grantOpening(data.dataKeyKey, sweep)
    grantEks(sweep, eks)
    return sweep
  }

  /** The next minute tries again, so a failed run is not repeated by EventBridge. */
  #addRule(id: string, target: NodeFunction, props: RuleProps): void {
    new Rule(this, id, { ...props, targets: [new LambdaFunction(target, { retryAttempts: 0 })] })
  }
}
