import * as z from 'zod'
import { type AppError, isAppError } from '../../../../../core/values/app-error.ts'
import { jsonOrNothing } from '../../../../../core/values/json.ts'
import { ANSWER_BOUNDS } from '../../../../../kubernetes/bounds.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { CredentialMissing } from '../../../../contract/errors.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import { listAll } from '../../../../support/owned.ts'
import type { MemberContent, ProfileCondition, ProfileProperty, ProfileStatus, Way } from '../host/content.ts'
import { CLUSTER_LABEL, CONTROL_PLANE_HEALTHY } from '../names.ts'

/** What an observation of the member showed. */
export type MemberFacts = {
  version: string | null
  properties: ProfileProperty[]
  /** For condition `ControlPlaneHealthy`. */
  health: { status: 'True' | 'False' | 'Unknown'; reason: string; message: string }
  /** Why the member could not be checked; null when it could. */
  fault: AppError | null
}

/** What the host says of the member already; an empty status when it says nothing. */
export type Published = () => Promise<ProfileStatus>

/** Longest value that a profile can hold; longer ones are left out, not cut (reference/clusterprofile.md 3.7). */
const VALUE_MAX = 1024

/** Properties of one member: they go into its ClusterProfile, which is one object of the host. */
const PROPERTIES_MAX = 100

const Group = z.object({ preferredVersion: z.object({ version: z.string() }) })
const ClusterProperty = z.object({
  metadata: z.object({ name: z.string().max(253) }),
  spec: z.object({ value: z.string().min(1).max(VALUE_MAX) }),
})

/** The version of about-api in the member; undefined without it. */
const aboutVersion = async (client: KubernetesClient): Promise<string | undefined> => {
  const { status, body } = await client.raw('/apis/about.k8s.io')
  if (status !== 200) return undefined
  return Group.safeParse(jsonOrNothing(body, ANSWER_BOUNDS.raw.values)).data?.preferredVersion.version
}

/** ClusterProperty objects of the member (about-api, KEP-2149), name and value unchanged. None when we may not list them. */
const clusterProperties = async (client: KubernetesClient): Promise<ProfileProperty[]> => {
  const version = await aboutVersion(client)
  if (version === undefined) return []
  try {
    const objects = await listAll(client, { group: 'about.k8s.io', version, plural: 'clusterproperties' })
    return objects
      .map((object) => ClusterProperty.safeParse(object).data)
      .filter((property) => property !== undefined)
      .slice(0, PROPERTIES_MAX)
      .map(({ metadata, spec }) => ({ name: metadata.name, value: spec.value }))
  } catch (error) {
    if (error instanceof PermissionDenied) return []
    throw error
  }
}

const healthOf = async (client: KubernetesClient): Promise<MemberFacts['health']> => {
  const { status } = await client.raw('/readyz')
  if (status === 200) return { status: 'True', reason: 'HealthCheckSucceeded', message: 'GET /readyz answers ok.' }
  if (status === 401 || status === 403) {
    return { status: 'Unknown', reason: 'HealthCheckForbidden', message: `GET /readyz answers ${status}.` }
  }
  return { status: 'False', reason: 'HealthCheckFailed', message: `GET /readyz answers ${status}.` }
}

/** What was found, or what is known already when looking fails. */
const orLast = async <T>(observe: () => Promise<T>, last: () => T | Promise<T>): Promise<T> => {
  try {
    return await observe()
  } catch (error) {
    if (!isAppError(error)) throw error
    return last()
  }
}

/**
 * Checks the member. One that can't be reached has unknown health. What could not be checked is as it was: the version that was
 * last observed, the properties that are published.
 */
export const memberFacts = async (context: MemberContext, published: Published): Promise<MemberFacts> => {
  const lastVersion = async () =>
    context.member.cluster.observation?.version ?? (await published()).version?.kubernetes ?? null
  const lastProperties = async () => (await published()).properties
  try {
    const client = await context.member.client()
    return {
      health: await healthOf(client),
      version: await orLast(async () => (await client.version()).gitVersion || null, lastVersion),
      properties: await orLast(() => clusterProperties(client), lastProperties),
      fault: null,
    }
  } catch (error) {
    if (!isAppError(error)) throw error
    return {
      health: { status: 'Unknown', reason: error.name, message: error.message },
      version: await lastVersion(),
      properties: await lastProperties(),
      fault: error,
    }
  }
}

/** metav1.Time has whole seconds. */
const seconds = (time: string): string => time.replace(/\.\d+Z$/, 'Z')

/** The member's API server as consumers in the host reach it. @throws CredentialMissing when no endpoint is known */
export const wayTo = ({ member: { cluster } }: MemberContext): Way => {
  const { endpoint } = cluster
  if (endpoint === null) {
    throw new CredentialMissing(`The endpoint of cluster ${cluster.name} is not known. Register the cluster first.`)
  }
  return {
    server: endpoint.serverForPeers ?? endpoint.server,
    ...(endpoint.caPem === null
      ? {}
      : { 'certificate-authority-data': Buffer.from(endpoint.caPem).toString('base64') }),
    ...(endpoint.tlsServerName === null ? {} : { 'tls-server-name': endpoint.tlsServerName }),
    ...(endpoint.tlsVerify ? {} : { 'insecure-skip-tls-verify': true }),
  }
}

/** Sorted, one for each name, ours last so that a ClusterProperty can't pose as it. */
const sorted = (properties: readonly { name: string; value: string }[]): { name: string; value: string }[] =>
  [...new Map(properties.map((property) => [property.name, property])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )

/** What the profile of this member says. @throws CredentialMissing when its endpoint is not known */
export const contentOfMember = (context: MemberContext, facts: MemberFacts): MemberContent => {
  const { cluster } = context.member
  const { status, reason, message } = facts.health
  const lastTransitionTime = seconds(context.now())
  const conditions: ProfileCondition[] = [
    { type: CONTROL_PLANE_HEALTHY, status, reason, message, lastTransitionTime },
    {
      type: 'Joined',
      status: 'True',
      reason: 'ClusterRegistered',
      message: 'The cluster is a member of the federation.',
      lastTransitionTime,
    },
  ]
  return {
    clusterId: cluster.id,
    memberUid: cluster.identity?.uid ?? cluster.id,
    displayName: cluster.name,
    conditions,
    version: facts.version,
    properties: sorted([...facts.properties, { name: CLUSTER_LABEL, value: cluster.id }]),
    way: wayTo(context),
  }
}
