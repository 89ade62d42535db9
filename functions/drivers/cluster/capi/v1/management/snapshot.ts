import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ObjectNotFound, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { settleAll } from '../../../../support/step.ts'
import {
  CLUSTER_NAME_LABEL,
  clusters,
  controlPlanes,
  machineDeployments,
  machines,
  openStackServers,
} from '../model/names.ts'
import {
  CapiCluster,
  ControlPlane,
  isTrue,
  Machine,
  MachineDeployment,
  OpenStackServer,
  readAs,
} from './objects.schema.ts'
import { type CapiSite, getServed, listLabelled, listServed } from './site.ts'

/** All that is read of one cluster in its management cluster. */
export type Snapshot = {
  /** As it was read; undefined when there is none. */
  object: KubernetesObject | undefined
  cluster: CapiCluster | undefined
  controlPlane: ControlPlane | undefined
  deployments: readonly MachineDeployment[]
  machines: readonly Machine[]
  /** Of machines that are not well; empty on other infrastructures, and where they may not be read. */
  servers: readonly OpenStackServer[]
}

type Place = CapiSite & { where: string }

/** Only their words are wanted: a CAPO without them, or a role that leaves them out, costs no more than that. */
const readServers = async (site: Place): Promise<OpenStackServer[]> => {
  const { names, where } = site
  try {
    const selector = `${CLUSTER_NAME_LABEL}=${names.cluster}`
    const found = await listLabelled(site, openStackServers(names.namespace), selector)
    return found.map((server) => readAs(where, OpenStackServer, server))
  } catch (error) {
    if (error instanceof ObjectNotFound || error instanceof PermissionDenied) return []
    throw error
  }
}

/** Four calls side by side, and one more while a machine of OpenStack is not well. What is not there, or whose namespace is not, is absent. @throws ManagementUnreachable, also for objects of another shape */
export const readSnapshot = async (site: Place): Promise<Snapshot> => {
  const { names, infrastructure, where } = site
  const { cluster: name, namespace } = names
  const listed = (resource: Resource) => (): Promise<KubernetesObject[]> =>
    listServed(site, resource, `${CLUSTER_NAME_LABEL}=${name}`)
  const [object, planes, deployments, found] = await settleAll([
    () => getServed(site, clusters(namespace), name),
    listed(controlPlanes(namespace)),
    listed(machineDeployments(namespace)),
    listed(machines(namespace)),
  ])
  const [plane] = planes
  const parsed = found.map((machine) => readAs(where, Machine, machine))
  const isTroubled = infrastructure === 'openstack' && parsed.some((machine) => !isTrue(machine, 'Ready'))
  return {
    object,
    cluster: object && readAs(where, CapiCluster, object),
    controlPlane: plane && readAs(where, ControlPlane, plane),
    deployments: deployments.map((deployment) => readAs(where, MachineDeployment, deployment)),
    machines: parsed,
    servers: isTroubled ? await readServers(site) : [],
  }
}
