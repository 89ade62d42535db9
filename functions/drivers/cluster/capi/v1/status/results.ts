import type { ClusterEndpoint } from '../../../../../core/cluster/cluster.ts'
import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { NodeGroupResult } from '../../../../contract/cluster-driver.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { addressOf } from './addresses.ts'
import { livingMachines, replicasOf } from './groups.ts'
import { versionOfGroup } from './versions.ts'

/** What there is of a group now: addresses and version. */
export const groupResult = (snapshot: Snapshot, group: NodeGroup): NodeGroupResult => {
  const version = versionOfGroup(snapshot, group)
  return {
    id: group.id,
    nodeAddresses: livingMachines(snapshot, group).flatMap((machine) => addressOf(machine) ?? []),
    ...(version === null ? {} : { version }),
  }
}

/** The same with the count that Cluster API wants by now: an autoscaler may have changed it. Nothing of a group that is not there. */
export const countedResult = (snapshot: Snapshot, group: NodeGroup): NodeGroupResult[] => {
  const nodeCount = replicasOf(snapshot, group)
  return nodeCount === undefined ? [] : [{ ...groupResult(snapshot, group), nodeCount }]
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Where the API server is, as soon as that is known. `caPem`: of the cluster's authority. */
export const endpointIn = ({ cluster }: Snapshot, caPem: string | null): ClusterEndpoint | undefined => {
  const { host, port } = cluster?.spec.controlPlaneEndpoint ?? { host: '', port: 0 }
  if (host === '' || port === 0) return undefined
  return {
    server: `https://${bracketed(host)}:${port}`,
    serverForPeers: null,
    caPem,
    tlsServerName: null,
    tlsVerify: true,
  }
}
