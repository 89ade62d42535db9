import { listInWords } from '../../../../../core/values/wording.ts'
import type { KubernetesClient, Resource } from '../../../../../kubernetes/client.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { servedOf } from '../../../../support/discovery.ts'
import { errorFinding } from '../../../../support/findings.ts'
import type { Infrastructure } from '../infrastructure.ts'

const INFRASTRUCTURE_GROUP = 'infrastructure.cluster.x-k8s.io'

/** What to install for each. */
const PROVIDERS: Readonly<Record<Infrastructure, string>> = {
  openstack:
    'Install Cluster API Provider OpenStack (clusterctl init --infrastructure openstack), or upgrade it; or register the cluster for another infrastructure',
  dev: "Install Cluster API's development provider (clusterctl init --infrastructure docker), or upgrade it; or register the cluster for another infrastructure",
}

const named = ({ group, version, plural }: Resource): string => `${plural} of ${group}/${version}`

/** What is not served of all that is written: Cluster API, or the infrastructure's provider, is missing or too old. Changes nothing. */
export const versionFindings = async (
  client: KubernetesClient,
  resources: readonly Resource[],
  infrastructure: Infrastructure,
): Promise<Finding[]> => {
  const byVersion = Map.groupBy(resources, ({ group, version }) => `${group}/${version}`)
  const missing: Resource[] = []
  for (const [first, ...others] of byVersion.values()) {
    if (first === undefined) continue
    const served = await servedOf(client, first)
    missing.push(...[first, ...others].filter(({ plural }) => !served.has(plural)))
  }
  if (missing.length === 0) return []
  const isProvider = missing.every(({ group }) => group === INFRASTRUCTURE_GROUP)
  const advice = isProvider
    ? PROVIDERS[infrastructure]
    : 'Install Cluster API 1.11 or newer with its kubeadm providers and the infrastructure provider, or upgrade them'
  const what = listInWords([...new Set(missing.map(named))])
  return [errorFinding('ApiVersionMissing', `The API server does not serve ${what}. ${advice}.`)]
}
