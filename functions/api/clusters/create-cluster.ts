import type { ManagementRole } from '../../core/cluster/cluster.ts'
import { type CreateRules, createCluster, type NewCluster } from '../../core/cluster/create-cluster.ts'
import { CLUSTER_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import type { Origin } from '../../core/cluster/new-cluster.ts'
import type { TakenKubeconfig } from '../../core/cluster/replace-kubeconfig.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { givenOf } from '../../core/values/attributes.ts'
import { TemplateGone } from '../../store/errors.ts'
import { requireDelegable, storeDelegated } from '../cloud/delegate.ts'
import { requireTemplateOpen } from '../clustertemplates/access.ts'
import { createOnce } from '../idempotency.ts'
import { requirePolicy } from '../policy.ts'
import { clusterLimit } from '../quotas/read-quotas.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { chooseOrigin, unknownTemplate } from './choose-origin.ts'
import type { CreateCluster } from './cluster.schema.ts'
import { requireCountAllowed } from './node-count.ts'
import { takeKubeconfig, takeManagement, takeRegistration } from './registration.ts'

type Request = KeysRequest<unknown, CreateCluster>

/** @throws InvalidRequest for options of a kubeconfig that is not there, and what `takeKubeconfig` throws */
const kubeconfigFrom = async (request: Request): Promise<TakenKubeconfig | null> => {
  const { kubeconfig, context, insecure_skip_tls_verify: insecure, server_for_peers: serverForPeers } = request.body
  if (kubeconfig !== undefined) {
    return takeKubeconfig(request, { kubeconfig, context, allowInsecure: insecure ?? false, serverForPeers })
  }
  if (context === undefined && insecure === undefined && serverForPeers === undefined) return null
  throw new InvalidRequest('"context", "insecure_skip_tls_verify" and "server_for_peers" go with a "kubeconfig" only.')
}

type Taken = Pick<NewCluster, 'endpoint' | 'driverState' | 'credential'>

/** What is kept of the cluster that a request registers. @throws InvalidRequest, KubeconfigRejected, AddressForbidden */
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
  requirePolicy(request, CLUSTER_ATTRIBUTES.management.rule)
  if (driver.capabilities.makesNodes || !driver.capabilities.kubernetesApi) {
    throw new InvalidRequest(
      `"management" goes with a cluster that is registered and has a Kubernetes API; the driver ${driver.id} makes others. Leave it out.`,
    )
  }
  return takeManagement(request.ports.drivers, management)
}

/** What a request asks for, with Magnum's defaults (magnum-rest.md 4.1). @throws InvalidRequest, and what the intake throws */
export const desiredCluster = async (
  request: Request,
  chooseFrom: (request: Request) => Promise<Origin> = chooseOrigin,
): Promise<NewCluster> => {
  const { body, minor } = request
  requireCountAllowed(body.node_count, minor)
  const origin = await chooseFrom(request)
  const taken = await takenFrom(request, origin)
  return {
    name: body.name,
    origin,
    nodeCount: body.node_count ?? CLUSTER_ATTRIBUTES.node_count.default,
    masterCount: body.master_count ?? CLUSTER_ATTRIBUTES.master_count.default,
    attributes: givenOf(CLUSTER_ATTRIBUTES, body),
    mergeLabels: body.merge_labels ?? false,
    ...taken,
    management: roleFrom(request, origin),
  }
}

/** A template that was removed meanwhile is as one that never was. */
const asUnknownTemplate = (error: unknown, { body, minor }: Request): unknown =>
  error instanceof TemplateGone ? unknownTemplate(body.cluster_template_id ?? null, minor) : error

/** What the create of a cluster asks of a request. */
export const createRules = (request: Request): CreateRules => ({
  limit: () => clusterLimit(request),
  requireTemplateOpen: requireTemplateOpen(request),
  requireDelegable: requireDelegable(request),
  storeDelegated: storeDelegated(request),
})

/** `POST /v1/clusters` → 202 (magnum-rest.md 4.1, design section 2). Readable the instant the 202 is out. */
export const createClusterHandler = async (request: Request): Promise<ApiResponse> => {
  const { ports, principal } = request
  const rules = createRules(request)
  const uuid = await createOnce(request, 'POST /v1/clusters', async (remember) => {
    const desired = await desiredCluster(request)
    const { id } = await createCluster(ports, principal, desired, { ...rules, remember }).catch((error: unknown) => {
      throw asUnknownTemplate(error, request)
    })
    return id
  })
  return { status: 202, body: { uuid } }
}
