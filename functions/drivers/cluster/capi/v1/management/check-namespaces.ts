import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { errorFinding } from '../../../../support/findings.ts'
import { isTerminating } from '../../../../support/owned.ts'
import { classNamespaceOf } from '../render/names.ts'
import { foreignClassNamespace, isClassNamespace } from '../render/namespace.ts'
import type { ManagementSite } from './site.ts'

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
