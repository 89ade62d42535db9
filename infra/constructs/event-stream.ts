import { CfnOutput } from 'aws-cdk-lib'
import { type FunctionUrl, FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { acknowledge } from '../acknowledge.ts'
import { grantTable } from '../grants.ts'
import type { Installation } from '../installation.ts'
import { NodeFunction } from './node-function.ts'

/** Streams at a time where the operator says nothing else (`reservedConcurrency.stream`): each keeps an execution of the account's. */
const STREAMS_MAX = 50

export type EventStreamProps = {
  installation: Installation
  /** Of the table function and of the authorizer, since it is both. */
  environment: Readonly<Record<string, string>>
}

/**
 * Events as they happen: a function whose own URL streams its answers, which the gateway of HTTP APIs does not (docs/decisions/0045). It checks tokens by the
 * authorizer's code, and answers nothing but the feed.
 */
export class EventStream extends Construct {
  readonly function: NodeFunction
  readonly url: FunctionUrl

  constructor(scope: Construct, id: string, { installation, environment }: EventStreamProps) {
    super(scope, id)
    const { settings } = installation
    const reservedConcurrency = { stream: STREAMS_MAX, ...settings.reservedConcurrency }
    this.function = new NodeFunction(this, 'function', {
      installation: { ...installation, settings: { ...settings, reservedConcurrency } },
      kind: 'stream',
      bundle: 'event-stream',
      description: 'fedplane: streams events',
      environment,
      memoryMiB: 256,
    })
    grantTable(this.function, installation.data)
    this.url = this.function.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
    })
    acknowledge(this.function, 'Serverless-LambdaAsyncFailureDestination', 'Its callers wait for its answer.')
    new CfnOutput(this, 'url', { value: this.url.url, description: 'Streams GET /v1/events?follow=true.' })
  }
}
