import type { OpenClusterAccess } from '../../core/access/cluster-access.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { planCluster, requireMakeable } from '../../core/cluster/create-cluster.ts'
import type { Origin } from '../../core/cluster/new-cluster.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { NewHost } from '../../core/federation/created-host.ts'
import type { Ports } from '../../core/ports.ts'
import { AppError } from '../../core/values/app-error.ts'
import { counted, quote } from '../../core/values/wording.ts'
import { originFromTemplate } from '../clusters/choose-origin.ts'
import type { CreateCluster } from '../clusters/cluster.schema.ts'
import { createRules, desiredCluster } from '../clusters/create-cluster.ts'
import { requirePolicy } from '../policy.ts'
import type { KeysRequest } from '../route.ts'
import type { Check, CheckResults } from './checks.ts'
import type { NewHostAttributes } from './federation.schema.ts'

/** A host is created where its driver creates nodes; others only register what is there. @throws InvalidRequest */
const creatingOrigin = async (request: KeysRequest<unknown, CreateCluster>, ident: string): Promise<Origin> => {
  const origin = await originFromTemplate(request, ident)
  if (origin.driver.capabilities.makesNodes) return origin
  throw new InvalidRequest(
    `The cluster template ${quote(ident)} is for the driver ${origin.driver.id}, which creates no clusters. Choose another template for "host", or register the cluster and name it as "hostcluster_id".`,
  )
}

/** `fleet-host` of a federation `fleet`; the longest names of clusters are as long as those of federations. */
const SUFFIX = '-host'
const NAME_MAX = 242
const hostNameFor = (name: string): string => `${name.slice(0, NAME_MAX - SUFFIX.length)}${SUFFIX}`

/**
 * The host that is created with a federation, as `POST /v1/clusters` would create it, and by the same rule.
 *
 * @param federationName the host is called after it; null: a name is made up
 * @throws PolicyForbids, InvalidRequest, and what the create of a cluster throws before anything is stored
 */
export const planHost = async (
  request: KeysRequest,
  { keep = false, ...attributes }: NewHostAttributes,
  federationName: string | null,
): Promise<NewHost> => {
  requirePolicy(request, 'cluster:create')
  const { cluster_template_id: ident, name = federationName === null ? undefined : hostNameFor(federationName) } =
    attributes
  const body: CreateCluster = { ...attributes, name } as CreateCluster
  const asked = { ...request, body }
  const desired = await desiredCluster(asked, () => creatingOrigin(asked, ident))
  return { planned: await planCluster(request.ports, request.principal, desired), rules: createRules(asked), keep }
}

/** What a dry run can't ask of a host that is not there. Never leaves the dry run. */
class HostNotThere extends AppError {
  override readonly name = 'HostNotThere'
  readonly kind = 'unavailable'
}

/** The host of a dry run before it exists: who asks it for something gets HostNotThere. */
export const uncheckedAccess = (cluster: Cluster): OpenClusterAccess => {
  const refused = () => Promise.reject(new HostNotThere(`The host cluster ${cluster.name} is not there yet.`))
  return { cluster, client: refused, dial: () => refused, close: () => undefined }
}

/** Whether whoever creates the host takes it, and what that makes. */
export const newHostCheck = (ports: Ports, { planned, rules }: NewHost): Check => {
  const { cluster, desired } = planned
  const { nodeCount, masterCount, origin } = desired
  return {
    cluster,
    run: async () => {
      await requireMakeable(ports, planned, rules)
      return {
        findings: [
          {
            severity: 'warning',
            reason: 'HostNotThere',
            message: `The host cluster ${cluster.name} is checked once it is created; what it lacks ends the create then.`,
          },
        ],
        wouldMake: [
          `the cluster, through ${origin.driver.id}, with ${counted(masterCount, 'control plane node')} and ${counted(nodeCount, 'worker')}`,
        ],
      }
    },
  }
}

const HOST_NOT_THERE: HostNotThere['name'] = 'HostNotThere'

/** Without what could not be asked of the host on behalf of members, and without an id that no cluster has yet. */
export const withoutHost = ({ findings, wouldMake }: CheckResults, { id }: Pick<Cluster, 'id'>): CheckResults => ({
  wouldMake,
  findings: findings
    .filter(({ reason, clusterId }) => reason !== HOST_NOT_THERE || clusterId === id)
    .map((finding) => (finding.clusterId === id ? { ...finding, clusterId: null } : finding)),
})
