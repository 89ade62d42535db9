import { awsKeyPorts } from '../../runtime/aws-keys.ts'
import { readEnv, selectorsEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { followAll, followDue } from './follow-due.ts'

const ports = lazy(() => awsKeyPorts(readEnv(selectorsEnv)))

/** Lambda entry of the schedule that follows what waits, and of who found in the table's stream what clusters changed (`trigger-fan-out`). */
export const handler = (event: {
  federations?: readonly { projectId: string; id: string }[]
}): Promise<{ putOff: number }> =>
  event.federations === undefined ? followDue(ports()) : followAll(ports(), event.federations)
