import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { namespaces, secrets } from '../../../../../kubernetes/resources.ts'
import { agrees, covers, ensureOwned, isOwned, isTerminating, refOf, type Site } from '../../../../support/owned.ts'
import { Pending, type Trace } from '../../../../support/step.ts'
import {
  CLUSTER_MANAGER,
  CLUSTER_MANAGER_LABEL,
  MEMBER_ID_LABEL,
  memberLabels,
  type Placement,
  PROFILE_GROUP,
  PROFILE_KIND,
  type ProfileVersion,
  profiles,
  TOKEN_KEY,
} from '../names.ts'
import { type MemberContent, type ProfileStatus, statusFor, statusOf } from './content.ts'

/** Field manager of the status, so that other writers of it (KEP: one for each concern) keep their entries. */
const STATUS_MANAGER = 'fedplane-status'

/** What is written for one member at one place. */
export type Publication = {
  content: MemberContent
  /** base64, as in the Secret's `data`. */
  token: string
  placement: Placement
  version: ProfileVersion
}

const labelsOf = (site: Site, { clusterId }: MemberContent): Record<string, string> =>
  memberLabels({ federationId: site.federationId, clusterId })

const secretManifest = (site: Site, { content, token, placement }: Publication): Manifest<'Secret'> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...placement, labels: labelsOf(site, content) },
  type: 'Opaque',
  data: { [TOKEN_KEY]: token },
})

const profileManifest = (
  site: Site,
  { content, placement, version }: Omit<Publication, 'token'>,
): KubernetesObject => ({
  apiVersion: `${PROFILE_GROUP}/${version}`,
  kind: PROFILE_KIND,
  metadata: {
    ...placement,
    labels: {
      ...labelsOf(site, content),
      [CLUSTER_MANAGER_LABEL]: CLUSTER_MANAGER,
      [MEMBER_ID_LABEL]: content.memberUid,
    },
  },
  spec: { displayName: content.displayName, clusterManager: { name: CLUSTER_MANAGER } },
})

/** Keyed lists: every wanted entry is there, and none besides. One too many may be ours, from a property that is gone. */
const sameEntries = <T>(actual: readonly T[], desired: readonly T[], key: keyof T): boolean =>
  actual.length === desired.length &&
  desired.every((entry) => {
    const found = actual.find((candidate) => candidate[key] === entry[key])
    return agrees(found, entry)
  })

const isCurrent = (actual: ProfileStatus, desired: ProfileStatus): boolean =>
  sameEntries(actual.conditions, desired.conditions, 'type') &&
  sameEntries(actual.properties, desired.properties, 'name') &&
  sameEntries(actual.accessProviders, desired.accessProviders, 'name') &&
  actual.version?.kubernetes === desired.version?.kubernetes

/** Keeps `lastTransitionTime` of what is published while the status of a condition stays. */
const withTransitions = (content: MemberContent, published: ProfileStatus): MemberContent => ({
  ...content,
  conditions: content.conditions.map((condition) => {
    const before = published.conditions.find((candidate) => candidate.type === condition.type)
    return before?.status === condition.status
      ? { ...condition, lastTransitionTime: before.lastTransitionTime }
      : condition
  }),
})

/** The profile at a place, if it is ours and stays. */
export const findProfile = async (
  site: Site,
  version: ProfileVersion,
  { namespace, name }: Placement,
): Promise<KubernetesObject | undefined> => {
  const profile = await site.client.get(profiles(version, namespace), name)
  return profile !== undefined && isOwned(site, profile) && !isTerminating(profile) ? profile : undefined
}

/**
 * Writes the name and identity of the member into a profile that is there, when they differ. One that is gone meanwhile is not made again.
 *
 * @throws ObjectNotFound when it is gone
 */
export const publishSpec = async (
  site: Site,
  profile: KubernetesObject,
  publication: Omit<Publication, 'token'>,
): Promise<void> => {
  const { spec, metadata } = profileManifest(site, publication)
  const { labels } = metadata
  if (covers(profile, { spec, metadata: { labels } })) return
  const { placement, version } = publication
  await site.client.patch(profiles(version, placement.namespace), placement.name, { spec, metadata: { labels } })
}

/**
 * Writes the status of a profile that is there, when it differs. One that is gone meanwhile is not made again.
 *
 * @throws ObjectNotFound when it is gone
 */
export const publishStatus = async (
  site: Site,
  profile: KubernetesObject,
  publication: Omit<Publication, 'token'>,
): Promise<void> => {
  const { content, placement, version } = publication
  const published = statusOf(profile)
  const status = statusFor(withTransitions(content, published), placement.name)
  if (isCurrent(published, status)) return
  await site.client.apply(
    profiles(version, placement.namespace),
    { apiVersion: `${PROFILE_GROUP}/${version}`, kind: PROFILE_KIND, metadata: { ...placement }, status },
    { fieldManager: STATUS_MANAGER, subresource: 'status' },
  )
}

/** Waits for a consumer's namespace: it is the operator's, never made here. */
export const requireNamespace = async (site: Site, name: string): Promise<void> => {
  if ((await site.client.get(namespaces, name)) === undefined) {
    throw new Pending(`the consumer namespace ${name}, which does not exist in the host`)
  }
}

/**
 * Writes what differs: Secret first, so that whoever sees the profile finds its token.
 *
 * @throws ForeignObject when a Secret or profile of that name is not ours
 */
export const publish = async (site: Site, trace: Trace, publication: Publication): Promise<void> => {
  const { placement, version } = publication
  const secret = await ensureOwned(site, secrets(placement.namespace), secretManifest(site, publication))
  trace.made(refOf(site, secret))
  const manifest = profileManifest(site, publication)
  const profile = await ensureOwned(site, profiles(version, placement.namespace), manifest)
  trace.made(refOf(site, profile))
  await publishStatus(site, profile, publication)
}
