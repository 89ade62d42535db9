import type { AppError } from '../../core/values/app-error.ts'
import { ReservationTaken } from '../errors.ts'
import { type Action, alreadyExists, type EntityKind, type StoredItem } from './action.ts'
import { nameIndexAttributes, presentOnly } from './index-attributes.ts'
import { type ItemKey, type NamedKind, nameKey, namePrefix, projectPartition } from './keys.ts'
import { queryPrefix } from './read.ts'
import type { StoreContext } from './request.ts'

type Named = { projectId: string; id: string; name: string }

const NOUNS: Readonly<Record<NamedKind, EntityKind>> = {
  CLUSTER: 'cluster',
  FEDERATION: 'federation',
  TEMPLATE: 'cluster template',
}

/** Names are not unique: the key ends in the id, and the item says nothing else. */
export const putName = (kind: NamedKind, entity: Named): Action => ({
  type: 'put',
  item: { ...nameKey(kind, entity), ...presentOnly(nameIndexAttributes(kind, entity)) },
  onConflict: () => alreadyExists(NOUNS[kind], entity.id),
})

export const removeName = (kind: NamedKind, entity: Named): Action => ({
  type: 'delete',
  key: nameKey(kind, entity),
  onConflict: () => alreadyExists(NOUNS[kind], entity.id),
})

/** Longest name that is looked up; longer ones can't be stored (magnum-rest.md: 242), nor fit in a key. */
export const NAME_MAX = 255

/** Ids with this name, oldest first, since UUIDv7 ids sort by creation. */
export const findIdsByName = async (
  context: StoreContext,
  kind: NamedKind,
  { projectId, name }: { projectId: string; name: string },
): Promise<string[]> => {
  if (name.length > NAME_MAX) return []
  const ids: string[] = []
  const prefix = namePrefix(kind, name)
  for await (const item of queryPrefix(context, { pk: projectPartition(projectId), prefix })) {
    ids.push(String(item.sk).slice(prefix.length))
  }
  return ids
}

/** A unique value that belongs to one owner. */
export type Reservation = { key: ItemKey; owner: string }

const OWNED_OR_FREE = 'attribute_not_exists(#pk) OR #owner = :owner'

/** Takes it, or keeps it; `taken` makes the error from who has it. */
export const claim = ({ key, owner }: Reservation, taken: (other: string | undefined) => AppError): Action => ({
  type: 'put',
  item: { ...key, owner },
  condition: OWNED_OR_FREE,
  values: { ':owner': owner },
  onConflict: (stored: StoredItem | undefined) => taken(stored?.owner?.S),
})

/** Gives it up if it is the owner's; nothing to do otherwise. */
export const release = ({ key, owner }: Reservation): Action => ({
  type: 'delete',
  key,
  condition: OWNED_OR_FREE,
  values: { ':owner': owner },
  onConflict: () => new ReservationTaken('The reservation belongs to another owner.'),
  optional: true,
})
