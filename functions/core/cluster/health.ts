import { withoutFullStop } from '../values/wording.ts'
import type { ClusterObservation } from './cluster.ts'

const NODE_READY = '.Ready'

const faultOf = ([key, value]: [string, string]): string => {
  if (key === 'api') return withoutFullStop(value)
  if (key.endsWith(NODE_READY)) return `node ${key.slice(0, -NODE_READY.length)} is not ready`
  return `${key}: ${withoutFullStop(value)}`
}

/** One sentence of what Magnum's map of reasons finds wrong, for messages and events. */
export const describeUnhealthy = (reasons: ClusterObservation['healthReason']): string => {
  const faults = Object.entries(reasons).filter(([, value]) => value !== 'ok' && value !== 'True')
  return faults.length === 0
    ? 'The cluster is unhealthy.'
    : `The cluster is unhealthy: ${faults.map(faultOf).join('; ')}.`
}
