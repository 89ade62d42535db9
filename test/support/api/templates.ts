import type { ClusterTemplate, ClusterTemplateSpec } from '../../../functions/core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../../functions/core/cluster/magnum-attributes.ts'
import { defaultsOf } from '../../../functions/core/values/attributes.ts'

/** What a template says that only its image was given. */
export const SAMPLE_SPEC: ClusterTemplateSpec = {
  ...defaultsOf(TEMPLATE_ATTRIBUTES),
  coe: 'kubernetes',
  imageId: 'ubuntu',
}

/** A template as it is when it was made, of project `blue`. */
export const sampleTemplate = (fields: Partial<ClusterTemplate> = {}): ClusterTemplate => ({
  id: '00000000-0000-4000-8000-000000000001',
  projectId: 'blue',
  userId: 'alice',
  name: 'sample',
  driver: 'memory@1',
  spec: SAMPLE_SPEC,
  public: false,
  hidden: false,
  tags: null,
  revision: 1,
  createdAt: '2026-11-27T10:00:00.000Z',
  updatedAt: null,
  clusterCount: 0,
  ...fields,
})
