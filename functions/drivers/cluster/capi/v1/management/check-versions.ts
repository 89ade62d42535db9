import { listInWords } from '../../../../../domain/wording.ts'
import type { KubernetesClient, Resource } from '../../../../../kubernetes/client.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { errorFinding } from '../../../../support/findings.ts'
import type { Infrastructure } from '../infrastructure.ts'
import { resourceNames } from './api-resources.schema.ts'

const INFRASTRUCTURE_GROUP = 'infrastructure.cluster.x-k8s.io'

/** What to install for each. */
const PROVIDERS: Readonly<Record<Infrastructure, string>> = {
  openstack:
    'Install Cluster API Provider OpenStack (clusterctl init --infrastructure openstack), or upgrade it; or register the cluster for another infrastructure',
  dev: "Install Cluster API's development provider (clusterctl init --infrastructure docker), or upgrade it; or register the cluster for another infrastructure",
}

/** Those of the version that are not served: a group may be there for other kinds. */
const missingOf = async (client: KubernetesClient, resources: readonly Resource[]): Promise<Resource[]> => {
  const [first] = resources
  if (first === undefined) return []
  const { status, body } = await client.raw(`/apis/${first.group}/${first.version}`)
  // Who may not read the discovery learns of it from the dry runs.
  if (status !== 200 && status !== 404) return []
  const served = status === 200 ? resourceNames(body) : []
  return resources.filter(({ plural }) => !served.includes(plural))
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
  for (const of of byVersion.values()) missing.push(...(await missingOf(client, of)))
  if (missing.length === 0) return []
  const isProvider = missing.every(({ group }) => group === INFRASTRUCTURE_GROUP)
  const advice = isProvider
    ? PROVIDERS[infrastructure]
    : 'Install Cluster API 1.11 or newer with its kubeadm providers and the infrastructure provider, or upgrade them'
  const what = listInWords([...new Set(missing.map(named))])
  return [errorFinding('ApiVersionMissing', `The API server does not serve ${what}. ${advice}.`)]
}
