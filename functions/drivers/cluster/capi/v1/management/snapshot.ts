import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { listAll } from '../../../../support/owned.ts'
import { together } from '../../../../support/together.ts'
import type { ClusterNames } from '../render/names.ts'
import { CapiCluster, ControlPlane, Machine, MachineDeployment } from './objects.schema.ts'
import { CLUSTER_NAME_LABEL, clusters, controlPlanes, machineDeployments, machines } from './resources.ts'

/** All that is read of one cluster in its management cluster. */
export type Snapshot = {
  /** As it was read; undefined when there is none. */
  object: KubernetesObject | undefined
  cluster: CapiCluster | undefined
  controlPlane: ControlPlane | undefined
  deployments: readonly MachineDeployment[]
  machines: readonly Machine[]
}

/** A place in a management cluster. */
export type CapiSite = { client: KubernetesClient; names: ClusterNames }

/** Four calls side by side. What is not there, or whose namespace is not, is absent. @throws errors of reaching the management cluster */
export const readSnapshot = async ({ client, names }: CapiSite): Promise<Snapshot> => {
  const { cluster: name, namespace } = names
  const listed = (resource: Resource) => (): Promise<KubernetesObject[]> =>
    listAll(client, resource, `${CLUSTER_NAME_LABEL}=${name}`)
  const [object, planes, deployments, found] = await together([
    () => client.get(clusters(namespace), name),
    listed(controlPlanes(namespace)),
    listed(machineDeployments(namespace)),
    listed(machines(namespace)),
  ])
  const [plane] = planes
  return {
    object,
    cluster: object && CapiCluster.parse(object),
    controlPlane: plane && ControlPlane.parse(plane),
    deployments: deployments.map((deployment) => MachineDeployment.parse(deployment)),
    machines: found.map((machine) => Machine.parse(machine)),
  }
}
