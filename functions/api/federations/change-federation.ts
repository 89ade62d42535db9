import { changeFederation, type DesiredChange, previewChange } from '../../core/federation/change-federation.ts'
import { createFederation, planFederation } from '../../core/federation/create-federation.ts'
import type { Federation } from '../../core/federation/federation.ts'
import type { DesiredFederation, FederationPlan } from '../../core/federation/new-federation.ts'
import type { DesiredWorkloads } from '../../core/operation/operation.ts'
import { previewSelector } from '../../core/selector/set-selector.ts'
import { TemplateGone } from '../../store/errors.ts'
import { unknownTemplate } from '../clusters/choose-origin.ts'
import { createOnce } from '../idempotency.ts'
import { find } from '../lookup.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { restingMembers } from './checks.ts'
import { applyProperties, type CreateFederation, type FederationPatch } from './federation.schema.ts'
import { desiredPolicy, patchPolicy } from './health-policy.ts'
import { findUsable, requireUnjoinOf, requireUseOf, resolveTargets } from './members.ts'
import { planHost } from './new-host.ts'
import { preflightOfCreate, preflightOfPatch } from './preflight.ts'
import { desiredSelector, patchSelector, showPreview } from './selector.ts'

type CreateRequest = KeysRequest<{ dry_run: boolean }, CreateFederation>

const desiredFederation = async (request: CreateRequest): Promise<DesiredFederation> => {
  const { name = null, driver = null, properties = {}, host, member_ids: members = [] } = request.body
  const { projectId, userId } = request.principal
  const { federation } = request.ports.drivers
  const chosen = federation.choose(driver ?? federation.default)
  const about = { projectId, userId, properties, driver: chosen.id }
  const { selector, health } = request.body
  return {
    name,
    driver,
    properties,
    host: typeof host === 'string' ? host : await planHost(request, host, name),
    members,
    selector: selector && desiredSelector(request, about, selector),
    healthPolicy: health && desiredPolicy(request, about, health),
  }
}

/** A template of the host that was removed meanwhile is as one that never was. */
const orUnknownTemplate = async <T>({ body: { host }, minor }: CreateRequest, create: () => Promise<T>): Promise<T> => {
  try {
    return await create()
  } catch (error) {
    if (!(error instanceof TemplateGone) || typeof host === 'string') throw error
    throw unknownTemplate(host.cluster_template_id, minor)
  }
}

/**
 * `POST /v1/federations` (magnum-rest.md 8.2 and 8.5, design section 2): the federation, its memberships, its marks on the clusters and a
 * new host come into being in one transaction before the 202. With `?dry_run=true` nothing does: the answer says what would.
 */
export const createFederationHandler = async (request: CreateRequest): Promise<ApiResponse> => {
  const { ports, principal } = request
  const rules = {
    findCluster: (ident: string, side: 'host' | 'member') =>
      findUsable(request, { projectId: principal.projectId }, ident, side),
    requireUse: requireUseOf(request),
  }
  if (request.query.dry_run) {
    const plan = await planFederation(ports, principal, await desiredFederation(request), rules)
    const answer = await preflightOfCreate(request, plan)
    return { ...answer, body: { ...(answer.body as object), ...(await selectedBy(request, plan)) } }
  }
  const uuid = await createOnce(request, 'POST /v1/federations', async (remember) => {
    const desired = await desiredFederation(request)
    const { federation } = await orUnknownTemplate(request, () =>
      createFederation(ports, principal, desired, { ...rules, remember }),
    )
    return federation.id
  })
  return { status: 202, body: { uuid } }
}

/** What the selector of a create would bring, once the federation is there. */
const selectedBy = async ({ ports }: CreateRequest, { federation }: FederationPlan): Promise<object> => {
  const { memberSelector, id: _, ...others } = federation
  return memberSelector ? showPreview(await previewSelector(ports, others, memberSelector)) : {}
}

type PatchRequest = KeysRequest<{ dry_run: boolean; force: boolean; workloads?: DesiredWorkloads }, FederationPatch>

const desiredChange = (request: PatchRequest): DesiredChange => {
  const { properties, members } = request.body
  const { force, workloads } = request.query
  return {
    properties: properties === null ? null : (before) => applyProperties(before, properties),
    members: (membered) => resolveTargets(request, membered, members),
    force,
    workloads,
    requireUse: requireUseOf(request),
    requireUnjoin: requireUnjoinOf(request),
  }
}

const dryRun = async (request: PatchRequest, federation: Federation): Promise<ApiResponse> => {
  const { input, plan, host } = await previewChange(request.ports, federation, desiredChange(request))
  const steps = plan?.steps ?? []
  return preflightOfPatch(request, {
    federation: { ...federation, ...(plan?.update.properties && { properties: plan.update.properties }) },
    driver: input.driver,
    steps,
    reached: plan?.update.properties ? restingMembers(input.memberships, steps) : null,
    force: request.query.force,
    host,
  })
}

/**
 * `PATCH /v1/federations/{federation}` → 202 (magnum-rest.md 8.3 and 8.5, design section 2): joins, unjoins and properties, all accepted
 * in one transaction or none.
 */
export const patchFederation = async (request: PatchRequest): Promise<ApiResponse> => {
  const { ports, principal, params } = request
  const { federations } = ports.stores
  const federation = await find(federations, 'Federation', principal.projectId, params.federation ?? '')
  const { selector: wanted, health } = request.body
  if (wanted !== undefined) return patchSelector(request, federation, { wanted, isDryRun: request.query.dry_run })
  if (health !== undefined) return patchPolicy(request, federation, { wanted: health, isDryRun: request.query.dry_run })
  if (request.query.dry_run) return dryRun(request, federation)
  await changeFederation(ports, federation, desiredChange(request))
  return { status: 202, body: { uuid: federation.id } }
}
