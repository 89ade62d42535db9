/** Magnum's resource that has a quota (magnum-rest.md 7.3). */
export const QUOTA_RESOURCE = 'Cluster'

/** What a project may have of each kind, besides clusters, which have Magnum's quota. */
export type ProjectLimits = {
  federations: number
  /** Memberships in its federations, whose clusters may be other projects'. */
  members: number
  templates: number
  /** Creates, changes and joins in progress. Deletes and unjoins count and are never refused: they are the remedy. */
  operations: number
  /** Grants of its clusters to other projects. */
  grants: number
  /** Each event is held against all of them. */
  triggers: number
}

/** Unless the operator or a quota says otherwise: far more than anybody needs, and few enough beside other projects' (decision 0028). */
export const PROJECT_LIMITS: ProjectLimits = {
  federations: 100,
  members: 1000,
  templates: 100,
  operations: 100,
  grants: 100,
  triggers: 50,
}

/** Resources of the quotas API for them (decision 0042). */
export const LIMIT_RESOURCES = {
  federations: 'Federation',
  members: 'Member',
  templates: 'ClusterTemplate',
  operations: 'Operation',
  grants: 'Grant',
  triggers: 'Trigger',
} as const satisfies Record<keyof ProjectLimits, string>

/** All resources that have a quota. */
export const QUOTA_RESOURCES = [QUOTA_RESOURCE, ...Object.values(LIMIT_RESOURCES)] as const
export type QuotaResource = (typeof QUOTA_RESOURCES)[number]

export type Quota = {
  projectId: string
  resource: QuotaResource
  /** Magnum's integer `id`: from 1, rising over all projects. */
  number: number
  /** How many of the resource the project may have. */
  hardLimit: number
  revision: number
  createdAt: string
  updatedAt: string | null
}
