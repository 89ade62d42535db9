import { CLUSTER_TASKS } from '../../core/cluster/cluster-task.ts'
import { ObjectNotVisible } from '../../core/errors.ts'
import { byNumber, listInWords, quote } from '../../core/values/wording.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import {
  type FederationDriverDescription,
  kubeconfigOffer,
} from '../../drivers/contract/federation-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { noQuery } from '../query.ts'
import { linksOf } from '../representation.ts'
import { type ApiRequest, type ApiResponse, route, type TableRoute } from '../route.ts'

const showFederationDriver = (driver: FederationDriverDescription, drivers: DriverDescriptions) => ({
  description: driver.description,
  contract: driver.contract,
  default: driver.id === drivers.federation.default,
  capabilities: {
    host_as_member: driver.capabilities.hostAsMember,
    uses_kubernetes_api: driver.capabilities.usesKubernetesApi,
    kubeconfig: driver.capabilities.kubeconfig,
    workloads: driver.capabilities.workloads,
    cordon: driver.capabilities.cordon === true,
    revoke: driver.capabilities.revoke === true,
  },
  kubeconfig_roles: kubeconfigOffer(driver).roles,
  properties: driver.properties.map(({ key, description, default: value }) => ({ key, description, default: value })),
})

const showClusterDriver = (driver: ClusterDriverDescription, baseUrl: string) => ({
  description: driver.description,
  contract: driver.contract,
  capabilities: {
    needs_kubeconfig: driver.capabilities.needsKubeconfig,
    kubernetes_api: driver.capabilities.kubernetesApi,
    makes_nodes: driver.capabilities.makesNodes,
    certificate_authority: driver.capabilities.certificateAuthority,
    needs_management: driver.capabilities.needsManagement,
  },
  builtin_template: driver.builtinTemplate && {
    uuid: driver.builtinTemplate.id,
    name: driver.builtinTemplate.name,
    links: linksOf(baseUrl, 'clustertemplates', driver.builtinTemplate.id),
  },
  // What is asked of its management clusters.
  management:
    driver.management === undefined
      ? null
      : { fields: driver.management.fields.map(({ name, required, rule }) => ({ name, required, rule })) },
  // In the order of the list of kinds, so that two drivers compare well.
  updates: CLUSTER_TASKS.filter((kind) => driver.updates.includes(kind)),
})

/** One entry per id: a name may stand for a driver of federations and one of clusters. */
const showDriver = (id: string, drivers: DriverDescriptions, baseUrl: string) => {
  const federation = drivers.federation.list().find((driver) => driver.id === id)
  const cluster = drivers.cluster.list().find((driver) => driver.id === id)
  return {
    id,
    federation: federation === undefined ? null : showFederationDriver(federation, drivers),
    cluster: cluster === undefined ? null : showClusterDriver(cluster, baseUrl),
    links: [{ href: `${baseUrl}/v1/drivers/${id}`, rel: 'self' }],
  }
}

const idsOf = (drivers: DriverDescriptions): string[] => [
  ...new Set([...drivers.federation.list(), ...drivers.cluster.list()].map((driver) => driver.id)),
]

const listDrivers = async ({ ports: { drivers }, baseUrl }: ApiRequest): Promise<ApiResponse> => ({
  status: 200,
  body: { drivers: idsOf(drivers).map((id) => showDriver(id, drivers, baseUrl)) },
})

const getDriver = async ({ ports: { drivers }, baseUrl, params }: ApiRequest): Promise<ApiResponse> => {
  const id = params.driver ?? ''
  const ids = idsOf(drivers)
  if (ids.includes(id as (typeof ids)[number])) return { status: 200, body: showDriver(id, drivers, baseUrl) }
  throw new ObjectNotVisible(
    `Driver ${quote(id)} could not be found. ${byNumber(ids, 'Enabled is', 'Enabled are')} ${listInWords(ids)}.`,
  )
}

const schemas = { query: noQuery }

export const DRIVER_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/drivers',
    access: 'table',
    rule: 'driver:get',
    summary: 'Lists the enabled drivers, with what they can do.',
    schemas,
    handle: listDrivers,
  }),
  route({
    method: 'GET',
    path: '/v1/drivers/{driver}',
    access: 'table',
    rule: 'driver:get',
    summary: 'Shows one enabled driver.',
    schemas,
    handle: getDriver,
  }),
]
