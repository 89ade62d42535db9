import { looksLikeUuid } from '../../../../../../core/values/ids.ts'
import type { RenderPlan } from '../plan.ts'
import { type GroupWish, groupWish } from '../wish.ts'
import type { CloudNetworks } from './cloud-conf.ts'

/** Further networks of a group's machines, by name or id. Masters have none. */
export const extraNetworks = ({ own, isMaster }: Pick<GroupWish, 'own' | 'isMaster'>): readonly string[] =>
  isMaster ? [] : (own.extra_network_names ?? own.extra_network_name ?? [])

/** CAPO's name for a network that it makes; the given one's, where that is known by name. */
const clusterNetworkName = ({ cluster: { magnum }, names }: RenderPlan): string | undefined => {
  const { fixedNetwork } = magnum
  if (fixedNetwork === null || fixedNetwork === '') {
    return `k8s-clusterapi-cluster-${names.namespace}-${names.cluster}`
  }
  return looksLikeUuid(fixedNetwork) ? undefined : fixedNetwork
}

/** The networks that what runs in the cluster is told of. */
export const cloudNetworks = (plan: RenderPlan): CloudNetworks => ({
  external: plan.template?.spec.externalNetworkId ?? null,
  internal: plan.nodeGroups.some((group) => extraNetworks(groupWish(plan, group)).length > 0)
    ? clusterNetworkName(plan)
    : undefined,
})
