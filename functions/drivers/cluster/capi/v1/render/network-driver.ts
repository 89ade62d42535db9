import type { RenderPlan } from './plan.ts'

/** Label of a Cluster that says which CNI it has: also for operators' own tools. */
export const NETWORK_DRIVER_LABEL = 'fedplane.io/network-driver'

/** Of new clusters whose template names none. */
const DEFAULT_NETWORK_DRIVER = 'calico'

/** The CNI that a cluster has: the one it was made with, whatever its template says by now, since a second one would break its network. */
export const networkDriverOf = ({ previous, template }: Pick<RenderPlan, 'previous' | 'template'>): string =>
  previous?.metadata.labels?.[NETWORK_DRIVER_LABEL] ?? (template?.spec.networkDriver || DEFAULT_NETWORK_DRIVER)
