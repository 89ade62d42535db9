import { type FoundTemplate, isPublished } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { quote } from '../../core/values/wording.ts'
import { PolicyForbids } from '../errors.ts'
import { isAllowed, requirePolicy } from '../policy.ts'
import type { ApiRequest } from '../route.ts'
import type { TemplateAttributes } from './template-attributes.ts'

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
  throw new PolicyForbids(
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
    throw new PolicyForbids(
      `Cluster template ${named} belongs to this installation: nobody can change or delete it. Create one of your own instead.`,
    )
  }
  const { projectId, userId } = template
  if (projectId === request.principal.projectId) {
    requirePolicy(request, `clustertemplate:${verb}`, { projectId, userId })
    return
  }
  if (isAllowed(request, `clustertemplate:${verb}_all_projects`)) return
  throw new PolicyForbids(
    `Cluster template ${named} belongs to another project, which made it public: you can use it, and only an administrator may change or delete it (clustertemplate:${verb}_all_projects).`,
  )
}
