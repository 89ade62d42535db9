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
