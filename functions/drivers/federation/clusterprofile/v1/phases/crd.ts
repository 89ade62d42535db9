import * as z from 'zod'
import { withoutFullStop } from '../../../../../core/values/wording.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ApiThrottled, ApiUnavailable, ObjectNotFound } from '../../../../../kubernetes/errors.ts'
import { customResourceDefinitions } from '../../../../../kubernetes/resources.ts'
import { ForeignObject } from '../../../../contract/errors.ts'
import type { FederationContext } from '../../../../contract/federation-driver.ts'
import type { Phase } from '../../../../contract/phase.ts'
import { isTerminating, MANAGED_BY, MANAGED_BY_LABEL } from '../../../../support/owned.ts'
import { Pending, step } from '../../../../support/step.ts'
import { CRD_EDITION, CRD_EDITION_ANNOTATION, crdManifest } from '../crd/manifest.ts'
import { isDiscoverable } from '../host/inventory.ts'
import { PROFILE_CRD, PROFILE_VERSIONS, type ProfileVersion, profiles } from '../names.ts'

/** First minor whose API server compiles the CEL `format` library in a new CRD. */
const CEL_FORMAT_MINOR = 32

const Status = z.object({ properties: z.record(z.string(), z.unknown()) })
const Crd = z.object({
  spec: z.object({
    versions: z.array(
      z.object({
        name: z.string(),
        served: z.boolean(),
        schema: z.object({
          openAPIV3Schema: z.object({ properties: z.object({ status: Status }) }),
        }),
      }),
    ),
  }),
  // A new CRD has `conditions: null` until the API server has checked it.
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish() }).optional(),
})

/** Versions that the CRD serves and that have `status.accessProviders` (cluster-inventory-api v0.1.0 and later). */
const usableVersions = (crd: KubernetesObject): ProfileVersion[] => {
  const parsed = Crd.safeParse(crd)
  if (!parsed.success) return []
  const served = parsed.data.spec.versions
    .filter((version) => version.served)
    .filter((version) => 'accessProviders' in version.schema.openAPIV3Schema.properties.status.properties)
    .map((version) => version.name)
  return PROFILE_VERSIONS.filter((version) => served.includes(version))
}

/** Why a CRD that others installed can't be used; undefined when it can. */
export const crdFault = (crd: KubernetesObject): string | undefined =>
  usableVersions(crd).length > 0
    ? undefined
    : `The CustomResourceDefinition ${PROFILE_CRD} was not installed by fedplane, so it is not changed, and no version that it serves ` +
      'has status.accessProviders. Update it to cluster-inventory-api v0.1.0 or later, or remove it.'

export const isOurCrd = (crd: KubernetesObject): boolean => crd.metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY

/** Ours, of an edition before this one: the phase brings it up to date. */
export const isOutdated = (crd: KubernetesObject): boolean =>
  isOurCrd(crd) && Number(crd.metadata.annotations?.[CRD_EDITION_ANNOTATION] ?? 0) < CRD_EDITION

const install = async (client: KubernetesClient): Promise<KubernetesObject> => {
  const { major, minor } = await client.version()
  const cel = major !== null && minor !== null && (major > 1 || minor >= CEL_FORMAT_MINOR)
  return client.apply(customResourceDefinitions, crdManifest({ cel }))
}

const isEstablished = (crd: KubernetesObject): boolean =>
  (Crd.safeParse(crd).data?.status?.conditions ?? []).some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  )

/** The storage of a new CRD is made after discovery lists it. Until then lists are 429 ("storage is (re)initializing"). @throws Pending */
const requireListed = async (client: KubernetesClient, version: ProfileVersion): Promise<void> => {
  try {
    await client.list(profiles(version), { limit: 1 })
  } catch (error) {
    const isStarting =
      error instanceof ApiThrottled || error instanceof ApiUnavailable || error instanceof ObjectNotFound
    if (!isStarting) throw error
    throw new Pending(`the API server to list ClusterProfiles ${version}: ${withoutFullStop(error.message)}`)
  }
}

/** The CRD is there, usable, established, and both discovery and a list answer. */
const ensureCrd = async (client: KubernetesClient): Promise<void> => {
  const found = await client.get(customResourceDefinitions, PROFILE_CRD)
  if (found !== undefined && isTerminating(found)) {
    throw new Pending(`the CustomResourceDefinition ${PROFILE_CRD} to be gone: somebody deletes it`)
  }
  const crd = found === undefined || isOutdated(found) ? await install(client) : found
  const fault = crdFault(crd)
  if (fault !== undefined) throw new ForeignObject(fault)
  if (!isEstablished(crd)) throw new Pending(`the CustomResourceDefinition ${PROFILE_CRD} to be Established`)
  for (const version of usableVersions(crd)) {
    if (!(await isDiscoverable(client, version))) throw new Pending(`discovery to list ClusterProfiles ${version}`)
    await requireListed(client, version)
  }
}

/**
 * The ClusterProfile CRD: installed where there is none, extended where ours is older, never downgraded, and left alone where
 * somebody else installed it. No undo: it is shared by every federation and manager of the host.
 */
export const crdPhase: Phase<FederationContext> = {
  id: 'crd',
  title: 'ClusterProfile API',
  deadlineSeconds: 120,
  ensure: (context) =>
    step(async () => {
      await ensureCrd(await context.host.client())
      return {}
    }),
}
