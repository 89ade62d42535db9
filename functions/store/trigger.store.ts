import type { Delivery, DeliveryKey, Trigger, TriggerKey } from '../core/trigger/trigger.ts'
import type { Page, PageRequest } from './page.ts'
import type { Write } from './write.ts'

/** What a change of a trigger sets. */
export type TriggerChange = Partial<Pick<Trigger, 'formerSecretUntil' | 'testedAt'>>
/** What a change of a delivery sets. */
export type DeliveryChange = Partial<Pick<Delivery, 'state' | 'attempts' | 'nextAt' | 'last'>>

/** Triggers of projects, and what is on its way to their targets. */
export interface TriggerStore {
  get(key: TriggerKey): Promise<Trigger | undefined>
  /** All of a project: few. In order of creation. */
  listOf(projectId: string): Promise<Trigger[]>
  /** Conflict: AlreadyExists. */
  insert(trigger: Trigger): Write
  /** Conflict: RevisionConflict. */
  change(read: Trigger, change: TriggerChange): Write
  /** Conflict: RevisionConflict. */
  remove(read: Trigger): Write

  getDelivery(key: DeliveryKey): Promise<Delivery | undefined>
  /** Oldest first, of the last 30 days. */
  deliveriesOf(trigger: TriggerKey, page: PageRequest): Promise<Page<Delivery>>
  /** Does nothing when it is there: an event may come twice. */
  addDelivery(delivery: Delivery): Write
  /** Conflict: RevisionConflict. */
  changeDelivery(read: Delivery, change: DeliveryChange): Write
  /** Pending ones whose time has come (ISO-8601), the longest due first. Eventually consistent. */
  due(now: string): AsyncIterable<DeliveryKey>
}
