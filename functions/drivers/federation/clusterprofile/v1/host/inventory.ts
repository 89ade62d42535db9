import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { customResourceDefinitions, secrets } from '../../../../../kubernetes/resources.ts'
import { type Located, listAll, removeAllOwned, type Site } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { PROFILE_CRD, profiles } from '../names.ts'
import { findServedVersion } from './served-version.ts'

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

/** Deletes what has these labels, except in the namespaces to keep. @throws Pending while finalizers hold something */
export const removePublished = async (
  site: Site,
  selector: string,
  keepNamespaces: readonly string[] = [],
): Promise<void> => {
  const found = await findPublished(site, selector)
  await removeAllOwned(
    site,
    found.filter(({ object }) => !keepNamespaces.includes(inNamespaceOf(object))),
  )
}
