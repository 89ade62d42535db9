import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { templatesInUse } from '../../core/cluster/task-templates.ts'
import { byNumber, listInWords, quote } from '../../core/values/wording.ts'
import type { ApiRequest } from '../route.ts'
import { scopeOf } from '../scope.ts'

/** Clusters that are named. */
const NAMED_MAX = 5

const uses = (cluster: Cluster, { id, projectId }: ClusterTemplate): boolean =>
  templatesInUse(cluster).some((used) => used.id === id && used.projectId === projectId)

/** Names and ids of clusters that the caller sees and that use the template. Reads the project's clusters: for refusals only. */
const visibleUsers = async (request: ApiRequest, template: ClusterTemplate): Promise<string[]> => {
  const { clusters } = request.ports.stores
  const scope = scopeOf(request, 'cluster:get_all_all_projects')
  const found: string[] = []
  for (let marker: string | undefined, more = true; more && found.length < template.clusterCount; ) {
    const page = await clusters.listWithin(scope, { limit: 1000, ...(marker === undefined ? {} : { marker }) })
    const users = page.items.filter((cluster) => uses(cluster, template))
    found.push(...users.map(({ id, name }) => `${quote(name)} (${id})`))
    marker = page.items.at(-1)?.id
    more = page.more && marker !== undefined
  }
  return found
}

/** Which clusters use a template, as far as the caller sees them (magnum-rest.md section 11 row 8): `the cluster "a" (<id>)`. */
export const templateUsers = async (request: ApiRequest, template: ClusterTemplate): Promise<string> => {
  const seen = await visibleUsers(request, template)
  const unseen = Math.max(template.clusterCount - seen.length, 0)
  const visible = `${byNumber(seen, 'the cluster', 'the clusters')} ${listInWords(seen, NAMED_MAX)}`
  if (unseen === 0) return visible
  const number = `${unseen} ${unseen === 1 ? 'cluster' : 'clusters'} of other projects`
  return seen.length === 0 ? number : `${visible}, and ${number}`
}
