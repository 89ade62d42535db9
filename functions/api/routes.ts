import { KEYS_ROUTES } from './keys-routes.ts'
import type { Route } from './route.ts'
import { TABLE_ROUTES } from './table-routes.ts'

/** Every path that the API has: the single source for dispatch, gateway routes and documentation. */
export const ROUTES: readonly Route[] = [...TABLE_ROUTES, ...KEYS_ROUTES]
