import { createHash } from 'node:crypto'

const PREFIX = 'fedplane-'

/** What STS takes as it is; a hash begins with `sha256-`, which no other project's name may. */
const PLAIN = /^(?!sha256-)[\w+=,.@-]{1,55}$/

/**
 * Session name of a project's assumed roles: a role's trust policy can name it (`sts:RoleSessionName`), so that no other project of the same
 * installation can use the role. Therefore two projects never have the same. At most 64 characters.
 */
export const sessionNameOf = (projectId: string): string => {
  if (PLAIN.test(projectId)) return PREFIX + projectId
  return `${PREFIX}sha256-${createHash('sha256').update(projectId).digest('hex').slice(0, 48)}`
}

/** A session name that no project has, in the form of a hash: a role that lets it in lets every project in. */
export const NOBODYS_SESSION = `${PREFIX}sha256-${'0'.repeat(48)}`
