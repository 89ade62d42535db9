export const ROLES = ['admin', 'member', 'reader'] as const
export type Role = (typeof ROLES)[number]

/** Who calls. `source` tells which authority vouched for it. */
export type Principal = {
  userId: string
  projectId: string
  roles: readonly Role[]
  source: 'local' | 'token-file' | 'keystone' | 'oidc'
}
