import type { KubernetesObject } from '../../../../kubernetes/client.ts'
import { customResourceDefinitions, roles } from '../../../../kubernetes/resources.ts'
import type { FederationContext, Finding, Preflight } from '../../../contract/federation-driver.ts'
import {
  attempt,
  errorFinding,
  foreignFindings,
  namespaceFindings,
  permissionFindings,
  warningFinding,
} from '../../../support/findings.ts'
import type { Site } from '../../../support/owned.ts'
import { hostSite } from '../../../support/sites.ts'
import { missingNamespaces } from './host/consumer-namespaces.ts'
import { hostWishes } from './host/desired.ts'
import { inventoryNamespace } from './inventory-namespace.ts'
import { PROFILE_CRD, READER_ROLE } from './names.ts'
import { crdFault, isOurCrd, isOutdated } from './phases/crd.ts'
import { CONSUMER_NAMESPACES, parseProperties } from './schema.ts'

const crdFindings = (crd: KubernetesObject | undefined): Finding[] => {
  const fault = crd === undefined || isOurCrd(crd) ? undefined : crdFault(crd)
  return fault === undefined ? [] : [errorFinding('ForeignObject', fault)]
}

/** What would become of the CRD, by the look at the host. */
const crdFate = (crd: KubernetesObject | undefined): string => {
  if (crd === undefined) return ''
  return isOutdated(crd) ? ': exists already and is brought up to date' : ': exists already and is kept'
}

/** Missing consumer namespaces: only told, since they may well be made before the first member joins. */
const consumerFindings = async (site: Site, names: readonly string[]): Promise<Finding[]> =>
  (await missingNamespaces(site, names)).map((name) =>
    warningFinding(
      'ConsumerNamespaceMissing',
      `Namespace ${name} of property ${CONSUMER_NAMESPACES} does not exist in the host; no member can join before it does.`,
    ),
  )

/** Preflight of the host. */
export const checkHost = async (context: FederationContext): Promise<Preflight> => {
  const namespace = inventoryNamespace(context.federation.id)
  const { consumerNamespaces } = parseProperties(context.federation.properties)
  let fate = ', where there is none'
  const checkCrd = async ({ client }: Site): Promise<Finding[]> => {
    const crd = await client.get(customResourceDefinitions, PROFILE_CRD)
    fate = crdFate(crd)
    return crdFindings(crd)
  }
  const findings = await attempt(async () => {
    const site = await hostSite(context)
    const parts = await Promise.all([
      attempt(() => permissionFindings(site.client, 'the host', hostWishes(namespace))),
      attempt(() => namespaceFindings(site, namespace, context.now())),
      attempt(() => foreignFindings(site, roles(namespace), READER_ROLE)),
      attempt(() => checkCrd(site)),
      attempt(() => consumerFindings(site, consumerNamespaces)),
    ])
    return parts.flat()
  })
  return {
    findings,
    wouldMake: [
      `Namespace ${namespace} in the host`,
      `CustomResourceDefinition ${PROFILE_CRD} in the host${fate}`,
      `Role ${namespace}/${READER_ROLE} in the host, bound to nobody`,
    ],
  }
}
