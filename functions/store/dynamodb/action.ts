import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { AppError } from '../../core/values/app-error.ts'
import type { ProjectLimits } from '../../core/values/quota.ts'
import { AlreadyExists, RevisionConflict } from '../errors.ts'
import type { Facts } from '../sealing/integrity.ts'
import type { Write } from '../write.ts'
import type { ItemKey } from './keys.ts'

/** What was stored when a condition failed, as DynamoDB sends it with the failure. */
export type StoredItem = Readonly<Record<string, AttributeValue>>

/** The facts of an item that is written, for its `integrity`. The action's `integrity`, in item or values, is filled by `commit`. */
type BoundFacts = {
  projectId: string
  facts: Facts
  /** As it was read; null for a new item. An item that was altered since must not get a good `integrity` for it. */
  read: { facts: Facts; integrity: string | undefined } | null
}

/** What projects have a limited number of. */
export type PlaceKind = keyof ProjectLimits

/** How an action changes a project's count of something. */
export type Place = {
  of: PlaceKind
  projectId: string
  by: 1 | -1
  /** Counted, and never refused. */
  always?: true
}

type Base = {
  /** DynamoDB condition; `#name` stands for the attribute `name`. Absent: always. */
  condition?: string
  /** By placeholder, with the colon. */
  values?: Readonly<Record<string, unknown>>
  /** The error when the condition does not hold. `stored` is undefined when there is no item. */
  onConflict: (stored: StoredItem | undefined) => AppError
  /** When the condition does not hold, there is nothing to do: left out, without harm to the writes beside it. */
  optional?: true
  /** Absent: nothing that leads to credentials is written. */
  bound?: BoundFacts
  /** Counted beside the commit (`project-places.ts`). */
  places?: readonly Place[]
}

/** One item's part in a commit. */
export type Action = Base &
  (
    | { type: 'put'; item: ItemKey & Readonly<Record<string, unknown>> }
    | { type: 'update'; key: ItemKey; update: string }
    | { type: 'delete'; key: ItemKey }
    /** Writes nothing; its condition must hold. Part of a transaction always. */
    | { type: 'check'; key: ItemKey; condition: string }
  )

type Bound = { projectId: string; integrity?: string }

/** What leads to credentials, to be spread into the action of a change that touches one of the fields among them; else nothing. */
export const boundChange = <E extends Bound, C extends object>(
  { factsOf, fields }: { factsOf: (entity: E) => Facts; fields: readonly (keyof C)[] },
  read: E,
  change: C,
): Pick<Base, 'bound'> =>
  fields.some((name) => change[name] !== undefined)
    ? {
        bound: {
          projectId: read.projectId,
          facts: factsOf({ ...read, ...change }),
          read: { facts: factsOf(read), integrity: read.integrity },
        },
      }
    : {}

/** The place in an update that `commit` fills. */
export const integritySlot = ({ bound }: Pick<Base, 'bound'>): { integrity?: string } =>
  bound === undefined ? {} : { integrity: '' }

/** Hides actions from callers; only `commit` looks inside. */
export const asWrite = (...actions: Action[]): Write => actions as unknown as Write

export const actionsOf = (write: Write): readonly Action[] => write as unknown as readonly Action[]

/** The item that an action is about. */
export const keyOfAction = (action: Action): ItemKey => (action.type === 'put' ? action.item : action.key)

/** What an entity is called in messages. */
export type EntityKind =
  | 'cluster'
  | 'federation'
  | 'membership'
  | 'cluster template'
  | 'node group'
  | 'quota'
  | 'grant'
  | 'trigger'
  | 'delivery'
  | 'hook'
  | 'observe request'

export const revisionConflict = (kind: EntityKind, id: string, revision: number): RevisionConflict =>
  new RevisionConflict(
    `The ${kind} ${id} was changed or removed by another request meanwhile; read it again and retry.`,
    {
      details: { kind, id, revision },
    },
  )

export const alreadyExists = (kind: EntityKind | 'event', id: string): AlreadyExists =>
  new AlreadyExists(`There is a ${kind} ${id} already.`, { details: { kind, id } })
