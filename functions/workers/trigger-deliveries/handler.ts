import type { DeliveryKey } from '../../core/trigger/trigger.ts'
import { systemResolver } from '../../kubernetes/address-guard.ts'
import { awsKeyHolder } from '../../runtime/aws-keys.ts'
import { putOnTriggerBus } from '../../runtime/aws-trigger-buses.ts'
import { deliveriesEnv, readEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { deliverAll, deliverDue } from './deliver.ts'

const ports = lazy(() => awsKeyHolder(readEnv(deliveriesEnv)))
const putOnBus = lazy(() => putOnTriggerBus())

/** Lambda entry of the schedule that delivers what is due, and of who found new deliveries in the table's stream (`trigger-fan-out`). */
export const handler = (event: { deliveries?: readonly DeliveryKey[] }): Promise<{ putOff: number }> => {
  const sending = { policy: ports().addressPolicy, resolver: systemResolver, putOnBus: putOnBus() }
  return event.deliveries === undefined ? deliverDue(ports(), sending) : deliverAll(ports(), event.deliveries, sending)
}
