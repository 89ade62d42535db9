import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import { FEDERATION_LABEL, isOwned, listAll, nameOf } from '../../../../support/owned.ts'
import { API_SERVER, COMPONENTS, ETCD } from '../names.ts'
import { claimManifests } from './etcd.ts'
import type { HostWork } from './host-work.ts'
import { deployments, services, statefulSets, volumeClaims } from './resources.ts'
import { SECRET_NAMES } from './secrets.ts'
import { serviceManifests } from './services.ts'

type Wanted = { resource: Resource; names: readonly string[] }

const wantedNames = ({ plan, namespace }: HostWork): Wanted[] => {
  const namesOf = (objects: readonly { metadata: { name: string } }[]) => objects.map(({ metadata }) => metadata.name)
  return [
    { resource: services(namespace), names: namesOf(serviceManifests(plan)) },
    { resource: deployments(namespace), names: [API_SERVER, ...COMPONENTS] },
    { resource: statefulSets(namespace), names: [ETCD] },
    { resource: volumeClaims(namespace), names: namesOf(claimManifests(plan)) },
    { resource: secrets(namespace), names: SECRET_NAMES },
  ]
}

/** In words, and of which federation it is: what one that was deleted with `keep-data` left has its label. */
const inWords = ({ site }: HostWork, object: KubernetesObject): string => {
  const owner = object.metadata.labels?.[FEDERATION_LABEL]
  return `${nameOf(site, object)}${owner === undefined ? '' : ` (of federation ${owner})`}`
}

/** Objects of others that have a name which the control plane needs, in words. */
export const takenNames = async (work: HostWork): Promise<string[]> => {
  const found = await Promise.all(
    wantedNames(work).map(async ({ resource, names }) => {
      const objects = await listAll(work.site.client, resource)
      return objects.filter((object) => names.includes(object.metadata.name) && !isOwned(work.site, object))
    }),
  )
  return found.flat().map((object) => inWords(work, object))
}
