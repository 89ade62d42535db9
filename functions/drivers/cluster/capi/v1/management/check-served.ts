import { listInWords } from '../../../../../core/values/wording.ts'
import type { KubernetesClient, Resource } from '../../../../../kubernetes/client.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { errorFinding } from '../../../../support/findings.ts'
import { isTerminating } from '../../../../support/owned.ts'
import { servedOf } from '../../../../support/pages.ts'
import type { Infrastructure } from '../model/infrastructure.ts'
import { classNamespaceOf } from '../model/names.ts'
import { foreignClassNamespace, isClassNamespace } from './owned.ts'
import type { ManagementSite } from './snapshot.ts'

type Place = Pick<ManagementSite, 'where' | 'options'> & { client: KubernetesClient }

/** The namespace of the classes is somebody else's. It is made with the first cluster when it is not there. */
const classFindings = async ({ client, options, where }: Place): Promise<Finding[]> => {
  const name = classNamespaceOf(options)
  const found = await client.get(namespaces, name)
  if (found === undefined || isClassNamespace(found)) return []
  return [errorFinding('NamespaceForeign', foreignClassNamespace(name, where))]
}

/** The namespace that the operator keeps addons in is not there: every cluster would be refused that needs one. */
const addonFindings = async ({ client, options, where }: Place): Promise<Finding[]> => {
  const name = options.addons_namespace
  if (name === undefined) return []
  const found = await client.get(namespaces, name)
  if (found !== undefined && !isTerminating(found)) return []
  return [
    errorFinding(
      'AddonsNamespaceMissing',
      `Namespace ${name} is ${found === undefined ? 'not' : 'no longer'} in management cluster ${where}, and "addons_namespace" says that it holds the Secrets of addons. ` +
        'Make it, with a Secret of type addons.cluster.x-k8s.io/resource-set for each addon, or leave "addons_namespace" out.',
    ),
  ]
}

/** What is wrong with the namespaces that a registration names, or comes to. Changes nothing. */
export const namespaceFindings = async (place: Place): Promise<Finding[]> => [
  ...(await classFindings(place)),
  ...(await addonFindings(place)),
]

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
