import { byNumber, listInWords, quote } from '../../core/values/wording.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { InvalidRequest } from '../errors.ts'

/** By id, or by the name before the `@` where one driver only has it. */
const namedOf = (
  drivers: readonly ClusterDriverDescription[],
  wanted: string,
): ClusterDriverDescription | undefined => {
  const byId = drivers.find(({ id }) => id === wanted)
  if (byId !== undefined) return byId
  const byName = drivers.filter(({ id }) => id.slice(0, id.indexOf('@')) === wanted)
  return byName.length === 1 ? byName[0] : undefined
}

/**
 * The driver of a new template: the one named, or the first enabled one that makes clusters with their nodes.
 *
 * @throws InvalidRequest naming those that there are
 */
export const chooseTemplateDriver = (
  drivers: Pick<DriverDescriptions, 'cluster'>,
  wanted: string | undefined,
): ClusterDriverDescription => {
  const able = drivers.cluster.list().filter(({ capabilities }) => capabilities.makesNodes)
  const ids = able.map(({ id }) => id)
  if (able[0] === undefined) {
    throw new InvalidRequest(
      'This installation has no driver that makes clusters from templates. Register a cluster with its kubeconfig instead: POST /v1/clusters with "kubeconfig".',
    )
  }
  const driver = wanted === undefined ? able[0] : namedOf(able, wanted)
  if (driver !== undefined) return driver
  throw new InvalidRequest(
    `"driver" is ${quote(wanted ?? '')}, which is no enabled driver that makes clusters from templates. ${byNumber(ids, 'There is', 'There are')} ${listInWords(ids)}; left out, it is ${ids[0]}.`,
  )
}
