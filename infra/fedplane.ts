import type { App, StackProps } from 'aws-cdk-lib'
import { eksRights } from './eks-context.ts'
import { identityProps } from './identity-context.ts'
import type { GatewayRoute } from './route-keys.ts'
import { ApiStack } from './stacks/api.stack.ts'
import { DataStack } from './stacks/data.stack.ts'
import { EventsStack } from './stacks/events.stack.ts'
import { FlowsStack } from './stacks/flows.stack.ts'

export type FedplaneProps = {
  /** Account and Region; absent means whatever the CLI is pointed at. */
  env?: StackProps['env']
  /** Folder of a function's bundle, by its name. */
  folderOf(name: string): string
  routes: readonly GatewayRoute[]
  /** False lets table and key go with the stack. Default: true. */
  retain?: boolean
  /** Base URL in links. Default: the API's own endpoint. */
  publicUrl?: string
  /** CIDRs separated by commas. Default: none, which leaves public addresses. */
  allowedNetworks?: string
  /** Clusters that a project without a quota of its own may have. Default: 20. */
  clustersPerProject?: string
  /** Context of the identity providers (`IDENTITY_CONTEXT`), by name. Default: none, which lets nobody in. */
  identity?: Readonly<Record<string, string | undefined>>
  /** Context of EKS (`EKS_CONTEXT`), by name. Default: none, which gives no rights. */
  eks?: Readonly<Record<string, string | undefined>>
}

export type Fedplane = { data: DataStack; flows: FlowsStack; api: ApiStack; events: EventsStack }

/**
 * A first set of stacks: what there is of fedplane deploys, with least rights. Alarms, dashboards, dead-letter queues and the
 * emulator deploy are a later issue's.
 */
export const addFedplane = (app: App, props: FedplaneProps): Fedplane => {
  const { folderOf, routes, retain = true, publicUrl, clustersPerProject, allowedNetworks = '' } = props
  const base = props.env === undefined ? {} : { env: props.env }
  const data = new DataStack(app, 'fedplane-data', { ...base, retain })
  const shared = { ...base, data, folderOf, allowedNetworks, eks: eksRights(props.eks ?? {}) }
  return {
    data,
    flows: new FlowsStack(app, 'fedplane-flows', shared),
    api: new ApiStack(app, 'fedplane-api', {
      ...shared,
      ...identityProps(props.identity ?? {}),
      routes,
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(clustersPerProject === undefined ? {} : { clustersPerProject }),
    }),
    events: new EventsStack(app, 'fedplane-events', shared),
  }
}
