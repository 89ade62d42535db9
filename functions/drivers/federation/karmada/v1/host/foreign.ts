import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { roleBindings, roles, secrets, serviceAccounts } from '../../../../../kubernetes/resources.ts'
import { FEDERATION_LABEL, isOwned, listAll, nameOf, type Site } from '../../../../support/owned.ts'
import { API_SERVER, COMPONENTS, ETCD } from '../model/names.ts'
import { claimManifests } from './etcd.ts'
import type { HostWork } from './host-work.ts'
import {
  configMaps,
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  pods,
  services,
  statefulSets,
  volumeClaims,
} from './plan.ts'
import { SECRET_NAMES } from './secrets.ts'
import { serviceManifests } from './services.ts'

type Kind = { of(namespace: string): Resource; isUsual?(object: KubernetesObject): boolean }

const named =
  (...names: string[]) =>
  ({ metadata }: KubernetesObject): boolean =>
    names.includes(metadata.name)

/** What Kubernetes itself and its distributions put into every namespace. */
const isTokenSecret = ({ type }: KubernetesObject): boolean =>
  type === 'kubernetes.io/service-account-token' || type === 'kubernetes.io/dockercfg'
const isSystem = ({ metadata }: KubernetesObject): boolean => metadata.name.startsWith('system:')

/** What counts as somebody else's: kinds that people or their tools make. */
const KINDS: readonly Kind[] = [
  { of: deployments },
  { of: statefulSets },
  { of: daemonSets },
  { of: jobs },
  { of: cronJobs },
  { of: pods },
  { of: services },
  { of: volumeClaims },
  { of: secrets, isUsual: isTokenSecret },
  { of: configMaps, isUsual: named('kube-root-ca.crt', 'openshift-service-ca.crt', 'istio-ca-root-cert') },
  { of: serviceAccounts, isUsual: named('default', 'builder', 'deployer') },
  { of: roles },
  { of: roleBindings, isUsual: isSystem },
]

const foreignOf = async (site: Site, namespace: string, { of, isUsual }: Kind): Promise<string[]> => {
  try {
    return (await listAll(site.client, of(namespace)))
      .filter((object) => !isOwned(site, object) && isUsual?.(object) !== true)
      .map((object) => nameOf(site, object))
  } catch (error) {
    // What we may not see we may not delete either.
    if (error instanceof PermissionDenied) return [`${of(namespace).plural} that we may not list`]
    throw error
  }
}

/** What lives in the namespace and is not this federation's, in words. */
export const foreignThings = async (site: Site, namespace: string): Promise<string[]> =>
  (await Promise.all(KINDS.map((kind) => foreignOf(site, namespace, kind)))).flat()

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
const takenNames = async (work: HostWork): Promise<string[]> => {
  const found = await Promise.all(
    wantedNames(work).map(async ({ resource, names }) => {
      const objects = await listAll(work.site.client, resource)
      return objects.filter((object) => names.includes(object.metadata.name) && !isOwned(work.site, object))
    }),
  )
  return found.flat().map((object) => inWords(work, object))
}

/** Id of the federation that made the namespace. */
export const ownerOf = ({ metadata }: KubernetesObject): string | undefined => metadata.labels?.[FEDERATION_LABEL]

/** Id of the federation that uses a namespace which it did not make: an annotation, since the label says whose it is to remove. */
export const USED_BY = 'fedplane.io/used-by'
export const userOf = ({ metadata }: KubernetesObject): string | undefined => metadata.annotations?.[USED_BY]

const foreignOwner = (work: HostWork, namespace: KubernetesObject): string | null => {
  const name = nameOf(work.site, namespace)
  const owner = ownerOf(namespace)
  if (owner !== undefined && owner !== work.site.federationId) {
    return `${name} belongs to federation ${owner}. Choose another one in property namespace, or delete that federation and what it left.`
  }
  const user = userOf(namespace)
  if (user === undefined || user === work.site.federationId) return null
  return (
    `${name} is used by federation ${user}. Choose another one in property namespace, or delete that federation; if it is gone, remove ` +
    `the annotation: kubectl annotate namespace ${work.namespace} ${USED_BY}-`
  )
}

/** Why an existing namespace can't be used, as a whole sentence; null when it can. */
export const namespaceFault = async (work: HostWork, namespace: KubernetesObject): Promise<string | null> => {
  const fault = foreignOwner(work, namespace)
  if (fault !== null) return fault
  const taken = await takenNames(work)
  if (taken.length === 0) return null
  return `${nameOf(work.site, namespace)} holds objects of others under names that the control plane needs: ${taken.join(', ')}. Choose another namespace, or remove them.`
}
