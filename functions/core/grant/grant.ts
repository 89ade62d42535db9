import type { RightsLevel } from '../values/identity.ts'

/** What a federation of another project may have a cluster for. */
export const GRANT_ACTIONS = ['join', 'host'] as const
export type GrantAction = (typeof GRANT_ACTIONS)[number]

/** Every federation of a project, or one federation, whichever project it is of. */
export type Receiver = { projectId: string } | { federationId: string }

/** A federation that uses a cluster by a grant. */
export type GrantUse = {
  side: 'host' | 'member'
  federationId: string
  /** Whose federation it is. */
  projectId: string
  /** ISO-8601 UTC. */
  since: string
}

/** The consent of a cluster's project that another one's federations use the cluster. It is in the partition of the cluster's project. */
export type Grant = {
  id: string
  /** Whose cluster it is. */
  projectId: string
  clusterId: string
  /** The cluster's name when the grant was given: all that its receiver learns of it. */
  clusterName: string
  /** Who gave it. */
  userId: string
  receiver: Receiver
  actions: readonly GrantAction[]
  /** The most that a federation may take in the cluster. */
  rights: RightsLevel
  /** ISO-8601 UTC; null: never. */
  expiresAt: string | null
  /** ISO-8601 UTC; it stays until the last use is over. Null while it holds. */
  revokedAt: string | null
  createdAt: string
  /** From 1; raised by what changes the grant itself, not by uses. */
  revision: number
  /** Changed by `addUses` and `removeUse` only. */
  uses: readonly GrantUse[]
  /** As a cluster's. */
  integrity?: string
}

/** Kept by what uses a cluster of another project: whose it is, and by which grant it is used. */
export type Loan = {
  /** Whose cluster it is. */
  projectId: string
  grantId: string
  /** As in the grant's use. */
  since: string
}

/** When a grant is over, or was; null for one without an end. */
export const endOf = ({ revokedAt, expiresAt }: Pick<Grant, 'revokedAt' | 'expiresAt'>): string | null =>
  revokedAt ?? expiresAt

/** True while new uses may begin. @param now ISO-8601 UTC */
export const isLive = (grant: Pick<Grant, 'revokedAt' | 'expiresAt'>, now: string): boolean =>
  grant.revokedAt === null && (grant.expiresAt === null || grant.expiresAt > now)

/** True when it was given to this federation, or to its project. */
export const isFor = ({ receiver }: Pick<Grant, 'receiver'>, federation: { projectId: string; id: string }): boolean =>
  'projectId' in receiver ? receiver.projectId === federation.projectId : receiver.federationId === federation.id

const LEVELS: readonly RightsLevel[] = ['view', 'edit', 'more']

/** True when rights of this level include those of the other. */
export const includesRights = (granted: RightsLevel, taken: RightsLevel): boolean =>
  LEVELS.indexOf(granted) >= LEVELS.indexOf(taken)

/** The use of a grant that a loan of this federation stands for. */
export const useOfLoan = (
  side: GrantUse['side'],
  federation: { projectId: string; id: string },
  { since }: Pick<Loan, 'since'>,
): GrantUse => ({ side, federationId: federation.id, projectId: federation.projectId, since })
