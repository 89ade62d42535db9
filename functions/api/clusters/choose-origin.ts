import { standInTemplate } from '../../core/cluster/builtin-templates.ts'
import type { FoundTemplate } from '../../core/cluster/cluster-template.ts'
import type { Origin } from '../../core/cluster/new-cluster.ts'
import { InvalidRequest, ObjectNotVisible } from '../../core/errors.ts'
import { listInWords, quote } from '../../core/values/wording.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { findTemplate } from '../clustertemplates/access.ts'
import type { ApiRequest } from '../route.ts'
import type { CreateCluster } from './cluster.schema.ts'
import { givenRegistration } from './registration.ts'

/** From this minor version on an unknown template is 404, before it 400 (magnum-rest.md 1.4). */
const NOT_FOUND_SINCE = 10

/** The refusal of a template that is not there (magnum-rest.md 1.4, 13.7). */
export const unknownTemplate = (ident: string | null, minor: number): InvalidRequest | ObjectNotVisible => {
  const message = `ClusterTemplate ${ident === null ? 'null' : quote(ident)} could not be found.`
  return minor < NOT_FOUND_SINCE ? new InvalidRequest(message) : new ObjectNotVisible(message)
}

const forKubeconfigs = (drivers: DriverDescriptions): ClusterDriverDescription => {
  const driver = drivers.cluster.list().find(({ capabilities }) => capabilities.needsKubeconfig)
  if (driver !== undefined) return driver
  throw new InvalidRequest('No enabled driver registers clusters from a "kubeconfig".')
}

const forRegistration = (drivers: DriverDescriptions, attribute: string): ClusterDriverDescription => {
  const driver = drivers.cluster.list().find(({ registration }) => registration?.attribute === attribute)
  if (driver !== undefined) return driver
  throw new InvalidRequest(`No enabled driver registers clusters by ${quote(attribute)}.`)
}

type Request = ApiRequest<unknown, CreateCluster>

const impliedDriver = ({ ports, body }: Request): ClusterDriverDescription => {
  const attribute = givenRegistration(body)
  return attribute === undefined ? forKubeconfigs(ports.drivers) : forRegistration(ports.drivers, attribute)
}

const withoutTemplate = (request: Request): Origin => {
  const { ports, body } = request
  const driver = body.driver === undefined ? impliedDriver(request) : ports.drivers.cluster.choose(body.driver)
  return { template: standInTemplate(driver), isBuiltin: true, driver }
}

const found = async (request: Request, ident: string): Promise<FoundTemplate> => {
  try {
    return await findTemplate(request, ident)
  } catch (error) {
    throw error instanceof ObjectNotVisible ? unknownTemplate(ident, request.minor) : error
  }
}

/** The template that a request names, with its driver. @throws InvalidRequest, ObjectNotVisible, NameAmbiguous, DriverNotFound */
export const originFromTemplate = async (request: Request, ident: string): Promise<Origin> => {
  const { template, isBuiltin } = await found(request, ident)
  const driver = request.ports.drivers.cluster.choose(template.driver)
  const wanted = request.body.driver
  if (wanted === undefined || wanted === driver.id) return { template, isBuiltin, driver }
  throw new InvalidRequest(
    `"driver" is ${quote(wanted)}, but the cluster template ${quote(ident)} is for the driver ${driver.id}. Leave "driver" out, or choose a template for it.`,
  )
}

/** What registers a cluster that is there already; a new one has none of them. */
const sourcesOf = (body: CreateCluster): string[] => {
  const kubeconfig = body.kubeconfig === undefined ? undefined : 'kubeconfig'
  return [kubeconfig, givenRegistration(body)].filter((source) => source !== undefined)
}

const originOf = async (request: Request): Promise<Origin> => {
  const { body, minor } = request
  const ident = body.cluster_template_id
  const needsNone = sourcesOf(body).length > 0 || body.driver !== undefined
  if (needsNone && (ident === undefined || ident === null)) return withoutTemplate(request)
  if (ident === null) throw unknownTemplate(ident, minor)
  if (ident !== undefined) return originFromTemplate(request, ident)
  throw new InvalidRequest(
    'A "kubeconfig" or a "cluster_template_id" is missing: a kubeconfig, as text or as a JSON object, registers a cluster that is there; a cluster template, by id or name, is what a new one is made from.',
  )
}

/** What a driver needs to register a cluster, as a sentence. */
const needOf = ({ id, registration }: ClusterDriverDescription): string => {
  if (registration === undefined) {
    return `The driver ${id} needs a "kubeconfig": the text of the file, or the same as a JSON object.`
  }
  const { attribute, fields } = registration
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return `The driver ${id} needs ${quote(attribute)}: an object with ${listInWords(required)}.`
}

/** Template and driver agree with what the request brings. @throws InvalidRequest */
const requireSource = ({ driver }: Origin, body: CreateCluster): void => {
  const { capabilities, registration, id } = driver
  const wanted = capabilities.needsKubeconfig ? 'kubeconfig' : registration?.attribute
  const given = sourcesOf(body)
  const surplus = given.filter((source) => source !== wanted)
  if (surplus.length > 0 && given.length > 1) {
    throw new InvalidRequest(
      `A cluster is registered by ${listInWords(given.map(quote), 2)} at once. Give exactly one of them.`,
    )
  }
  if (surplus.length > 0) {
    throw new InvalidRequest(`The driver ${id} takes no ${listInWords(surplus.map(quote))}. Leave it out.`)
  }
  if (wanted !== undefined && given.length === 0) throw new InvalidRequest(needOf(driver))
}

/**
 * Template and driver of a new cluster (magnum-rest.md 4.1). One that is registered, or names its driver, needs no template.
 *
 * @throws InvalidRequest, ObjectNotVisible, NameAmbiguous, DriverNotFound
 */
export const chooseOrigin = async (request: Request): Promise<Origin> => {
  const origin = await originOf(request)
  requireSource(origin, request.body)
  return origin
}
