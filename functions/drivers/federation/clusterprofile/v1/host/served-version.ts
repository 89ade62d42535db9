import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import { servedOf } from '../../../../support/discovery.ts'
import { PROFILE_GROUP, PROFILE_VERSIONS, type ProfileVersion, profiles } from '../names.ts'

/** True when discovery lists ClusterProfiles under this version; other CRDs of the group may serve it without them. @throws as `servedOf` */
export const isDiscoverable = async (client: KubernetesClient, version: ProfileVersion): Promise<boolean> => {
  const { group, plural } = profiles(version)
  return (await servedOf(client, { group, version })).has(plural)
}

/** The version to use on this host: the preferred one that discovery lists; undefined when there is none. @throws as `servedOf` */
export const findServedVersion = async (client: KubernetesClient): Promise<ProfileVersion | undefined> => {
  for (const version of PROFILE_VERSIONS) {
    if (await isDiscoverable(client, version)) return version
  }
  return undefined
}

/** As `findServedVersion`. @throws ObjectNotFound when the host has no ClusterProfiles: somebody removed the CRD */
export const servedVersion = async (client: KubernetesClient): Promise<ProfileVersion> => {
  const version = await findServedVersion(client)
  if (version !== undefined) return version
  throw new ObjectNotFound(
    `The host serves no ClusterProfiles (${PROFILE_GROUP}/${PROFILE_VERSIONS.join(' or ')}): its CustomResourceDefinition is gone. ` +
      'Change a property of the federation to install it again.',
  )
}
