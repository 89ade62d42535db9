import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { TEMPLATE_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Attributes } from '../../core/values/attributes.ts'
import { quote } from '../../core/values/wording.ts'
import { RevisionConflict, TemplateInUse } from '../../store/errors.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import { isAllowed } from '../policy.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findTemplate } from './find-template.ts'
import { showTemplate } from './show-template.ts'
import { requireMayChange, requireMayPublish } from './template-access.ts'
import { attributesOf, fieldsOf, type TemplateAttributes } from './template-attributes.ts'
import { applyTemplatePatch, changedAttributes } from './template-patch.ts'
import { templateUsers } from './template-users.ts'

type Request = ApiRequest<unknown, PatchOperation[]>

/** What may change while clusters use the template, each alone: nothing that they were made from (magnum-rest.md section 5). */
const isFineInUse = (changed: readonly string[], after: TemplateAttributes): boolean => {
  const [only, ...others] = changed
  if (only === undefined || others.length > 0) return false
  const attributes: Attributes = TEMPLATE_ATTRIBUTES
  return attributes[only]?.inUse === true && (only !== 'public' || after.public)
}

/** A patch that changes nothing is refused too, as in Magnum (magnum-rest.md 13.9). */
const refuseInUse = async (
  request: Request,
  template: ClusterTemplate,
  changed: readonly string[],
): Promise<InvalidRequest> => {
  const what = changed.length === 0 ? 'This patch changes nothing. ' : ''
  const open = isAllowed(request, 'clustertemplate:publish')
    ? 'one of "name", "hidden", "tags" and "public" (to true)'
    : 'either "name" or "tags"'
  return new InvalidRequest(
    `Cluster template ${quote(template.name ?? template.id)} is used by ${await templateUsers(request, template)}. ${what}Of a template in use ${open} can be changed per request. For other changes create a new template, and upgrade the clusters to it.`,
  )
}

const commitChange = async (request: Request, read: ClusterTemplate, written: ClusterTemplate, unlessUsed: boolean) => {
  const { templates, commit } = request.ports.stores
  const { name, spec, public: isPublic, hidden, tags, updatedAt } = written
  try {
    await commit([templates.change(read, { name, spec, public: isPublic, hidden, tags, updatedAt }, { unlessUsed })])
  } catch (error) {
    // A cluster was made from it meanwhile: read again, and name it.
    if (error instanceof TemplateInUse) throw new RevisionConflict(error.message, { cause: error })
    throw error
  }
}

/** Reads, decides, commits. */
const decide = async (request: Request): Promise<{ template: ClusterTemplate; attributes: TemplateAttributes }> => {
  const found = await findTemplate(request, request.params.clustertemplate ?? '', 'clustertemplate:update_all_projects')
  requireMayChange(request, found, 'update')
  const { template } = found
  const before = attributesOf(template)
  const attributes = applyTemplatePatch(before, request.body)
  requireMayPublish(request, attributes, before)
  const changed = changedAttributes(before, attributes)
  const isFine = isFineInUse(changed, attributes)
  if (template.clusterCount > 0 && !isFine) throw await refuseInUse(request, template, changed)
  if (changed.length === 0) return { template, attributes }
  const written = { ...template, ...fieldsOf(attributes), updatedAt: request.ports.clock.now().toISOString() }
  await commitChange(request, template, written, !isFine)
  return { template: written, attributes }
}

/**
 * `PATCH /v1/clustertemplates/{clustertemplate}` → 200 with the whole template (magnum-rest.md section 5, 9.1). Labels that were removed
 * are null in this answer, and `{}` in later ones.
 */
export const patchTemplate = async (request: Request): Promise<ApiResponse> => {
  const { template, attributes } = await retryOnConflict(() => decide(request))
  return { status: 200, body: { ...showTemplate(template, request), labels: attributes.labels } }
}
