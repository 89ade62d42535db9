import { builtinTemplates } from '../../core/cluster/builtin-templates.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import type { PolicyRule } from '../../policy/rules.ts'
import type { Page, PageRequest } from '../../store/page.ts'
import { type Shown, sortColumns, toJson, toObject, type View } from '../attributes.ts'
import { type Listing, listResponse, selectPage } from '../lists.ts'
import { scopeOf } from '../policy.ts'
import type { ListQuery } from '../query.ts'
import { linksOf } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findTemplate } from './access.ts'

export const COLLECTION = 'clustertemplates'

type TemplateView = View & { baseUrl: string }

const SHOWN_TEMPLATE: Shown<typeof TEMPLATE_ATTRIBUTES, ClusterTemplate, TemplateView> = {
  kept: ({ spec }) => spec,
  computed: {
    uuid: ({ id }) => id,
    links: ({ id }, { baseUrl }) => linksOf(baseUrl, COLLECTION, id),
  },
}

/** A template as every answer has it: list, detail and show are the same (magnum-rest.md section 5). */
export const showTemplate = toObject(TEMPLATE_ATTRIBUTES, SHOWN_TEMPLATE, 'list')

/** An item of a list. */
const writeTemplate = toJson(TEMPLATE_ATTRIBUTES, SHOWN_TEMPLATE, 'list')

/** Built-in templates come before the stored ones: they were there first. */
const listingOf = (
  request: Pick<ApiRequest, 'ports' | 'principal' | 'settings' | 'minor' | 'baseUrl'>,
  rule: PolicyRule,
): Listing<ClusterTemplate> => {
  const { templates } = request.ports.stores
  const scope = scopeOf(request, rule)
  const builtin = builtinTemplates(request.ports.drivers)
  const place = ({ id }: ClusterTemplate): string => `${builtin.some((other) => other.id === id) ? 0 : 1}${id}`
  const page = async ({ limit, marker }: PageRequest): Promise<Page<ClusterTemplate>> => {
    const from = builtin.findIndex(({ id }) => id === marker) + 1
    const isStored = marker !== undefined && from === 0
    const first = isStored ? [] : builtin.slice(from, from + limit)
    if (first.length === limit) return { items: first, more: true }
    const rest = { limit: limit - first.length, ...(isStored ? { marker } : {}) }
    const { items, more } = await templates.listWithin(scope, rest)
    return { items: [...first, ...items], more }
  }
  return {
    noun: 'ClusterTemplate',
    isById: true,
    columns: { id: place, uuid: place, ...sortColumns(TEMPLATE_ATTRIBUTES, SHOWN_TEMPLATE, request) },
    get: async (id) => builtin.find((template) => template.id === id) ?? templates.locate(scope, id),
    page,
  }
}

/** Lists templates under one path. */
const lister =
  (path: string, rule: PolicyRule) =>
  async (request: ApiRequest<ListQuery>): Promise<ApiResponse> => {
    const { query, baseUrl } = request
    const page = await selectPage(listingOf(request, rule), query)
    return listResponse(page, query, {
      collection: COLLECTION,
      url: `${baseUrl}${path}`,
      write: writeTemplate(request),
    })
  }

export const listTemplates = lister('/v1/clustertemplates', 'clustertemplate:get_all_all_projects')
export const detailTemplates = lister('/v1/clustertemplates/detail', 'clustertemplate:detail_all_projects')

export const getTemplate = async (request: ApiRequest): Promise<ApiResponse> => {
  const ident = request.params.clustertemplate ?? ''
  const { template } = await findTemplate(request, ident, 'clustertemplate:get_one_all_projects')
  return { status: 200, body: showTemplate(template, request) }
}
