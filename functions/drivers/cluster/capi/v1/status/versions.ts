import { isMaster, type NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { deploymentOf, livingMachines } from './groups.ts'

const NUMBERS = /^v?(\d+)\.(\d+)\.(\d+)/

const rank = (version: string): number => {
  const [, major = 0, minor = 0, patch = 0] = (NUMBERS.exec(version) ?? []).map(Number)
  return (major * 1000 + minor) * 1000 + patch
}

/** The oldest of some versions; null of none. */
const oldest = (versions: readonly string[]): string | null =>
  versions.filter((version) => version !== '').toSorted((a, b) => rank(a) - rank(b))[0] ?? null

/**
 * Version of the control plane: the oldest that the Cluster tells. Cluster API 1.13 tells it in the control plane itself only, which 1.14 has
 * deprecated.
 */
export const versionOf = ({ cluster, controlPlane }: Snapshot): string | null =>
  oldest(cluster?.status.controlPlane.versions.map(({ version }) => version) ?? []) ??
  oldest([controlPlane?.status.version ?? ''])

/** Version of a group's nodes: the oldest among its machines; of a group without any, the one that new ones would have. */
export const versionOfGroup = (snapshot: Snapshot, group: NodeGroup): string | null =>
  oldest(livingMachines(snapshot, group).map(({ spec }) => spec.version)) ??
  (isMaster(group) ? versionOf(snapshot) : oldest([deploymentOf(snapshot, group)?.spec.template.spec.version ?? '']))
