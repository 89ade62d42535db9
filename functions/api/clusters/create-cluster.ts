import type { ClusterEndpoint } from '../../domain/cluster.ts'
import { createDeadlineSeconds } from '../../domain/deadlines.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { Secret } from '../../domain/secret.ts'
import { sealNewAuthorities } from '../../operations/certificate-authority.ts'
import { kubeconfigKey } from '../../operations/credentials.ts'
import { ownerEvent } from '../../operations/events.ts'
import { launch, newOperation } from '../../operations/operation.ts'
import { TemplateGone } from '../../store/errors.ts'
import type { Write } from '../../store/write.ts'
import { InvalidRequest } from '../errors.ts'
import { createOnce } from '../idempotency.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { chooseOrigin, type Origin, unknownTemplate } from './choose-origin.ts'
import type { CreateCluster } from './cluster.schema.ts'
import { demandDriverAgrees } from './driver-rules.ts'
import { type TakenKubeconfig, takeKubeconfig } from './intake.ts'
import { createTimeoutOf, newCluster } from './new-cluster.ts'
import { demandCountAllowed, demandMasterCountOdd, demandMastersReachable } from './node-count.ts'
import { withQuotaPlace } from './quota-place.ts'
import { takeRegistration } from './take-registration.ts'
import { demandTemplateOpen, demandVolumeFits } from './template-rules.ts'

type Request = KeysRequest<unknown, CreateCluster>

/** What is kept of the cluster that a request registers. */
type Taken = { endpoint: ClusterEndpoint | null; driverState: JsonObject; credential: Secret | null }

/** @throws InvalidRequest for options of a kubeconfig that is not there, and what `takeKubeconfig` throws */
const kubeconfigFrom = (request: Request): TakenKubeconfig | null => {
  const { kubeconfig, context, insecure_skip_tls_verify: insecure, server_for_peers: serverForPeers } = request.body
  if (kubeconfig !== undefined) {
    return takeKubeconfig(request, { kubeconfig, context, allowInsecure: insecure ?? false, serverForPeers })
  }
  if (context === undefined && insecure === undefined && serverForPeers === undefined) return null
  throw new InvalidRequest('"context", "insecure_skip_tls_verify" and "server_for_peers" go with a "kubeconfig" only.')
}

/** @throws InvalidRequest, KubeconfigRejected, AddressForbidden */
const takenFrom = (request: Request, { driver }: Origin): Taken => {
  const kubeconfig = kubeconfigFrom(request)
  const registration = takeRegistration(driver, request.body)
  return {
    endpoint: kubeconfig?.endpoint ?? null,
    driverState: registration?.state ?? {},
    credential: kubeconfig?.credential ?? registration?.credential ?? null,
  }
}

/** All that is to be stored for a new cluster. */
type Planned = ReturnType<typeof newCluster> & { origin: Origin; credential: Secret | null }

/** The checks that come before the quota (magnum-rest.md 4.1). */
const plan = async (request: Request): Promise<Planned> => {
  const { ports, principal, body, minor } = request
  demandCountAllowed(body.node_count, minor)
  const origin = await chooseOrigin(request)
  const { credential, ...taken } = takenFrom(request, origin)
  const { newId } = ports
  const deadlineSeconds = createDeadlineSeconds(createTimeoutOf(body))
  const operation = newOperation(ports, 'create', { deadlineSeconds })
  const made = newCluster(body, { newId, principal, origin, operation, ...taken })
  demandVolumeFits(made.cluster, origin.template)
  demandMasterCountOdd(body.master_count ?? 1)
  return { ...made, origin, credential }
}

/** Those that come after it. */
const demandMakeable = (request: Request, { cluster, nodeGroups, origin }: Planned): void => {
  const { template, driver } = origin
  demandTemplateOpen(request, template)
  demandMastersReachable(request.body.master_count ?? 1, cluster.magnum.masterLbEnabled)
  const { makesNodes } = driver.capabilities
  demandDriverAgrees(driver, { cluster, template: makesNodes ? template : null, nodeGroups, task: null })
}

const authoritiesOf = async ({ ports }: Request, { cluster, origin }: Planned): Promise<Write[]> => {
  if (!origin.driver.capabilities.certificateAuthority || cluster.magnum.tlsDisabled) return []
  const { projectId, id, name } = cluster
  return sealNewAuthorities(ports, { projectId, clusterId: id, clusterName: name }, { candidate: false })
}

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
    demandMakeable(request, planned)
    await store(request, planned, remember(id))
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
