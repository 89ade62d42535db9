import { listQuery, noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { deleteTemplate, patchTemplate, templatePatchBody } from './change-template.ts'
import { createTemplateHandler } from './create-template.ts'
import { detailTemplates, getTemplate, listTemplates } from './read-templates.ts'
import { createTemplateBody } from './template.schema.ts'

const COLLECTION = '/v1/clustertemplates'
const ITEM = '/v1/clustertemplates/{clustertemplate}'

/** Cluster templates (magnum-rest.md section 5). */
export const TEMPLATE_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: 'table',
    rule: 'clustertemplate:get_all',
    summary: 'Lists the cluster templates of the project, and those that others published.',
    schemas: { query: listQuery },
    handle: listTemplates,
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    access: 'table',
    rule: 'clustertemplate:create',
    idempotent: true,
    summary: 'Creates a cluster template.',
    schemas: { query: noQuery, body: createTemplateBody },
    handle: createTemplateHandler,
  }),
  route({
    method: 'GET',
    path: `${COLLECTION}/detail`,
    access: 'table',
    rule: 'clustertemplate:detail',
    summary: 'Lists the same templates: each item is whole in both lists.',
    schemas: { query: listQuery },
    handle: detailTemplates,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'clustertemplate:get',
    summary: 'Shows one cluster template.',
    schemas: { query: noQuery },
    handle: getTemplate,
  }),
  route({
    method: 'PATCH',
    path: ITEM,
    access: 'table',
    rule: 'clustertemplate:update',
    summary: 'Changes a cluster template; of one in use only its name, tags and visibility.',
    schemas: { query: noQuery, body: templatePatchBody },
    handle: patchTemplate,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'clustertemplate:delete',
    summary: 'Deletes a cluster template that no cluster uses.',
    schemas: { query: noQuery },
    handle: deleteTemplate,
  }),
]
