import type { JsonObject } from '../../../../../../core/values/json.ts'
import { compact } from '../compact.ts'
import { cloudReference, flavorReference } from '../references.ts'
import { disksOf } from '../volumes.ts'
import type { GroupWish } from '../wish.ts'
import { extraNetworks } from './networks.ts'

/** The root disk is a volume when its size is said, else it is the flavor's. */
const rootVolume = ({ own }: GroupWish) =>
  own.boot_volume_size === 0
    ? undefined
    : {
        sizeGiB: own.boot_volume_size,
        type: own.boot_volume_type,
        availabilityZone:
          own.boot_volume_availability_zone === undefined
            ? undefined
            : { from: 'Name', name: own.boot_volume_availability_zone },
      }

/** Workers may have further networks. Once ports are named, the one in the cluster's network must be too: the first, which names no network. */
const ports = (desired: GroupWish) => {
  const networks = extraNetworks(desired)
  if (networks.length === 0) return undefined
  return [
    { nameSuffix: 'cluster' },
    ...networks.map((network, index) => ({ nameSuffix: `extra-${index + 1}`, network: cloudReference(network) })),
  ]
}

/** `spec` of the OpenStackMachines of a group. Another one makes new machines. */
export const openStackMachineSpec = (desired: GroupWish): JsonObject =>
  compact({
    ...flavorReference(desired.group.flavorId),
    image: cloudReference(desired.image),
    sshKeyName: desired.plan.cluster.magnum.keypair,
    rootVolume: rootVolume(desired),
    additionalBlockDevices: disksOf(desired).map(({ name, gigabytes, storage }) => ({
      name,
      sizeGiB: gigabytes,
      storage,
    })),
    ports: ports(desired),
  })
