import { builtinTemplates } from '../../core/cluster/builtin-templates.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { templatesInUse } from '../../core/cluster/cluster-task.ts'
import { type ClusterTemplate, type FoundTemplate, isPublished } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { isUuid } from '../../core/values/ids.ts'
import { byNumber, listInWords, quote } from '../../core/values/wording.ts'
import type { PolicyRule } from '../../policy/rules.ts'
import { locate } from '../lookup.ts'
import { isAllowed, refusalBy, requirePolicy, scopeOf } from '../policy.ts'
import type { ApiRequest } from '../route.ts'
import type { TemplateAttributes } from './template.schema.ts'

/**
 * A template by id or name: one of the own project, a published one of another, or a built-in one. With `allProjectsRule`, callers who have
 * it find those of all projects. A stored template hides a built-in one of the same name.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const findTemplate = async (
  request: Pick<ApiRequest, 'ports' | 'principal' | 'settings'>,
  ident: string,
  allProjectsRule?: PolicyRule,
): Promise<FoundTemplate> => {
  const { templates } = request.ports.stores
  const scope = scopeOf(request, allProjectsRule)
  const builtin = builtinTemplates(request.ports.drivers).find(({ id, name }) => (isUuid(ident) ? id : name) === ident)
  const isStored = isUuid(ident) || (await templates.locateByName(scope, ident)).length > 0
  if (builtin !== undefined && (isUuid(ident) || !isStored)) return { template: builtin, isBuiltin: true }
  return { template: await locate(templates, 'ClusterTemplate', scope, ident), isBuiltin: false }
}

type Visibility = Pick<TemplateAttributes, 'public' | 'hidden'>

const NOT_PUBLISHED: Visibility = { public: false, hidden: false }

const opens = (before: Visibility, after: Visibility): boolean =>
  (after.public && !before.public) || (after.hidden && !before.hidden) || (isPublished(after) && !isPublished(before))

/**
 * Publishing and hiding are for administrators (magnum-rest.md section 5, section 11 row 25).
 *
 * @param before absent for a new template
 * @throws PolicyForbids
 */
export const requireMayPublish = (
  request: Pick<ApiRequest, 'principal' | 'settings'>,
  after: Visibility,
  before: Visibility = NOT_PUBLISHED,
): void => {
  if (!opens(before, after) || isAllowed(request, TEMPLATE_ATTRIBUTES.public.rule)) return
  throw refusalBy(
    TEMPLATE_ATTRIBUTES.public.rule,
    'Only an administrator may make a cluster template public or hidden (clustertemplate:publish), so nothing was changed. Leave "public" and "hidden" out, or ask an administrator to do it.',
  )
}

/**
 * A published template of another project can be read by all, and changed by administrators only; a built-in one by nobody.
 *
 * @throws PolicyForbids
 */
export const requireMayChange = (
  request: Pick<ApiRequest, 'principal' | 'settings'>,
  { template, isBuiltin }: FoundTemplate,
  verb: 'update' | 'delete',
): void => {
  const named = quote(template.name ?? template.id)
  if (isBuiltin) {
    throw refusalBy(
      `clustertemplate:${verb}`,
      `Cluster template ${named} belongs to this installation: nobody can change or delete it. Create one of your own instead.`,
    )
  }
  const { projectId, userId } = template
  if (projectId === request.principal.projectId) {
    requirePolicy(request, `clustertemplate:${verb}`, { projectId, userId })
    return
  }
  if (isAllowed(request, `clustertemplate:${verb}_all_projects`)) return
  throw refusalBy(
    `clustertemplate:${verb}_all_projects`,
    `Cluster template ${named} belongs to another project, which made it public: you can use it, and only an administrator may change or delete it (clustertemplate:${verb}_all_projects).`,
  )
}

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

/** Only administrators make clusters from a hidden template (magnum-rest.md 4.1), or upgrade them to it. @throws PolicyForbids */
export const requireTemplateOpen =
  (request: Pick<ApiRequest, 'principal' | 'settings'>) =>
  ({ id, name, hidden }: ClusterTemplate): void => {
    if (!hidden || isAllowed(request, 'clustertemplate:publish')) return
    throw refusalBy(
      'clustertemplate:publish',
      `The cluster template ${quote(name ?? id)} is hidden: only an administrator may make clusters from it, or upgrade them to it (clustertemplate:publish). Use another one.`,
    )
  }
