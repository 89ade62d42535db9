/** One page of a project's list, in order of creation. */
export type PageRequest = {
  /** Items at most. */
  limit: number
  /** Id of the last item seen; the page begins after it. */
  marker?: string
}

export type Page<T> = {
  items: T[]
  /** True when the page was cut at `limit`, or at 5 MB (Lambda answers at most 6 MB). */
  more: boolean
}

/** Where a caller may look. */
export type Scope = {
  /** Own project: strongly consistent. */
  projectId: string
  /** Also all other projects, for administrators: eventually consistent. */
  allProjects: boolean
}
