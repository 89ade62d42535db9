import type { KubernetesClient } from '../../../../kubernetes/client.ts'
import { namespaces } from '../../../../kubernetes/resources.ts'
import type { FederationContext, Finding, Preflight } from '../../../contract/federation-driver.ts'
import {
  attempt,
  errorFinding,
  namespaceFindings,
  permissionFindings,
  warningFinding,
} from '../../../support/findings.ts'
import { FEDERATION_LABEL, isTerminating } from '../../../support/owned.ts'
import { missingAccess } from '../../../support/permissions.ts'
import { hostHelps, hostWishes } from './host/desired.ts'
import { nodeFindings, storageFindings } from './host/findings.ts'
import { type HostWork, hostWork } from './host/host-work.ts'
import { pullSecretFindings } from './host/pull-secret.ts'
import { serviceFindings } from './host/service-findings.ts'
import { API_SERVER, CRDS_ASSET, KARMADA_VERSION } from './names.ts'
import { namespaceFault, ownerOf } from './phases/namespace.ts'
import { type KarmadaProperties, parseProperties } from './schema.ts'

/** Server-side apply, `fieldValidation` and policy/v1 are there from here on. */
const HOST_MINOR_MIN = 27

const versionFindings = async (client: KubernetesClient): Promise<Finding[]> => {
  const { major, minor, gitVersion } = await client.version()
  if (major === null || minor === null || major > 1 || minor >= HOST_MINOR_MIN) return []
  return [
    errorFinding(
      'HostTooOld',
      `The host runs Kubernetes ${gitVersion}; the control plane needs 1.${HOST_MINOR_MIN} or later.`,
    ),
  ]
}

const ourNamespaceFindings = async (work: HostWork, now: string): Promise<Finding[]> => {
  const { site, namespace: name } = work
  const namespace = await site.client.get(namespaces, name)
  if (namespace === undefined) return []
  if (isTerminating(namespace) && ownerOf(namespace) === site.federationId) return namespaceFindings(site, name, now)
  if (isTerminating(namespace)) {
    return [
      errorFinding('NamespaceTerminating', `Namespace ${name} in the host is being deleted; it must be gone first.`),
    ]
  }
  const fault = await namespaceFault(work, namespace)
  if (fault !== null) return [errorFinding('ForeignObject', fault)]
  if (ownerOf(namespace) !== undefined) return []
  return [
    warningFinding(
      'NamespaceExists',
      `Namespace ${name} exists in the host. It is used as it is, stays without label ${FEDERATION_LABEL}, and is not removed at the end.`,
    ),
  ]
}

const assetFindings = async ({ asset }: FederationContext): Promise<Finding[]> => {
  await asset(CRDS_ASSET)
  return []
}

const helpFindings = async (client: KubernetesClient, namespace: string): Promise<Finding[]> => {
  const missing = await missingAccess(client, hostHelps(namespace))
  if (missing === '') return []
  return [
    warningFinding(
      'LessIsKnown',
      `The credential of the host may not: ${missing}. What goes wrong there can be explained less well.`,
    ),
  ]
}

const wouldMake = (properties: KarmadaProperties): string[] => {
  const { namespace, replicas, apiServiceType, storageSize } = properties
  return [
    `Namespace ${namespace} in the host, where there is none`,
    `Service ${namespace}/${API_SERVER} of type ${apiServiceType} in the host, and three Services inside of it`,
    `13 Secrets in ${namespace}: kubeconfigs, certificates and the key of Secrets in etcd, no key of an authority`,
    `${replicas === 1 ? 'one volume claim' : 'three volume claims'} of ${storageSize} for etcd`,
    `StatefulSet etcd (${replicas}) and six Deployments (${replicas} each) of Karmada ${KARMADA_VERSION} in ${namespace}`,
    'CRDs, webhooks, an APIService and roles inside of the control plane',
  ]
}

/** Preflight of the host. Whether it has load balancers can't be known before one is asked for. */
export const checkHost = async (context: FederationContext): Promise<Preflight> => {
  const properties = parseProperties(context.federation.properties)
  const findings = await attempt(async () => {
    const work = await hostWork(context)
    const { client } = work.site
    const parts = await Promise.all([
      attempt(() => permissionFindings(client, 'the host', hostWishes(work.namespace))),
      attempt(() => helpFindings(client, work.namespace)),
      attempt(() => versionFindings(client)),
      attempt(() => ourNamespaceFindings(work, context.now())),
      attempt(() => nodeFindings(client, properties)),
      attempt(() => storageFindings(client, properties)),
      attempt(() => serviceFindings(work)),
      attempt(() => pullSecretFindings(work)),
    ])
    return parts.flat()
  })
  return { findings: [...findings, ...(await attempt(() => assetFindings(context)))], wouldMake: wouldMake(properties) }
}
