import { shortId } from '../../../../../core/values/ids.ts'
import type { Access } from '../../../../../kubernetes/access-review.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { ObjectInvalid, ObjectNotFound, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import type { FederationContext, Finding, Preflight } from '../../../../contract/federation-driver.ts'
import {
  accessTo,
  attempt,
  errorFinding,
  missingAccess,
  namespaceFindings,
  permissionFindings,
  warningFinding,
} from '../../../../support/findings.ts'
import { FEDERATION_LABEL, isTerminating } from '../../../../support/owned.ts'
import { nodeFindings, storageFindings } from '../host/findings.ts'
import { namespaceFault, ownerOf } from '../host/foreign.ts'
import { type HostWork, hostWork } from '../host/host-work.ts'
import { services } from '../host/plan.ts'
import { apiServiceManifest } from '../host/services.ts'
import { API_SERVER, CRDS_ASSET, KARMADA_VERSION } from '../model/names.ts'
import { API_NODE_PORT, type KarmadaProperties, parseProperties } from '../model/properties.ts'
import { pullSecretFindings } from './update.ts'

const KEPT = ['get', 'list', 'create', 'patch', 'delete']

/** Everything that the driver does in a host, so that nothing is refused half-way. */
const accessInHost = (namespace: string): Access[] => [
  ...accessTo(['get', 'create', 'patch', 'delete'], { group: '', resource: 'namespaces' }),
  ...accessTo(KEPT, { group: '', resource: 'services', namespace }),
  ...accessTo(KEPT, { group: '', resource: 'secrets', namespace }),
  ...accessTo(KEPT, { group: '', resource: 'persistentvolumeclaims', namespace }),
  ...accessTo(KEPT, { group: 'apps', resource: 'deployments', namespace }),
  ...accessTo(KEPT, { group: 'apps', resource: 'statefulsets', namespace }),
  ...accessTo(KEPT, { group: 'policy', resource: 'poddisruptionbudgets', namespace }),
  ...accessTo(['list'], { group: 'apps', resource: 'replicasets', namespace }),
  ...accessTo(['list'], { group: '', resource: 'pods', namespace }),
  // Control planes that can't be reached otherwise; and etcd, when members are added.
  ...accessTo(['create', 'get'], { group: '', resource: 'pods/portforward', namespace }),
]

/** What only makes messages better; without it the driver knows less. */
const hostHelps = (namespace: string): Access[] => [
  ...accessTo(['list'], { group: '', resource: 'events', namespace }),
  ...accessTo(['list'], { group: '', resource: 'nodes' }),
  ...accessTo(['list'], { group: 'storage.k8s.io', resource: 'storageclasses' }),
]

const UNPROCESSABLE = 422

/** Where the Service can be tried when its namespace is still to be made. */
const EVERYWHERE = 'default'

/** Default of `--service-node-port-range`, which no API tells. */
const [FIRST, LAST] = [30_000, 32_767]

/** A dry run does not check the range (Kubernetes 1.36), so this can only be a warning. */
const rangeFindings = ({ plan: { properties } }: HostWork): Finding[] => {
  const port = properties.apiNodePort
  if (port === null || (port >= FIRST && port <= LAST)) return []
  const message = `Node port ${port} of property ${API_NODE_PORT} is not among those that hosts have unless they are set up otherwise, ${FIRST} to ${LAST}; there the create fails.`
  return [warningFinding('NodePortUnusual', message)]
}

const isRefusal = (error: unknown): error is ObjectInvalid =>
  // Not 400: an admission webhook that takes no dry runs, for example.
  error instanceof ObjectInvalid && error.details.status === UNPROCESSABLE

const refusals = async ({ site, plan, namespace }: HostWork): Promise<Finding[]> => {
  const { client } = site
  const [place, there] = await Promise.all([
    client.get(namespaces, namespace),
    client.get(services(namespace), API_SERVER),
  ])
  if (there !== undefined) return []
  const where = place === undefined ? EVERYWHERE : namespace
  const manifest = apiServiceManifest(plan)
  const metadata = { ...manifest.metadata, namespace: where, name: `fedplane-preflight-${shortId(plan.federationId)}` }
  try {
    await client.apply(services(where), { ...manifest, metadata }, { dryRun: true })
    return []
  } catch (error) {
    if (isRefusal(error)) {
      const message = `The host refuses Service ${API_SERVER} as the properties want it: ${error.message}`
      return [errorFinding('ServiceRefused', message)]
    }
    if ([PermissionDenied, ObjectNotFound, ObjectInvalid].some((known) => error instanceof known)) return []
    throw error
  }
}

/**
 * What the host has against the Service: a node port out of the usual range, and by a dry run what only its API server knows, such as one that is in
 * use. Less where that can't be tried. A Service that is there already is ours, or told as somebody else's.
 */
const serviceFindings = async (work: HostWork): Promise<Finding[]> => [
  ...rangeFindings(work),
  ...(await refusals(work)),
]

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
      attempt(() => permissionFindings(client, 'the host', accessInHost(work.namespace))),
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
