import type { Principal } from '../../../functions/core/values/identity.ts'
import { ALICE } from '../../support/api/request.ts'

/** Who calls in the contract's rows, besides ALICE (admin, member and reader of `blue`) and what `test/support/api` has. */

const inBlue = (userId: string, ...roles: Principal['roles']): Principal => ({ ...ALICE, userId, roles })

/** ALICE without the role of an administrator: the creator of what the labs make. */
export const OWNER = inBlue('alice', 'member', 'reader')
/** Another member of her project. */
export const COLLEAGUE = inBlue('carol', 'member', 'reader')
export const BLUE_READER = inBlue('rita', 'reader')
/** Administrator in her project and nothing else. */
export const BLUE_ADMIN = inBlue('root', 'admin')
/** Members and administrators of another project. */
export const STRANGER: Principal = { ...ALICE, userId: 'bob', projectId: 'green', roles: ['member', 'reader'] }
export const FOREIGN_ADMIN: Principal = { ...STRANGER, userId: 'greta', roles: ['admin', 'member', 'reader'] }
