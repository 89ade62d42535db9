import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { quote } from '../../core/values/wording.ts'
import { RevisionConflict, TemplateInUse } from '../../store/errors.ts'
import { isAllowed } from '../policy.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findTemplate } from './find-template.ts'
import { requireMayChange } from './template-access.ts'
import { templateUsers } from './template-users.ts'

/** Says what to do; hiding is advised to those who may, and only for what it does. */
const refuseInUse = async (request: ApiRequest, template: ClusterTemplate): Promise<InvalidRequest> => {
  const users = await templateUsers(request, template)
  const hiding = isAllowed(request, 'clustertemplate:publish')
    ? ' Until then "hidden" keeps all but administrators from making more clusters from it.'
    : ''
  return new InvalidRequest(
    `Cluster template ${quote(template.name ?? template.id)} can't be deleted: it is used by ${users}. Delete these clusters, or upgrade them to another template, and try again.${hiding}`,
  )
}

const removeOnce = async (request: ApiRequest): Promise<void> => {
  const { templates, commit } = request.ports.stores
  const found = await findTemplate(request, request.params.clustertemplate ?? '', 'clustertemplate:delete_all_projects')
  requireMayChange(request, found, 'delete')
  const { template } = found
  if (template.clusterCount > 0) {
    throw await refuseInUse(request, template)
  }
  try {
    await commit([templates.remove(template)])
  } catch (error) {
    // A cluster was made from it meanwhile: read again, and name it.
    if (error instanceof TemplateInUse) throw new RevisionConflict(error.message, { cause: error })
    throw error
  }
}

/** `DELETE /v1/clustertemplates/{clustertemplate}` → 204; 400 while clusters use it (magnum-rest.md section 5). */
export const deleteTemplate = async (request: ApiRequest): Promise<ApiResponse> => {
  await retryOnConflict(() => removeOnce(request))
  return { status: 204 }
}
