import { CLUSTER_DESCRIPTIONS, FEDERATION_DESCRIPTIONS } from '../functions/drivers/descriptions.ts'
import type { PackageDrivers } from './driver-packages.ts'
import { SettingsInvalid } from './settings/errors.ts'
import type { DeploymentSettings } from './settings/settings.schema.ts'

const requireOnce = (ids: readonly string[]): void => {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice === undefined) return
  throw new SettingsInvalid(
    `The setting driverPackages brings the driver ${twice} a second time. Leave one of them out.`,
  )
}

/** @throws SettingsInvalid when enabled drivers are in neither this build nor its packages, or one is there twice */
export const requireDrivers = (
  { federationDrivers, clusterDrivers }: Pick<DeploymentSettings, 'federationDrivers' | 'clusterDrivers'>,
  packages: readonly PackageDrivers[],
): void => {
  const kinds = [
    [
      'federationDrivers',
      federationDrivers,
      [FEDERATION_DESCRIPTIONS.map(({ id }) => id), packages.flatMap((it) => it.federation)],
    ],
    [
      'clusterDrivers',
      clusterDrivers,
      [CLUSTER_DESCRIPTIONS.map(({ id }) => id), packages.flatMap((it) => it.cluster)],
    ],
  ] as const
  for (const [name, enabled = [], known] of kinds) {
    const ids: readonly string[] = known.flat()
    requireOnce(ids)
    const unknown = enabled.filter((id) => !ids.includes(id))
    if (unknown.length === 0) continue
    throw new SettingsInvalid(
      `The setting ${name} names ${unknown.join(', ')}, which is not there. Choose among ${ids.join(', ')}.`,
    )
  }
}
