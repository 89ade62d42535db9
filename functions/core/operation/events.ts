import type { Write } from '../../store/write.ts'
import { type Membership, WITHHELD } from '../membership/membership.ts'
import type { Ports } from '../ports.ts'
import type { DomainEvent } from '../values/event.ts'

type EventFields = Pick<DomainEvent, 'action' | 'outcome' | 'reason' | 'message' | 'notify' | 'health' | 'quarantined'>
type EventPorts = Pick<Ports, 'stores' | 'clock' | 'newId' | 'caller'>

/** Message text longer than this is cut: an item holds 400 KB, a reader wants a line. */
const MESSAGE_MAX = 4000

const askedBy = ({ caller }: EventPorts): Pick<DomainEvent, 'initiator' | 'audit'> => {
  if (caller === undefined) return {}
  const { userId, projectId, audit } = caller
  return { initiator: { userId, projectId }, ...(audit === undefined ? {} : { audit: audit() }) }
}

const append = (ports: EventPorts, event: Omit<DomainEvent, 'id' | 'time'>): Write =>
  ports.stores.events.append({
    ...event,
    message: event.message.slice(0, MESSAGE_MAX),
    id: ports.newId(),
    time: ports.clock.now().toISOString(),
    ...askedBy(ports),
  })

/** History of a cluster or federation, for the commit that moves it from `read` to the next revision. */
export const ownerEvent = (
  ports: EventPorts,
  kind: 'cluster' | 'federation',
  read: { projectId: string; id: string; revision: number; name: string },
  said: EventFields,
): Write =>
  append(ports, {
    projectId: read.projectId,
    owner: { kind, id: read.id },
    name: read.name,
    clusterId: null,
    sequence: read.revision + 1,
    ...said,
  })

/** History of a membership, kept with its federation. */
export const memberEvent = (
  ports: EventPorts,
  read: Pick<Membership, 'projectId' | 'federationId' | 'clusterId' | 'revision' | 'loan'>,
  said: EventFields,
): Write =>
  append(ports, {
    projectId: read.projectId,
    owner: { kind: 'federation', id: read.federationId },
    clusterId: read.clusterId,
    sequence: read.revision + 1,
    ...said,
    ...(read.loan !== undefined && isTelling(said) ? { message: WITHHELD } : {}),
  })

/** True where the message says more of a cluster than that it came or went. */
const isTelling = ({ outcome, reason }: EventFields): boolean => outcome === 'failure' || reason === 'LeftBehind'

/** The end of a move of a member, in the history of its federation; with all details in that of its cluster, where this is another project's. */
export const memberEndEvents = (ports: EventPorts, read: Membership, said: EventFields): Write[] => {
  const { projectId, federationId, clusterId, loan, revision } = read
  if (loan === undefined) return [memberEvent(ports, read, said)]
  const owners = {
    ...said,
    projectId: loan.projectId,
    owner: { kind: 'cluster', id: clusterId },
    clusterId,
    sequence: revision + 1,
    message: `Federation ${federationId} of project ${projectId}: ${said.message}`,
  } as const
  return [memberEvent(ports, read, said), append(ports, owners)]
}

/** That something of a project was made which has no history of its own. */
export const projectEvent = (
  ports: EventPorts,
  projectId: string,
  said: Pick<EventFields, 'reason' | 'message'>,
): Write =>
  append(ports, {
    projectId,
    owner: { kind: 'project', id: projectId },
    name: projectId,
    clusterId: null,
    sequence: 0,
    action: 'update',
    outcome: 'success',
    notify: false,
    ...said,
  })
