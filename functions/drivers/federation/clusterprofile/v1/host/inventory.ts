import type { Federation } from '../../../../../core/federation/federation.ts'
import { shortId } from '../../../../../core/values/ids.ts'
import type { ObjectRef } from '../../../../../core/values/object-ref.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { customResourceDefinitions, namespaces, roles, secrets } from '../../../../../kubernetes/resources.ts'
import type { FederationContext, FederationObservation } from '../../../../contract/federation-driver.ts'
import { ensureNamespace } from '../../../../support/namespace.ts'
import {
  ensureOwned,
  federationSelector,
  hostSite,
  isTerminating,
  type Located,
  listAll,
  ownerLabels,
  refOf,
  removeAllOwned,
  type Site,
} from '../../../../support/owned.ts'
import { servedOf } from '../../../../support/pages.ts'
import { Pending, type Trace } from '../../../../support/step.ts'
import {
  CLUSTER_LABEL,
  PROFILE_CRD,
  PROFILE_GROUP,
  PROFILE_VERSIONS,
  type ProfileVersion,
  profiles,
  READER_ROLE,
} from '../names.ts'
import { inventoryNamespace, parseProperties } from '../schema.ts'

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

/** Secrets of all namespaces, for lists by label. */
const ALL_SECRETS: Resource = { group: '', version: 'v1', plural: 'secrets' }

const inNamespaceOf = (object: KubernetesObject): string => object.metadata.namespace ?? ''

/** What is not served for a while is not gone. @throws Pending while ClusterProfiles are still defined */
const requireUndefined = async ({ client }: Site): Promise<void> => {
  if ((await client.get(customResourceDefinitions, PROFILE_CRD)) === undefined) return
  throw new Pending(`the host to serve a version of the CustomResourceDefinition ${PROFILE_CRD} that is known here`)
}

/**
 * Profiles and Secrets with these labels, wherever in the host they are: also in namespaces that are consumers' no more. Profiles
 * first, because consumers should lose sight of a member before its token goes.
 */
const findPublished = async (site: Site, selector: string): Promise<Located[]> => {
  const version = await findServedVersion(site.client)
  if (version === undefined) await requireUndefined(site)
  const found = version === undefined ? [] : await listAll(site.client, profiles(version), selector)
  const tokens = await listAll(site.client, ALL_SECRETS, selector)
  return [
    ...found.map((object) => ({
      resource: profiles(version ?? 'v1alpha1', inNamespaceOf(object)),
      object,
    })),
    ...tokens.map((object) => ({ resource: secrets(inNamespaceOf(object)), object })),
  ]
}

/** What was published, and where. */
export type Published = {
  /** Of one member, or of the federation as a whole. */
  selector: string
  federation: Federation
  /** Name of the member in the inventory; undefined: any. */
  memberName?: string
  /** Noted as made, in whatever namespace: also in those that are consumers' no more. */
  made: readonly ObjectRef[]
  /** Namespaces in which it stays. */
  keepNamespaces?: readonly string[]
}

/** Labels are copied: consumers give those of a profile to what they make of it. What is ours also has the name, and the place or the uid. */
const isPublished = ({ federation, memberName, made }: Published, { metadata }: KubernetesObject): boolean => {
  const { namespace = '', name, uid } = metadata
  if (namespace === inventoryNamespace(federation.id)) return memberName === undefined || name === memberName
  const ending = `-${shortId(federation.id)}`
  const isNamed = memberName === undefined ? name.endsWith(ending) : name === `${memberName}${ending}`
  const isPlaced = parseProperties(federation.properties).consumerNamespaces.includes(namespace)
  return isNamed && (isPlaced || made.some((ref) => ref.uid !== '' && ref.uid === uid))
}

/** Deletes what was published, except in the namespaces to keep. @throws Pending while finalizers hold something */
export const removePublished = async (site: Site, published: Published): Promise<void> => {
  const { selector, keepNamespaces = [] } = published
  const found = await findPublished(site, selector)
  await removeAllOwned(
    site,
    found.filter(({ object }) => !keepNamespaces.includes(inNamespaceOf(object)) && isPublished(published, object)),
  )
}

/**
 * The inventory as it is: a host that is away is a fault of the control plane, which it is, and a member without a profile is one that is not known. What
 * the profiles say is observed with each member.
 */
export const observe = async (context: FederationContext): Promise<FederationObservation> => {
  const { id } = context.federation
  const { client } = await hostSite(context)
  const version = await findServedVersion(client)
  if (version === undefined) {
    const message = `The host serves no ClusterProfiles (${PROFILE_GROUP}). Change a property of the federation to install them again.`
    return { fault: { reason: 'ClusterProfilesNotServed', message }, members: new Map() }
  }
  const found = await listAll(client, profiles(version, inventoryNamespace(id)), federationSelector(id))
  const known = found.flatMap(({ metadata: { labels } }) => labels?.[CLUSTER_LABEL] ?? [])
  return { fault: null, members: new Map(known.map((clusterId) => [clusterId, { state: 'ready' }])) }
}

/** What a reader of the inventory needs: see the phase `access`. */
export const readerRole = (federationId: string): Manifest<'Role'> => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: READER_ROLE, namespace: inventoryNamespace(federationId), labels: ownerLabels(federationId) },
  rules: [
    { apiGroups: [PROFILE_GROUP], resources: ['clusterprofiles'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  ],
})

/** Makes the inventory again where somebody deleted it: nothing is asked of one that is there but whether it is. */
export const ensureInventory = async (site: Site, trace: Trace): Promise<void> => {
  const name = inventoryNamespace(site.federationId)
  const existing = await site.client.get(namespaces, name)
  if (existing !== undefined && !isTerminating(existing)) return
  trace.made(refOf(site, await ensureNamespace(site, name, existing)))
  trace.made(refOf(site, await ensureOwned(site, roles(name), readerRole(site.federationId))))
}
