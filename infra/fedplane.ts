import { type App, Tags } from 'aws-cdk-lib'
import { acknowledge } from './acknowledge.ts'
import { addAlarms } from './alarms/add-alarms.ts'
import type { Installation, InstallationStackProps } from './installation.ts'
import type { GatewayRoute } from './route-keys.ts'
import type { DeploymentSettings } from './settings/settings.schema.ts'
import { ApiStack } from './stacks/api.stack.ts'
import { DataStack } from './stacks/data.stack.ts'
import { EventsStack } from './stacks/events.stack.ts'
import { FlowsStack } from './stacks/flows.stack.ts'
import { GuardStack } from './stacks/guard.stack.ts'
import { OperationsStack } from './stacks/operations.stack.ts'

export type FedplaneProps = Pick<Installation, 'folderOf'> & {
  settings: DeploymentSettings
  /** Account and Region; absent means whatever the CLI is pointed at. */
  env?: NonNullable<InstallationStackProps['env']>
  routes: readonly GatewayRoute[]
}

export type Fedplane = {
  data: DataStack
  flows: FlowsStack
  api: ApiStack
  events: EventsStack
  operations: OperationsStack
  guard: GuardStack
}

const UNTRACED = ['AwsSolutions-SF2', 'Serverless-LambdaTracing', 'Serverless-StepFunctionStateMachineXray']

/** All stacks. Their names are fixed: there is one installation for each account and Region. */
export const addFedplane = (app: App, { settings, env, folderOf, routes }: FedplaneProps): Fedplane => {
  const base = env === undefined ? {} : { env }
  const data = new DataStack(app, 'fedplane-data', { ...base, settings })
  const shared: InstallationStackProps = { ...base, settings, data, folderOf }
  const stacks = {
    data,
    flows: new FlowsStack(app, 'fedplane-flows', shared),
    api: new ApiStack(app, 'fedplane-api', { ...shared, routes }),
    events: new EventsStack(app, 'fedplane-events', shared),
  }
  const alarms = addAlarms(settings, stacks)
  const operations = new OperationsStack(app, 'fedplane-operations', { ...shared, alarms, ...stacks })
  const others = [...Object.values(stacks), operations]
  const guard = new GuardStack(app, 'fedplane-guard', { ...shared, others })
  if (!settings.tracing) {
    for (const id of UNTRACED) acknowledge(app, id, 'The operator has switched traces off (setting tracing).')
  }
  for (const [name, value] of Object.entries({ service: 'fedplane', stage: settings.stage }))
    Tags.of(app).add(name, value)
  return { ...stacks, operations, guard }
}
