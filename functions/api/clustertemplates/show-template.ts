import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { linksOf, timestamp } from '../representation.ts'
import { attributesOf, type TemplateAttributes } from './template-attributes.ts'

export const COLLECTION = 'clustertemplates'

/** A template as every answer has it: list, detail and show are the same (magnum-rest.md section 5). */
export const showTemplate = (
  template: ClusterTemplate,
  { baseUrl }: { baseUrl: string },
  attributes: TemplateAttributes = attributesOf(template),
) => ({
  uuid: template.id,
  ...attributes,
  driver: template.driver,
  project_id: template.projectId,
  user_id: template.userId,
  links: linksOf(baseUrl, COLLECTION, template.id),
  created_at: timestamp(template.createdAt),
  updated_at: timestamp(template.updatedAt),
})
