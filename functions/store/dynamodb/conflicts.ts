import { AlreadyExists, RevisionConflict } from '../errors.ts'

/** What an entity is called in messages. */
export type EntityKind = 'cluster' | 'federation' | 'membership' | 'cluster template' | 'node group' | 'quota'

export const revisionConflict = (kind: EntityKind, id: string, revision: number): RevisionConflict =>
  new RevisionConflict(
    `The ${kind} ${id} was changed or removed by another request meanwhile; read it again and retry.`,
    {
      details: { kind, id, revision },
    },
  )

export const alreadyExists = (kind: EntityKind | 'event', id: string): AlreadyExists =>
  new AlreadyExists(`There is a ${kind} ${id} already.`, { details: { kind, id } })
