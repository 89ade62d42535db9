import * as z from 'zod'
import type { KubernetesObject } from '../../../kubernetes/client.ts'
import { clusterRoles } from '../../../kubernetes/resources.ts'
import type { Finding } from '../../contract/federation-driver.ts'
import { errorFinding, warningFinding } from '../findings.ts'
import type { Site } from '../owned.ts'

/** What is used of a ClusterRole. API servers write `rules: null` for a role whose rules nobody has put together yet. */
const RoleSchema = z.object({ rules: z.array(z.unknown()).nullish(), aggregationRule: z.unknown().optional() })

/** `view` and its like get their rules from a controller: kube-apiserver alone serves them empty. */
const WITHOUT_CONTROLLER =
  'Its rules are put together by the controller clusterrole-aggregation of kube-controller-manager, which does not seem to run there: ' +
  'run it, or set'

const emptiness = (role: KubernetesObject, property: string): Finding[] => {
  const { rules, aggregationRule } = RoleSchema.parse(role)
  if ((rules ?? []).length > 0) return []
  const remedy = aggregationRule ? WITHOUT_CONTROLLER : 'Give it rules, or set'
  return [
    warningFinding(
      'MemberRoleEmpty',
      `ClusterRole ${role.metadata.name} of the member has no rules, so the credential that is made for the federation could read nothing there. ` +
        `${remedy} property ${property}.`,
    ),
  ]
}

/** The role that the member's credential is bound to, named by `property`: missing is an error, empty a warning. */
export const memberRoleFindings = async (
  { client }: Site,
  { name, property }: { name: string; property: string },
): Promise<Finding[]> => {
  const role = await client.get(clusterRoles, name)
  if (role !== undefined) return emptiness(role, property)
  return [
    errorFinding(
      'MemberRoleMissing',
      `ClusterRole ${name} does not exist in the member. Make it there, or set property ${property}.`,
    ),
  ]
}
