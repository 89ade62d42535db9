import type { Kept } from '../values/attributes.ts'
import type { DriverId } from '../values/ids.ts'
import type { TEMPLATE_ATTRIBUTES } from './magnum-attributes.ts'

/** What a template says of the clusters made from it: Magnum's attributes (magnum-rest.md section 5), which drivers read. */
export type ClusterTemplateSpec = Kept<typeof TEMPLATE_ATTRIBUTES>

export type ClusterTemplate = {
  /** UUIDv7, or what the caller chose. */
  id: string
  projectId: string
  userId: string
  /** Null after `remove /name`: such a template is found by its id only. */
  name: string | null
  /** Makes the clusters. Chosen once. */
  driver: DriverId
  spec: ClusterTemplateSpec
  /** Readable in every project. */
  public: boolean
  /** Not listed to others, and nothing can be made from it but by administrators. */
  hidden: boolean
  /** Comma list. */
  tags: string | null
  /** From 1; each change adds 1 and is conditional on the value read. */
  revision: number
  createdAt: string
  updatedAt: string | null
  /** Clusters made from it, or on their way to it. Changed by `countUse` only; bumps no revision. */
  clusterCount: number
}

/** A template as a caller finds it. */
export type FoundTemplate = { template: ClusterTemplate; isBuiltin: boolean }

/** The fields that `ClusterTemplateStore.change` may set. */
export type ClusterTemplateChange = Partial<
  Pick<ClusterTemplate, 'name' | 'spec' | 'public' | 'hidden' | 'tags' | 'updatedAt'>
>

/** Readable in every project: public, and not hidden. */
export const isPublished = (template: Pick<ClusterTemplate, 'public' | 'hidden'>): boolean =>
  template.public && !template.hidden
