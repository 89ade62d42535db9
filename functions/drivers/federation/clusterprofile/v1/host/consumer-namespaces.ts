import { namespaces } from '../../../../../kubernetes/resources.ts'
import type { Finding } from '../../../../contract/federation-driver.ts'
import { errorFinding } from '../../../../support/findings.ts'
import type { Site } from '../../../../support/owned.ts'
import { CONSUMER_NAMESPACES } from '../schema.ts'

/** Those of the names that are no namespace of the host. */
export const missingNamespaces = async ({ client }: Site, names: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(names.map((name) => client.get(namespaces, name)))
  return names.filter((_, index) => found[index] === undefined)
}

/** The refusal to publish in a namespace that is not there: it is the operator's, never made by us. */
export const missingFinding = (namespace: string): Finding =>
  errorFinding(
    'ConsumerNamespaceMissing',
    `Namespace ${namespace} does not exist in the host. Make it, or change property ${CONSUMER_NAMESPACES}.`,
  )
