import { looksLikeUuid } from '../../../../../core/values/ids.ts'
import type { JsonObject } from '../../../../../core/values/json.ts'

/** Something of OpenStack by id or by name. Clients of Magnum give both, and only Nova's flavors have ids that are no UUIDs. */
export const cloudReference = (ident: string | null | undefined): JsonObject | undefined => {
  if (ident === null || ident === undefined || ident === '') return undefined
  return looksLikeUuid(ident) ? { id: ident } : { filter: { name: ident } }
}

/** CAPO's two fields for a flavor. A number is an id, as Nova gave them once. */
export const flavorReference = (ident: string | null): JsonObject => {
  if (ident === null || ident === '') return {}
  return looksLikeUuid(ident) || /^\d+$/.test(ident) ? { flavorID: ident } : { flavor: ident }
}
