import { CfnOutput, CustomResource, Duration } from 'aws-cdk-lib'
import { Construct } from 'constructs'
import { grantReserving } from '../grants.ts'
import type { Installation } from '../installation.ts'
import { API_CONCURRENCY } from '../limits.ts'
import { NodeFunction } from './node-function.ts'

type Kind = keyof typeof API_CONCURRENCY
const KINDS = Object.keys(API_CONCURRENCY) as Kind[]

/** One observation, and two more when Lambda has to try again. */
const ANSWER_WITHIN = Duration.minutes(15)

export type ReservedConcurrencyProps = {
  installation: Installation
  functions: Readonly<Record<Kind, NodeFunction>>
}

/**
 * Reserves concurrency for the API and the authorizer at each deployment that changes them, so that flows of one project can't take all. Where the
 * account's limit leaves no room it reserves nothing and says so in the output `concurrency`: a number in the template would fail there.
 */
export class ReservedConcurrency extends Construct {
  constructor(scope: Construct, id: string, { installation, functions }: ReservedConcurrencyProps) {
    super(scope, id)
    const { settings } = installation
    const kinds = KINDS.filter((kind) => settings.reservedConcurrency[kind] === undefined)
    const reserve = new NodeFunction(this, 'function', {
      installation,
      kind: 'event',
      bundle: 'event-reserve-concurrency',
      description: 'fedplane: reserves concurrency for the API where the account has room',
      environment: {},
    })
    grantReserving(
      reserve,
      kinds.map((kind) => functions[kind]),
    )
    const resource = new CustomResource(this, 'resource', {
      resourceType: 'Custom::FedplaneReservedConcurrency',
      serviceToken: reserve.functionArn,
      serviceTimeout: ANSWER_WITHIN,
      properties: {
        Functions: kinds.map((kind) => ({
          Kind: kind,
          Name: functions[kind].functionName,
          Wanted: settings.reserveConcurrency ? String(API_CONCURRENCY[kind]) : 'none',
        })),
        // CloudFormation asks again when something of this has changed: a limit may have been raised since.
        Versions: KINDS.map((kind) => functions[kind].currentVersion.version),
      },
    })
    new CfnOutput(this, 'concurrency', {
      value: resource.getAttString('Concurrency'),
      description: 'What is reserved for the API and the authorizer, or why nothing is.',
    }).overrideLogicalId('concurrency')
  }
}
