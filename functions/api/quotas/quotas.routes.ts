import { noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { createQuota, deleteQuota, updateQuota } from './change-quotas.ts'
import { createQuotaBody, quotasQuery, updateQuotaBody } from './quota.schema.ts'
import { getQuota, listQuotas } from './read-quotas.ts'

const COLLECTION = '/v1/quotas'
const ITEM = '/v1/quotas/{project}/{resource}'

/** Quotas of projects (magnum-rest.md 7.3). */
export const QUOTA_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: 'table',
    rule: 'quota:get_all',
    summary: 'Lists quotas.',
    schemas: { query: quotasQuery },
    handle: listQuotas,
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    access: 'table',
    rule: 'quota:create',
    idempotent: true,
    summary: 'Sets a quota of a project.',
    schemas: { query: noQuery, body: createQuotaBody },
    handle: createQuota,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'quota:get',
    summary: 'Shows a quota, or the default where none is set.',
    schemas: { query: noQuery },
    handle: getQuota,
  }),
  route({
    method: 'PATCH',
    path: ITEM,
    access: 'table',
    rule: 'quota:update',
    summary: 'Changes a quota.',
    schemas: { query: noQuery, body: updateQuotaBody },
    handle: updateQuota,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'quota:delete',
    summary: 'Removes a quota, so that the default holds.',
    schemas: { query: noQuery },
    handle: deleteQuota,
  }),
]
