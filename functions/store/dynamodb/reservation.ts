import type { AppError } from '../../core/values/app-error.ts'
import { ReservationTaken } from '../errors.ts'
import type { Action, StoredItem } from './action.ts'
import type { ItemKey } from './keys.ts'

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
