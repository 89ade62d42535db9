/** Where a caller may look. */
export type Scope = {
  /** Own project: strongly consistent. */
  projectId: string
  /** Also all other projects, for administrators: eventually consistent. */
  allProjects: boolean
}
