import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { type Shown, toJson, toObject, type View } from '../attributes.ts'
import { linksOf } from '../representation.ts'

export const COLLECTION = 'clustertemplates'

export type TemplateView = View & { baseUrl: string }

export const SHOWN_TEMPLATE: Shown<typeof TEMPLATE_ATTRIBUTES, ClusterTemplate, TemplateView> = {
  kept: ({ spec }) => spec,
  computed: {
    uuid: ({ id }) => id,
    links: ({ id }, { baseUrl }) => linksOf(baseUrl, COLLECTION, id),
  },
}

/** A template as every answer has it: list, detail and show are the same (magnum-rest.md section 5). */
export const showTemplate = toObject(TEMPLATE_ATTRIBUTES, SHOWN_TEMPLATE, 'list')

/** An item of a list. */
export const writeTemplate = toJson(TEMPLATE_ATTRIBUTES, SHOWN_TEMPLATE, 'list')
