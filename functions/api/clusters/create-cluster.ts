import { kubeconfigKey } from '../../core/access/credentials.ts'
import { askPreview } from '../../core/cluster/ask-preview.ts'
import { sealNewAuthorities } from '../../core/cluster/certificate-authority.ts'
import type { ClusterEndpoint, ManagementRole } from '../../core/cluster/cluster.ts'
import { requireDriverAgrees } from '../../core/cluster/driver-rules.ts'
import { asPlanned, type ManagementCluster } from '../../core/cluster/management.ts'
import { requireMasterCountOdd, requireMastersReachable } from '../../core/cluster/master-count.ts'
import { requireLabelsFit } from '../../core/cluster/require-labels-fit.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { createDeadlineSeconds } from '../../core/operation/deadlines.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { launch, newOperation } from '../../core/operation/launch.ts'
import type { JsonObject } from '../../core/values/json.ts'
import type { Secret } from '../../core/values/secret.ts'
import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import { TemplateGone } from '../../store/errors.ts'
import type { Write } from '../../store/write.ts'
import { requireDelegable, storeDelegated } from '../cloud/store-delegated.ts'
import { createOnce } from '../idempotency.ts'
import { requirePolicy } from '../policy.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { chooseManagement } from './choose-management.ts'
import { chooseOrigin, type Origin, unknownTemplate } from './choose-origin.ts'
import type { CreateCluster } from './cluster.schema.ts'
import { type TakenKubeconfig, takeKubeconfig } from './intake.ts'
import { createTimeoutOf, newCluster } from './new-cluster.ts'
import { requireCountAllowed } from './node-count.ts'
import { withQuotaPlace } from './quota-place.ts'
import { takeManagement } from './take-management.ts'
import { takeRegistration } from './take-registration.ts'
import { requireTemplateOpen, requireVolumeFits } from './template-rules.ts'

type Request = KeysRequest<unknown, CreateCluster>

/** What is kept of the cluster that a request registers. */
type Taken = { endpoint: ClusterEndpoint | null; driverState: JsonObject; credential: Secret | null }

/** @throws InvalidRequest for options of a kubeconfig that is not there, and what `takeKubeconfig` throws */
const kubeconfigFrom = async (request: Request): Promise<TakenKubeconfig | null> => {
  const { kubeconfig, context, insecure_skip_tls_verify: insecure, server_for_peers: serverForPeers } = request.body
  if (kubeconfig !== undefined) {
    return takeKubeconfig(request, { kubeconfig, context, allowInsecure: insecure ?? false, serverForPeers })
  }
  if (context === undefined && insecure === undefined && serverForPeers === undefined) return null
  throw new InvalidRequest('"context", "insecure_skip_tls_verify" and "server_for_peers" go with a "kubeconfig" only.')
}

/** @throws InvalidRequest, KubeconfigRejected, AddressForbidden */
const takenFrom = async (request: Request, { driver }: Origin): Promise<Taken> => {
  const kubeconfig = await kubeconfigFrom(request)
  const registration = takeRegistration(driver, request.body)
  return {
    endpoint: kubeconfig?.endpoint ?? null,
    driverState: registration?.state ?? {},
    credential: kubeconfig?.credential ?? registration?.credential ?? null,
  }
}

/** The role as a management cluster that a request gives to what it registers. @throws PolicyForbids, InvalidRequest */
const roleFrom = (request: Request, { driver }: Origin): ManagementRole | null => {
  const { management } = request.body
  if (management === undefined) return null
  requirePolicy(request, 'cluster:set_management')
  if (driver.capabilities.makesNodes || !driver.capabilities.kubernetesApi) {
    throw new InvalidRequest(
      `"management" goes with a cluster that is registered and has a Kubernetes API; the driver ${driver.id} makes others. Leave it out.`,
    )
  }
  return takeManagement(request.ports.drivers, management)
}

/** All that is to be stored for a new cluster. */
type Planned = ReturnType<typeof newCluster> & {
  origin: Origin
  credential: Secret | null
  /** What the cluster is made through. */
  management: ManagementCluster | null
}

/** The checks that come before the quota (magnum-rest.md 4.1). */
const plan = async (request: Request): Promise<Planned> => {
  const { ports, principal, body, minor } = request
  requireCountAllowed(body.node_count, minor)
  const origin = await chooseOrigin(request)
  const { credential, ...taken } = await takenFrom(request, origin)
  const { newId } = ports
  const deadlineSeconds = createDeadlineSeconds(createTimeoutOf(body))
  const operation = newOperation(ports, 'create', { deadlineSeconds })
  const role = roleFrom(request, origin)
  const { cluster, nodeGroups } = newCluster(body, { newId, principal, origin, operation, management: role, ...taken })
  requireLabelsFit(cluster.magnum)
  requireVolumeFits(cluster, origin.template)
  requireMasterCountOdd(body.master_count ?? 1)
  const management = await chooseManagement(ports, origin, cluster)
  const madeThrough = management && { projectId: management.projectId, id: management.id }
  return { cluster: { ...cluster, madeThrough }, nodeGroups, origin, credential, management }
}

/** What a driver is asked of it. */
const desiredOf = ({ cluster, nodeGroups, origin, management }: Planned): PlannedCluster => ({
  cluster,
  template: origin.driver.capabilities.makesNodes ? origin.template : null,
  nodeGroups,
  task: null,
  management: management && asPlanned(management),
})

/** Those that come after it, the driver's last. */
const requireMakeable = async (request: Request, planned: Planned): Promise<void> => {
  const { cluster, origin } = planned
  const { template, driver } = origin
  requireTemplateOpen(request, template)
  requireMastersReachable(request.body.master_count ?? 1, cluster.magnum.masterLbEnabled)
  const desired = desiredOf(planned)
  requireDriverAgrees(driver, desired)
  requireDelegable(request, desired)
  await askPreview(request.ports, desired)
}

const authoritiesOf = async ({ ports }: Request, { cluster, origin }: Planned): Promise<Write[]> => {
  if (!origin.driver.capabilities.certificateAuthority || cluster.magnum.tlsDisabled) return []
  const { projectId, id: clusterId, name: clusterName } = cluster
  const { authorityKeys } = origin.driver
  return sealNewAuthorities(ports, { projectId, clusterId, clusterName, authorityKeys }, { candidate: false })
}

/** What the registry of management clusters says of it. */
const managementWrites = ({ ports }: Request, { cluster, management }: Planned): Write[] => [
  ...(cluster.management ? [ports.stores.management.move(cluster, null, cluster.management)] : []),
  ...(management === null ? [] : [ports.stores.management.countUse(management.id, cluster.driver, 1)]),
]

const store = async (request: Request, planned: Planned, more: readonly Write[]): Promise<void> => {
  const { ports } = request
  const { clusters, nodeGroups, templates, credentials, commit } = ports.stores
  const { cluster, origin, credential } = planned
  await commit([
    clusters.insert(cluster),
    ...planned.nodeGroups.map((group) => nodeGroups.insert(group)),
    ...(origin.isBuiltin ? [] : [templates.countUse(origin.template, 1)]),
    ...(credential === null ? [] : [await credentials.seal(kubeconfigKey(cluster), credential)]),
    ...(await authoritiesOf(request, planned)),
    ...managementWrites(request, planned),
    ownerEvent(
      ports,
      'cluster',
      { ...cluster, revision: 0 },
      {
        action: 'create',
        outcome: 'pending',
        reason: 'Requested',
        message: `Cluster ${cluster.name} is being created.`,
      },
    ),
    ...more,
  ])
}

/** A template that was removed meanwhile is as one that never was. */
const asUnknownTemplate = (error: unknown, { body, minor }: Request): unknown =>
  error instanceof TemplateGone ? unknownTemplate(body.cluster_template_id ?? null, minor) : error

/** Decides, commits and starts; nothing is stored when anything is wrong. */
const create = async (request: Request, remember: (id: string) => Write[]): Promise<string> => {
  const planned = await plan(request)
  const { id, projectId, operation } = planned.cluster
  await withQuotaPlace(request, async () => {
    await requireMakeable(request, planned)
    await storeDelegated(request, desiredOf(planned), ({ change, writes }) =>
      store(request, { ...planned, cluster: { ...planned.cluster, ...change } }, [...remember(id), ...writes]),
    )
  }).catch((error: unknown) => {
    throw asUnknownTemplate(error, request)
  })
  if (operation !== null) {
    await launch(request.ports, { flow: 'cluster-create', projectId, entityId: id, operation })
  }
  return id
}

/** `POST /v1/clusters` (magnum-rest.md 4.1, design section 2). Readable the instant the 202 is out. */
export const createClusterHandler = async (request: Request): Promise<ApiResponse> => {
  const uuid = await createOnce(request, 'POST /v1/clusters', (remember) => create(request, remember))
  return { status: 202, body: { uuid } }
}
