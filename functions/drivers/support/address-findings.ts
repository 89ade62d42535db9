import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Finding, MemberContext } from '../contract/federation-driver.ts'
import { warningFinding } from './findings.ts'

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

const isLoopback = (server: string): boolean => URL.canParse(server) && LOOPBACK.test(new URL(server).hostname)

const peerServer = ({ endpoint }: Cluster): string => endpoint?.serverForPeers ?? endpoint?.server ?? ''

/** kind and k3d write 127.0.0.1 into kubeconfigs: nothing in the host can use that, unless the host is on the same machine. */
export const addressFindings = ({ host, member }: MemberContext): Finding[] => {
  const server = peerServer(member.cluster)
  if (!isLoopback(server) || isLoopback(peerServer(host.cluster))) return []
  return [
    warningFinding(
      'MemberAddressIsLoopback',
      `Consumers in the host would look for the member at ${server}, which is their own machine. ` +
        "Register the cluster with server_for_peers, the API server's address as other clusters see it.",
    ),
  ]
}
