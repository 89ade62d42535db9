import type { DeploymentSettings } from '../settings/settings.schema.ts'
import type { ApiStack } from '../stacks/api.stack.ts'
import type { DataStack } from '../stacks/data.stack.ts'
import type { EventsStack } from '../stacks/events.stack.ts'
import type { FlowsStack } from '../stacks/flows.stack.ts'
import { addApiAlarms } from './api-alarms.ts'
import { addFlowAlarms } from './flow-alarms.ts'
import type { RunbookAlarm } from './runbook-alarm.ts'
import { addTableAlarms } from './table-alarms.ts'
import { addWorkerAlarms } from './worker-alarms.ts'

export type Watched = { data: DataStack; flows: FlowsStack; api: ApiStack; events: EventsStack }

/**
 * Alarms, each in the stack of what it watches: a reference from another stack would keep CloudFormation from ever removing a function or
 * machine.
 */
export const addAlarms = (
  settings: DeploymentSettings,
  { data, flows, api, events: { workers, outbox, cloudCalls }, events }: Watched,
): RunbookAlarm[] => [
  ...addTableAlarms(data, { settings, tableName: data.table.tableName }),
  ...addFlowAlarms(flows, { settings, machines: Object.values(flows.machines) }),
  ...addApiAlarms(api, {
    settings,
    apiIds: api.apiIds,
    accessLogs: api.accessLogs,
    authorizer: api.functions.authorizer,
    functions: [api.functions.table, api.functions.keys],
  }),
  ...addWorkerAlarms(events, {
    settings,
    workers: [...Object.values(workers), outbox.forwarder, outbox.fanOut, ...(cloudCalls ? [cloudCalls] : [])],
    forwarder: outbox.forwarder,
    undelivered: [outbox.undelivered, outbox.refused],
  }),
]
