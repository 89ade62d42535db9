import type { DomainEvent, EventOwner } from '../core/values/event.ts'
import type { Page, PageRequest } from './page.ts'
import type { Write } from './write.ts'

/** History of entities, kept 30 days (TTL) and readable after the entity is gone. */
export interface EventStore {
  /** Goes into the commit that makes it true. */
  append(event: DomainEvent): Write
  /** Oldest first. */
  listOf(projectId: string, owner: EventOwner, page: PageRequest): Promise<Page<DomainEvent>>
}
