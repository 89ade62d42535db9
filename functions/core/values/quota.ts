/** Resources that have a quota: Magnum's only one (magnum-rest.md 7.3). */
export const QUOTA_RESOURCE = 'Cluster'

export type Quota = {
  projectId: string
  resource: typeof QUOTA_RESOURCE
  /** Magnum's integer `id`: from 1, rising over all projects. */
  number: number
  /** Clusters that the project may have. */
  hardLimit: number
  revision: number
  createdAt: string
  updatedAt: string | null
}

/** What a project may have of each kind, besides clusters, which have Magnum's quota. */
export type ProjectLimits = {
  federations: number
  templates: number
  /** Creates, changes and joins in progress. Deletes and unjoins count and are never refused: they are the remedy. */
  operations: number
  /** Grants of its clusters to other projects. */
  grants: number
}

/** Unless the operator says otherwise: far more than anybody needs, and few enough beside other projects' (decision 0028). */
export const PROJECT_LIMITS: ProjectLimits = { federations: 100, templates: 100, operations: 100, grants: 100 }
