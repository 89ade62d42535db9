export const ROLES = ['admin', 'member', 'reader'] as const
export type Role = (typeof ROLES)[number]

/** Who vouches for callers: nobody has to, the token file, Keystone, an OIDC issuer, our own identity facade, or IAM of AWS. */
export const IDENTITY_SOURCES = ['local', 'token-file', 'keystone', 'oidc', 'users', 'aws'] as const

/** Who calls. `source` tells which authority vouched for it. */
export type Principal = {
  userId: string
  projectId: string
  roles: readonly Role[]
  source: (typeof IDENTITY_SOURCES)[number]
}

/**
 * What an authorizer finds out about a request: who calls; or why that is nobody, which is answered 401; or that it could not be asked,
 * which is answered 503 (design section 7).
 */
export type Identity = { principal: Principal } | { reason: string } | { unavailable: string }

/** `context` of the authorizer's answer, and `requestContext.authorizer.lambda` of the event that a handler gets. */
export type AuthorizerContext = { principal: string } | { reason: string } | { unavailable: string }

/**
 * As text, the principal arrives the same way whatever carries it: AWS only shows an example with lists and objects for HTTP APIs, and
 * REST APIs answer 500 to them.
 */
export const authorizerContextOf = (identity: Identity): AuthorizerContext =>
  'principal' in identity ? { principal: JSON.stringify(identity.principal) } : identity

/** Rights in a cluster, beside the ClusterRoles `view` and `edit` of Kubernetes: `more` is whatever goes beyond `edit`. */
export type RightsLevel = 'view' | 'edit' | 'more'

/** What a kubeconfig lets its bearer do: the ClusterRoles `view`, `edit`, and everything. */
export const KUBECONFIG_ROLES = ['viewer', 'editor', 'admin'] as const
export type KubeconfigRole = (typeof KUBECONFIG_ROLES)[number]

/**
 * Roles that clusters get in their application credentials unless the operator says otherwise: machines, networks and volumes (`member`), load
 * balancers of Octavia with its own roles, secrets of Barbican. What a caller has besides stays with them.
 */
export const DEFAULT_CLUSTER_ROLES: readonly string[] = ['member', 'load-balancer_member', 'creator']

const ADMIN = 'admin'

/** Keystone compares names of roles without case. */
export const isSameRole = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** True for the role that no cluster ever gets: in Keystone an administrator of one project is one of all. */
export const isAdminRole = (role: string): boolean => isSameRole(role, ADMIN)
