import { Duration, Stack } from 'aws-cdk-lib'
import { type EventPattern, Rule, type RuleProps, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction, type LambdaFunctionProps } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import { FLOWS } from '../../functions/core/operation/operation.ts'
import { WORKER_SECONDS, WORKERS, type Worker } from '../../functions/core/values/workers.ts'
import type {
  CloudEvents,
  ClusterDriverDescription,
} from '../../functions/drivers/contract/cluster-driver-description.ts'
import { CLUSTER_DESCRIPTIONS } from '../../functions/drivers/descriptions.ts'
import { acknowledge } from '../acknowledge.ts'
import { NodeFunction, type NodeFunctionProps } from '../constructs/node-function.ts'
import { Outbox } from '../constructs/outbox.ts'
import {
  grantEks,
  grantExecutions,
  grantHistory,
  grantOpening,
  grantStart,
  grantTable,
  grantTriggerBuses,
  machineArn,
} from '../grants.ts'
import type { Installation, InstallationStackProps } from '../installation.ts'
import {
  deliveriesEnvironment,
  reconcilerEnvironment,
  selectorsEnvironment,
  workerEnvironment,
} from '../worker-environment.ts'

/** Targets that a rule may have. */
const TARGETS_MAX = 5

/** Calls that failed have changed nothing. */
const patternOf = ({ source, eventSource, calls }: CloudEvents): EventPattern => ({
  source: [source],
  detailType: ['AWS API Call via CloudTrail'],
  detail: { eventSource: [eventSource], eventName: [...calls], errorCode: [{ exists: false }] },
})

/** What runs by the clock, because an execution ended badly, or because something happened. */
export class EventsStack extends Stack {
  readonly workers: Readonly<Record<Worker, NodeFunction>>
  readonly outbox: Outbox
  /** Has clusters observed that somebody changed at AWS; undefined where no enabled driver has such. */
  readonly cloudCalls: NodeFunction | undefined
  readonly #installation: Installation

  constructor(scope: Construct, id: string, props: InstallationStackProps) {
    super(scope, id, props)
    this.#installation = props
    const environment = reconcilerEnvironment(props)
    const reconciler = this.#addFunction('reconciler', {
      description: 'fedplane: looks after what is in progress',
      environment,
    })
    const renewals = this.#addFunction('renewals', {
      description: 'fedplane: starts due credential rotations',
      environment,
    })
    this.workers = {
      reconciler,
      renewals,
      'health-sweep': this.#addSweep(),
      'trigger-deliveries': this.#addDeliveries(),
      selectors: this.#addSelectors(),
    }
    grantExecutions(reconciler)
    grantHistory(reconciler)
    grantStart(renewals)
    for (const worker of WORKERS) {
      const target = this.workers[worker]
      grantTable(target, props.data)
      const schedule = Schedule.rate(Duration.seconds(WORKER_SECONDS[worker]))
      if (worker === 'health-sweep') this.#addSweepRules(target, schedule)
      else this.#addRule(`${target.node.id}-each-minute`, target, { schedule })
    }
    this.#addRule('execution-ended-badly', reconciler, {
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'], stateMachineArn: FLOWS.map(machineArn) },
      },
    })
    this.outbox = new Outbox(this, 'outbox', {
      installation: props,
      deliveries: this.workers['trigger-deliveries'],
      sweep: this.workers['health-sweep'],
      selectors: this.workers.selectors,
    })
    this.cloudCalls = this.#addCloudCalls()
  }

  #addFunction(
    name: Worker,
    props: Pick<NodeFunctionProps, 'description' | 'environment' | 'talksToClusters'>,
  ): NodeFunction {
    return new NodeFunction(this, name, {
      installation: this.#installation,
      kind: 'event',
      once: true,
      bundle: `event-${name}`,
      ...props,
    })
  }

  #addSweep(): NodeFunction {
    const { data, settings } = this.#installation
    const sweep = this.#addFunction('health-sweep', {
      description: 'fedplane: checks the health of clusters',
      environment: workerEnvironment(this.#installation),
      talksToClusters: true,
    })
    grantOpening(data.dataKeyKey, sweep)
    grantStart(sweep)
    grantEks(sweep, settings)
    return sweep
  }

  /** An event for each part, which needs neither a queue nor a function that counts clusters (docs/decisions/0046). */
  #addSweepRules(sweep: NodeFunction, schedule: Schedule): void {
    const { sweepParts: of } = this.#installation.settings
    const parts = Array.from({ length: of }, (_, index) => ({ index, of }))
    for (let at = 0; at < of; at += TARGETS_MAX) {
      const targets = parts.slice(at, at + TARGETS_MAX).map((part) => ({ event: RuleTargetInput.fromObject({ part }) }))
      const id = at === 0 ? `${sweep.node.id}-each-minute` : `${sweep.node.id}-each-minute-${at}`
      this.#addRule(id, sweep, { schedule }, targets)
    }
  }

  #addDeliveries(): NodeFunction {
    const deliveries = this.#addFunction('trigger-deliveries', {
      description: 'fedplane: posts events to the targets of triggers',
      environment: deliveriesEnvironment(this.#installation),
      talksToClusters: true,
    })
    grantOpening(this.#installation.data.dataKeyKey, deliveries)
    grantTriggerBuses(deliveries, this.#installation.settings)
    return deliveries
  }

  /** It joins clusters as commands do, which proves that items are fedplane's, and reaches none. */
  #addSelectors(): NodeFunction {
    const selectors = this.#addFunction('selectors', {
      description: 'fedplane: has clusters join and leave by selectors',
      environment: selectorsEnvironment(this.#installation),
    })
    grantOpening(this.#installation.data.dataKeyKey, selectors)
    grantStart(selectors)
    return selectors
  }

  /**
   * Calls of the cloud's API that change clusters, as CloudTrail tells of them: those of this account and Region on the default bus, and those of others on
   * our bus, for whoever forwards them there (docs/events.md).
   */
  #addCloudCalls(): NodeFunction | undefined {
    const { data, settings } = this.#installation
    const known: readonly ClusterDriverDescription[] = CLUSTER_DESCRIPTIONS
    const told = known.flatMap(({ id, cloud }) =>
      cloud !== undefined && (settings.clusterDrivers?.includes(id) ?? true) ? [{ id: id.split('@')[0], cloud }] : [],
    )
    if (told.length === 0) return undefined
    const watcher = new NodeFunction(this, 'cloud-calls', {
      installation: this.#installation,
      kind: 'event',
      once: true,
      bundle: 'event-cloud-calls',
      description: 'fedplane: has clusters observed that were changed at AWS',
      environment: reconcilerEnvironment(this.#installation),
    })
    grantTable(watcher, data)
    for (const { id, cloud } of told) {
      this.#addRule(`${id}-calls`, watcher, { eventPattern: patternOf(cloud) })
      this.#addRule(`${id}-calls-elsewhere`, watcher, { eventPattern: patternOf(cloud), eventBus: this.outbox.bus })
    }
    return watcher
  }

  /** The next minute tries again, so a failed run is not repeated by EventBridge. */
  #addRule(id: string, target: NodeFunction, props: RuleProps, inputs: LambdaFunctionProps[] = [{}]): void {
    const targets = inputs.map((input) => new LambdaFunction(target, { ...input, retryAttempts: 0 }))
    const rule = new Rule(this, id, { ...props, targets })
    acknowledge(
      rule,
      'Serverless-EventBusDLQ',
      'The sweep of the next minutes does what this event was for, so one that is kept is of no use.',
    )
  }
}
