import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { PermissionDenied } from '../../../../../kubernetes/errors.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { errorFinding, warningFinding } from '../../../../support/findings.ts'
import type { KarmadaProperties } from '../schema.ts'
import { type NodeFacts, readNodes } from './node-facts.ts'
import { storageFault } from './storage.ts'

/** Undefined where we may not look, which is no fault of the host. */
const visibleNodes = async (client: KubernetesClient): Promise<NodeFacts[] | undefined> => {
  try {
    return await readNodes(client)
  } catch (error) {
    if (error instanceof PermissionDenied) return undefined
    throw error
  }
}

/** What keeps the host from running the pods. */
export const nodeFindings = async (
  client: KubernetesClient,
  { replicas }: Pick<KarmadaProperties, 'replicas'>,
): Promise<Finding[]> => {
  const found = await visibleNodes(client)
  if (found === undefined) return []
  const usable = found.filter(({ isReady, isSchedulable }) => isReady && isSchedulable)
  if (found.length === 0) {
    return [
      errorFinding(
        'HostHasNoNodes',
        'The host has no nodes, so no pods run there. Choose another host, or driver clusterprofile@1, which needs none.',
      ),
    ]
  }
  if (usable.length === 0) {
    const count = found.filter(({ isReady }) => isReady).length
    return [
      errorFinding(
        'NoUsableNode',
        `None of the host's ${found.length} nodes takes pods: ${count} are Ready, and those are cordoned or tainted. Make one Ready and schedulable.`,
      ),
    ]
  }
  if (usable.length >= replicas) return []
  return [
    warningFinding(
      'FewNodes',
      `Property replicas is ${replicas}, and ${usable.length} nodes of the host take pods: some members share a node, and are lost with it.`,
    ),
  ]
}

/** What keeps it from giving etcd volumes. */
export const storageFindings = async (
  client: KubernetesClient,
  properties: Pick<KarmadaProperties, 'storageClass'>,
): Promise<Finding[]> => {
  const fault = await storageFault(client, properties)
  return fault === null ? [] : [errorFinding('StorageClassMissing', fault)]
}
