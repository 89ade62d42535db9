import { ObjectNotVisible, StateConflict } from '../../core/errors.ts'
import { projectEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Quota, QuotaResource } from '../../core/values/quota.ts'
import { quote } from '../../core/values/wording.ts'
import { AlreadyExists } from '../../store/errors.ts'
import type { Write } from '../../store/write.ts'
import { createOnce } from '../idempotency.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import type { CreateQuota, UpdateQuota } from './quota.schema.ts'
import { showQuota, storedQuota } from './read-quotas.ts'

const exists = (projectId: string, resource: QuotaResource): StateConflict =>
  new StateConflict(
    `The project ${quote(projectId)} has a quota of ${resource} already. Change it with PATCH /v1/quotas/{project}/${resource}.`,
  )

const notSet = (project: string, resource: string): ObjectNotVisible =>
  new ObjectNotVisible(
    `The project ${quote(project)} has no quota of ${quote(resource)}; the default holds. Set one with POST /v1/quotas.`,
  )

const insert = async (
  { ports, body, principal }: ApiRequest<unknown, CreateQuota>,
  remember: (id: string) => Write[],
): Promise<string> => {
  const { quotas } = ports.stores
  const { project_id: projectId, hard_limit: hardLimit, resource } = body
  // Before a number is taken, so that refusals leave no gaps.
  if ((await quotas.get(projectId, resource)) !== undefined) throw exists(projectId, resource)
  const quota: Quota = {
    projectId,
    resource,
    number: await quotas.nextNumber(),
    hardLimit,
    revision: 1,
    createdAt: ports.clock.now().toISOString(),
    updatedAt: null,
  }
  try {
    const message = `The quota of ${resource} of project ${projectId} is ${hardLimit}.`
    const told = projectEvent(ports, principal.projectId, { reason: 'QuotaCreate', message })
    await ports.stores.commit([quotas.insert(quota), told, ...remember(projectId)])
  } catch (error) {
    throw error instanceof AlreadyExists ? exists(projectId, resource) : error
  }
  return projectId
}

/**
 * `POST /v1/quotas` (magnum-rest.md 7.3). Whether there is such a project can't be known without an identity service, so any is taken.
 *
 * @throws StateConflict when the project has one
 */
export const createQuota = async (request: ApiRequest<unknown, CreateQuota>): Promise<ApiResponse> => {
  const projectId = await createOnce(request, 'POST /v1/quotas', (remember) => insert(request, remember))
  const { resource } = request.body
  const quota = await request.ports.stores.quotas.get(projectId, resource)
  // Removed since: by somebody at once, or before this repetition of an earlier request.
  if (quota === undefined) throw notSet(projectId, resource)
  return { status: 201, body: showQuota(quota) }
}

/** @throws ObjectNotVisible where none is set */
const findQuota = async ({ ports, params }: ApiRequest): Promise<Quota> => {
  const { project = '', resource = '' } = params
  const quota = await storedQuota(ports, project, resource)
  if (quota === undefined) throw notSet(project, resource)
  return quota
}

/** `PATCH /v1/quotas/{project}/{resource}`: a plain object, no JSON Patch. */
export const updateQuota = (request: ApiRequest<unknown, UpdateQuota>): Promise<ApiResponse> =>
  retryOnConflict(async () => {
    const { ports, body } = request
    const quota = await findQuota(request)
    const change = { hardLimit: body.hard_limit, updatedAt: ports.clock.now().toISOString() }
    await ports.stores.commit([ports.stores.quotas.change(quota, change)])
    return { status: 202, body: showQuota({ ...quota, ...change }) }
  })

/** `DELETE /v1/quotas/{project}/{resource}`: the default holds from then on. */
export const deleteQuota = (request: ApiRequest): Promise<ApiResponse> =>
  retryOnConflict(async () => {
    const quota = await findQuota(request)
    await request.ports.stores.commit([request.ports.stores.quotas.remove(quota)])
    return { status: 204 }
  })
