import type { ClusterDriver } from '../../drivers/contract/cluster-driver.ts'
import type { Drivers } from '../../drivers/contract/registry.ts'
import { InvalidRequest } from '../errors.ts'
import type { CreateCluster } from './cluster.schema.ts'

const forKubeconfigs = (drivers: Drivers): ClusterDriver => {
  const driver = drivers.cluster.list().find(({ capabilities }) => capabilities.needsKubeconfig)
  if (driver !== undefined) return driver
  throw new InvalidRequest('No enabled driver registers clusters from a "kubeconfig".')
}

/**
 * The driver of a new cluster: the one named, or the one for kubeconfigs.
 *
 * @throws DriverNotFound, InvalidRequest when the driver and the kubeconfig do not belong together
 */
export const chooseClusterDriver = (drivers: Drivers, body: CreateCluster): ClusterDriver => {
  const hasKubeconfig = body.kubeconfig !== undefined
  const driver = body.driver === undefined ? forKubeconfigs(drivers) : drivers.cluster.resolve(body.driver)
  if (driver.capabilities.needsKubeconfig === hasKubeconfig) return driver
  throw new InvalidRequest(
    hasKubeconfig
      ? `The driver ${driver.id} takes no "kubeconfig". Leave it out.`
      : `The driver ${driver.id} needs a "kubeconfig": the text of the file, or the same as a JSON object.`,
  )
}
