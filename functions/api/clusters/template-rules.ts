import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { quote } from '../../core/values/wording.ts'
import { PolicyForbids } from '../errors.ts'
import { isAllowed } from '../policy.ts'
import type { ApiRequest } from '../route.ts'

/** Only administrators make clusters from a hidden template (magnum-rest.md 4.1), or upgrade them to it. @throws PolicyForbids */
export const requireTemplateOpen =
  (request: Pick<ApiRequest, 'principal' | 'settings'>) =>
  ({ id, name, hidden }: ClusterTemplate): void => {
    if (!hidden || isAllowed(request, 'clustertemplate:publish')) return
    throw new PolicyForbids(
      `The cluster template ${quote(name ?? id)} is hidden: only an administrator may make clusters from it, or upgrade them to it (clustertemplate:publish). Use another one.`,
    )
  }
