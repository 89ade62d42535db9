import * as z from 'zod'
import { RevisionConflict } from '../errors.ts'
import type { Leftover } from '../inventory.store.ts'
import type { Action } from './action.ts'
import { leftIndexAttributes, presentOnly } from './index-attributes.ts'
import { count, objectRef, schemaVersion, text, textOrNull } from './item.schema.ts'
import { leftKey } from './keys.ts'

export const LEFTOVER_SCHEMA_VERSION = 1

export const leftoverItem = z
  .object({
    schemaVersion: schemaVersion(LEFTOVER_SCHEMA_VERSION),
    projectId: text,
    clusterId: text,
    federationId: text,
    federationProjectId: text,
    memberName: text,
    rights: textOrNull,
    objects: z.array(objectRef),
    createdAt: text,
    dueAt: text,
    revision: count,
  })
  .transform(({ schemaVersion: _, ...left }): Leftover => left)

const conflict =
  ({ clusterId }: { clusterId: string }) =>
  () =>
    new RevisionConflict(`What was left in the cluster ${clusterId} has changed since it was read.`)

/** Where the federation's project finds it, when that is another one. */
const copyKey = (left: Omit<Leftover, 'revision'>) =>
  left.federationProjectId === left.projectId ? undefined : leftKey({ ...left, projectId: left.federationProjectId })

const always = { onConflict: conflict({ clusterId: '' }) }

/** The item of the cluster's project decides, and is due; the other one is for reading. */
export const putLeftover = (read: Leftover | undefined, next: Omit<Leftover, 'revision'>): Action[] => {
  const item = { schemaVersion: LEFTOVER_SCHEMA_VERSION, ...next, revision: (read?.revision ?? 0) + 1 }
  const [condition, values] = read
    ? ['#revision = :read', { ':read': read.revision }]
    : ['attribute_not_exists(#pk)', {}]
  const copy = copyKey(next)
  return [
    {
      type: 'put',
      item: { ...item, ...leftKey(next), ...presentOnly(leftIndexAttributes(next)) },
      condition,
      values,
      onConflict: conflict(item),
    },
    ...(copy === undefined ? [] : [{ type: 'put' as const, item: { ...item, ...copy }, ...always }]),
  ]
}

export const removeLeftover = (read: Leftover): Action[] => {
  const copy = copyKey(read)
  return [
    {
      type: 'delete',
      key: leftKey(read),
      condition: '#revision = :read',
      values: { ':read': read.revision },
      onConflict: conflict(read),
    },
    ...(copy === undefined ? [] : [{ type: 'delete' as const, key: copy, ...always }]),
  ]
}
