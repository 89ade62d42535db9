import { builtinTemplates } from '../../core/cluster/builtin-templates.ts'
import type { FoundTemplate } from '../../core/cluster/cluster-template.ts'
import { isUuid } from '../../core/values/ids.ts'
import type { PolicyRule } from '../../policy/rules.ts'
import { locate } from '../lookup.ts'
import type { ApiRequest } from '../route.ts'
import { scopeOf } from '../scope.ts'

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
