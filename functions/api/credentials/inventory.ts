import * as z from 'zod'
import { federationUses } from '../../core/cluster/cluster.ts'
import { mapLimited } from '../../core/map-limited.ts'
import { isUuid } from '../../core/values/ids.ts'
import { federationRights } from '../grants/cluster-federations.ts'
import { listResponse, selectPage } from '../lists.ts'
import { find } from '../lookup.ts'
import { requirePolicy } from '../policy.ts'
import { type ListQuery, listQuery } from '../query.ts'
import { timestamp } from '../representation.ts'
import { type ApiRequest, type ApiResponse, route, type TableRoute } from '../route.ts'
import { type Entry, inventoryOf, type Stock } from './inventory-entries.ts'

const query = listQuery.extend({
  cluster: z.string().optional(),
  federation: z.string().optional(),
  project_id: z
    .string()
    .refine((id) => id.length >= 1 && id.length <= 255, { error: 'must be the id of a project: 1 to 255 characters' })
    .optional(),
})
type Query = ListQuery & {
  cluster?: string | undefined
  federation?: string | undefined
  project_id?: string | undefined
}
type Request = ApiRequest<Query>

type Page<T> = { items: T[]; more: boolean }

/** All of a list of a project, by id. */
const allOf = async <T extends { id: string }>(
  list: (page: { limit: number; marker?: string }) => Promise<Page<T>>,
): Promise<Map<string, T>> => {
  const all = new Map<string, T>()
  for (let marker: string | undefined, more = true; more; ) {
    const page = await list({ limit: 1000, ...(marker === undefined ? {} : { marker }) })
    for (const item of page.items) all.set(item.id, item)
    marker = page.items.at(-1)?.id
    more = page.more && marker !== undefined
  }
  return all
}

/** Federations of other projects that use clusters of this one, with what they have in them. */
const foreignUses = async ({ ports: { stores } }: Request, projectId: string, clusters: Stock['clusters']) => {
  const uses = [...clusters.values()].flatMap((cluster) =>
    federationUses(cluster)
      .filter(({ federation }) => federation.projectId !== projectId)
      .map((use) => ({ ...use, clusterId: cluster.id })),
  )
  return mapLimited(uses, async ({ side, federation: key, clusterId }) => ({
    // Of a federation that only has a member here the host is none of this project's business.
    federation: await stores.federations
      .get(key)
      .then((it) => (it && side === 'member' ? { ...it, made: [], hostClusterId: '' } : it)),
    membership:
      side === 'member'
        ? await stores.memberships.get({ projectId: key.projectId, federationId: key.id, clusterId })
        : undefined,
  }))
}

const present = <T>(items: readonly (T | undefined)[]): T[] => items.filter((item): item is T => item !== undefined)

const stockOf = async (request: Request, projectId: string): Promise<Stock> => {
  const { stores } = request.ports
  const { inventory } = stores
  const [clusters, federations, memberships, triggers, hooks, authorities, sealed, issued, leftovers] =
    await Promise.all([
      allOf((page) => stores.clusters.list(projectId, page)),
      allOf((page) => stores.federations.list(projectId, page)),
      inventory.memberships(projectId),
      stores.triggers.listOf(projectId),
      inventory.hooks(projectId),
      inventory.authorities(projectId),
      inventory.sealed(projectId),
      inventory.issued(projectId),
      inventory.leftovers(projectId),
    ])
  const foreign = await foreignUses(request, projectId, clusters)
  const others = present(foreign.map(({ federation }) => federation))
  return {
    projectId,
    clusters,
    federations: new Map([...others.map((it) => [it.id, it] as const), ...federations]),
    memberships: [...memberships, ...present(foreign.map(({ membership }) => membership))],
    triggers: new Map(triggers.map((it) => [it.id, it])),
    hooks,
    authorities,
    sealed,
    issued,
    leftovers,
    rightsOf: (side, federation) => federationRights(request.ports, side, federation),
  }
}

/** The uuid of an object that is named; a uuid may be of one that is gone. @throws ObjectNotVisible, NameAmbiguous */
const idNamed = async (
  { ports: { stores } }: Request,
  kind: 'cluster' | 'federation',
  { ident, projectId }: { ident: string | undefined; projectId: string },
): Promise<string | undefined> => {
  if (ident === undefined || isUuid(ident)) return ident
  return kind === 'cluster'
    ? (await find(stores.clusters, 'Cluster', projectId, ident)).id
    : (await find(stores.federations, 'Federation', projectId, ident)).id
}

const isTime = (text: string): boolean => text !== 'never' && text !== 'unknown'

const show = ({ clusters, federations, projectId }: Stock, entry: Entry) => {
  const federation = entry.federationId === null ? undefined : federations.get(entry.federationId)
  return {
    uuid: entry.id,
    kind: entry.kind,
    place: entry.place,
    project_id: projectId,
    cluster_uuid: entry.clusterId,
    cluster_name: entry.clusterId === null ? null : (clusters.get(entry.clusterId)?.name ?? null),
    federation_uuid: entry.federationId,
    federation_name: federation?.name ?? null,
    object: entry.object,
    holder: entry.holder,
    user_id: entry.userId,
    rights: entry.rights,
    left_behind: entry.isLeftBehind === true,
    valid_until: isTime(entry.validUntil) ? timestamp(entry.validUntil) : entry.validUntil,
  }
}

const COLUMNS = {
  id: ({ id }: Entry) => id,
  uuid: ({ id }: Entry) => id,
  kind: ({ kind }: Entry) => kind,
  cluster_uuid: ({ clusterId }: Entry) => clusterId,
  federation_uuid: ({ federationId }: Entry) => federationId,
  user_id: ({ userId }: Entry) => userId,
  valid_until: ({ validUntil }: Entry) => validUntil,
}

/** The project that is asked about: another one is for those who may read credentials of all. @throws PolicyForbids */
const projectOf = (request: Request): string => {
  const { principal, query } = request
  const projectId = query.project_id ?? principal.projectId
  if (projectId !== principal.projectId) requirePolicy(request, 'credential:get_all_all_projects')
  return projectId
}

/** `GET /v1/credentials/inventory`: every credential of a project, and never its content. */
const listCredentials = async (request: Request): Promise<ApiResponse> => {
  const { query, baseUrl } = request
  const projectId = projectOf(request)
  const clusterId = await idNamed(request, 'cluster', { ident: query.cluster, projectId })
  const federationId = await idNamed(request, 'federation', { ident: query.federation, projectId })
  const stock = await stockOf(request, projectId)
  const entries = inventoryOf(stock).filter(
    (entry) =>
      (clusterId === undefined || entry.clusterId === clusterId) &&
      (federationId === undefined || entry.federationId === federationId),
  )
  const page = await selectPage<Entry>(
    {
      noun: 'Credential',
      columns: COLUMNS,
      get: async (id) => entries.find((entry) => entry.id === id),
      page: async ({ limit, marker }) => {
        const after = entries.filter(({ id }) => marker === undefined || id > marker)
        return { items: after.slice(0, limit), more: after.length > limit }
      },
    },
    query,
  )
  return listResponse(page, query, {
    collection: 'credentials',
    url: `${baseUrl}/v1/credentials/inventory`,
    keep: { cluster: query.cluster, federation: query.federation, project_id: query.project_id },
    write: (entry) => JSON.stringify(show(stock, entry)),
  })
}

/** Reads what is stored beside sealed secrets, and none of them. */
export const CREDENTIAL_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/credentials/inventory',
    access: 'table',
    rule: 'credential:get_all',
    schemas: { query },
    summary: 'Lists every credential of the project: where it is, for whom, with which rights, until when.',
    handle: listCredentials,
  }),
]
