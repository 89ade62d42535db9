import type { ClusterTemplate, ClusterTemplateChange } from '../core/cluster/cluster-template.ts'
import type { Page, PageRequest, Scope } from './page.ts'
import type { Write } from './write.ts'

export type ClusterTemplateKey = { projectId: string; id: string }

/**
 * Templates of all projects. What a project sees are its own and the published ones (public, not hidden) of others, both strongly
 * consistent; with `allProjects` everything, eventually consistent.
 */
export interface ClusterTemplateStore {
  /** Undefined when there is none. @throws ItemCorrupt */
  get(key: ClusterTemplateKey): Promise<ClusterTemplate | undefined>
  /** By id, as far as `reach` goes. */
  locate(reach: Scope, id: string): Promise<ClusterTemplate | undefined>
  /** Keys of the templates with this name, own ones first, each oldest first. */
  locateByName(reach: Scope, name: string): Promise<ClusterTemplateKey[]>
  /** In order of the ids. */
  listWithin(reach: Scope, page: PageRequest): Promise<Page<ClusterTemplate>>

  /** New template with its name and publication indexes. Conflict: AlreadyExists, also for an id that one of another project has. */
  insert(template: ClusterTemplate): Write
  /**
   * Sets fields of the template as it was read and adds 1 to `revision`. Conflict: RevisionConflict. `unlessUsed` also demands that no
   * cluster uses it. Conflict then: TemplateInUse, where that is the cause.
   */
  change(read: ClusterTemplate, change: ClusterTemplateChange, options?: { unlessUsed?: boolean }): Write
  /** Removes the template as it was read, with its indexes. Conflict: RevisionConflict, or TemplateInUse while clusters use it. */
  remove(read: ClusterTemplate): Write
  /**
   * Counts one cluster that uses it more, or one less: one that has it, or is being upgraded to it. More demands that the template is there. Conflict: TemplateGone. Less is no error when it is
   * gone.
   */
  countUse(key: ClusterTemplateKey, change: 1 | -1): Write
}
