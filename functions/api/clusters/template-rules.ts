import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { quote } from '../../core/values/wording.ts'
import { PolicyForbids } from '../errors.ts'
import { isAllowed } from '../policy.ts'
import type { ApiRequest } from '../route.ts'

/** GB that the storage driver `devicemapper` needs (magnum-rest.md 4.1). */
const DEVICEMAPPER_MIN = 3

/** @throws InvalidRequest */
export const requireVolumeFits = ({ magnum }: Pick<Cluster, 'magnum'>, { spec }: ClusterTemplate): void => {
  const size = magnum.dockerVolumeSize
  if (spec.dockerStorageDriver !== 'devicemapper' || size === null || size >= DEVICEMAPPER_MIN) return
  throw new InvalidRequest(
    `"docker_volume_size" is ${size}; the storage driver devicemapper of the cluster template needs at least ${DEVICEMAPPER_MIN} GB.`,
  )
}

/** Only administrators make clusters from a hidden template (magnum-rest.md 4.1), or upgrade them to it. @throws PolicyForbids */
export const requireTemplateOpen = (
  request: Pick<ApiRequest, 'principal' | 'settings'>,
  { id, name, hidden }: ClusterTemplate,
): void => {
  if (!hidden || isAllowed(request, 'clustertemplate:publish')) return
  throw new PolicyForbids(
    `The cluster template ${quote(name ?? id)} is hidden: only an administrator may make clusters from it, or upgrade them to it (clustertemplate:publish). Use another one.`,
  )
}
