import { builtinTemplates } from '../../core/cluster/builtin-templates.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { InvalidRequest, notFound, requireSize, StateConflict } from '../../core/errors.ts'
import { projectEvent } from '../../core/operation/events.ts'
import { defaultsOf } from '../../core/values/attributes.ts'
import { generatedName } from '../../core/values/ids.ts'
import { byNumber, listInWords, quote } from '../../core/values/wording.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { AlreadyExists } from '../../store/errors.ts'
import type { Write } from '../../store/write.ts'
import { createOnce } from '../idempotency.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { requireMayPublish } from './access.ts'
import { COLLECTION, showTemplate } from './read-templates.ts'
import { attributesOf, type CreateTemplate, fieldsOf, overlay, requireConsistent } from './template.schema.ts'

/** By id, or by the name before the `@` where one driver only has it. */
const namedOf = (
  drivers: readonly ClusterDriverDescription[],
  wanted: string,
): ClusterDriverDescription | undefined => {
  const byId = drivers.find(({ id }) => id === wanted)
  if (byId !== undefined) return byId
  const byName = drivers.filter(({ id }) => id.slice(0, id.indexOf('@')) === wanted)
  return byName.length === 1 ? byName[0] : undefined
}

/**
 * The driver of a new template: the one named, or the first enabled one that makes clusters with their nodes.
 *
 * @throws InvalidRequest naming those that there are
 */
const chooseTemplateDriver = (
  drivers: Pick<DriverDescriptions, 'cluster'>,
  wanted: string | undefined,
): ClusterDriverDescription => {
  const able = drivers.cluster.list().filter(({ capabilities }) => capabilities.makesNodes)
  const ids = able.map(({ id }) => id)
  if (able[0] === undefined) {
    throw new InvalidRequest(
      'This installation has no driver that makes clusters from templates. Register a cluster with its kubeconfig instead: POST /v1/clusters with "kubeconfig".',
    )
  }
  const driver = wanted === undefined ? able[0] : namedOf(able, wanted)
  if (driver !== undefined) return driver
  throw new InvalidRequest(
    `"driver" is ${quote(wanted ?? '')}, which is no enabled driver that makes clusters from templates. ${byNumber(ids, 'There is', 'There are')} ${listInWords(ids)}; left out, it is ${ids[0]}.`,
  )
}

type Request = ApiRequest<unknown, CreateTemplate>

const newTemplate = (request: Request): ClusterTemplate => {
  const { ports, principal } = request
  const { uuid, driver: wanted, ...given } = request.body
  const id = uuid ?? ports.newId()
  const driver = chooseTemplateDriver(ports.drivers, wanted)
  const { networkDriver, ...defaults } = defaultsOf(TEMPLATE_ATTRIBUTES)
  const base = attributesOf({
    ...{ name: generatedName(id, 'template'), public: false, hidden: false, tags: null },
    spec: {
      ...defaults,
      coe: given.coe,
      imageId: given.image_id,
      networkDriver: driver.defaultNetworkDriver ?? networkDriver,
    },
  })
  const attributes = overlay(base, given)
  requireMayPublish(request, attributes)
  requireConsistent(attributes)
  requireSize('labels', attributes.labels)
  return {
    id,
    projectId: principal.projectId,
    userId: principal.userId,
    driver: driver.id,
    ...fieldsOf(attributes),
    revision: 1,
    createdAt: ports.clock.now().toISOString(),
    updatedAt: null,
    clusterCount: 0,
  }
}

const taken = (id: string, cause?: unknown): StateConflict =>
  new StateConflict(
    `A cluster template with the uuid ${id} exists already. Give another "uuid", or leave it out to have one generated.`,
    { cause },
  )

const insert = async (request: Request, remember: (id: string) => Write[]): Promise<string> => {
  const { stores, drivers } = request.ports
  const template = newTemplate(request)
  if (builtinTemplates(drivers).some(({ id }) => id === template.id)) throw taken(template.id)
  try {
    const named = `${quote(template.name ?? '')} (${template.id})`
    const said = { reason: 'ClustertemplateCreate', message: `Cluster template ${named} was created.` }
    await stores.commit([
      stores.templates.insert(template),
      projectEvent(request.ports, template.projectId, said),
      ...remember(template.id),
    ])
  } catch (error) {
    if (error instanceof AlreadyExists) throw taken(template.id, error)
    throw error
  }
  return template.id
}

/** `POST /v1/clustertemplates` → 201 with the whole template (magnum-rest.md section 5). */
export const createTemplateHandler = async (request: Request): Promise<ApiResponse> => {
  const { ports, principal, baseUrl } = request
  const id = await createOnce(request, 'POST /v1/clustertemplates', (remember) => insert(request, remember))
  const template = await ports.stores.templates.get({ projectId: principal.projectId, id })
  // Deleted since: by somebody at once, or before this repetition of an earlier request.
  if (template === undefined) throw notFound('ClusterTemplate', id)
  return {
    status: 201,
    headers: { Location: `${baseUrl}/v1/${COLLECTION}/${id}` },
    body: showTemplate(template, request),
  }
}
