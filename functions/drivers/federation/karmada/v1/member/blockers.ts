import { counted } from '../../../../../core/values/wording.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import { blockersOf as namespaceBlockers } from '../../../../support/namespace.ts'
import { conditionOf } from '../control-plane/conditions.ts'
import type { Leaving, LeavingSite } from './leaving.ts'

const memberSays = (cluster: KubernetesObject | undefined): string => {
  const ready = conditionOf(cluster, 'Ready')
  return ready === undefined || ready.status === 'True' ? '' : `; Karmada says of the member ${ready.reason}`
}

/** What keeps a member in the control plane, after "waiting for". */
export const blockersOf = (
  { memberName, space }: Pick<LeavingSite, 'memberName' | 'space'>,
  { cluster, namespace, works }: Leaving,
): string => {
  const [first] = works
  if (first !== undefined) {
    return `${counted(works.length, 'Work')} of namespace ${space} to go, for example ${first.metadata.name}${memberSays(cluster)}`
  }
  if (namespace !== undefined) {
    const blocked = namespaceBlockers(namespace)
    return `namespace ${space} in the control plane to be gone${blocked === '' ? '' : `, which is blocked: ${blocked}`}`
  }
  return `Cluster ${memberName} to be gone: Karmada first takes it out of all bindings`
}
