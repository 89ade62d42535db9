import * as z from 'zod'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import { PROFILE_GROUP, PROFILE_VERSIONS, type ProfileVersion } from '../names.ts'

const ResourceList = z.object({ resources: z.array(z.object({ name: z.string() })) })

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** True when discovery lists ClusterProfiles under this version; other CRDs of the group may serve it without them. */
export const isDiscoverable = async (client: KubernetesClient, version: ProfileVersion): Promise<boolean> => {
  const { status, body } = await client.raw(`/apis/${PROFILE_GROUP}/${version}`)
  if (status !== 200) return false
  const list = ResourceList.safeParse(parse(body))
  return list.success && list.data.resources.some((resource) => resource.name === 'clusterprofiles')
}

/** The version to use on this host: the preferred one that discovery lists; undefined when there is none. */
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
