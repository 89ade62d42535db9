import * as z from 'zod'
import { isAppError } from '../../../../../domain/app-error.ts'
import type { KubernetesClient } from '../../../../../kubernetes/client.ts'
import { PermissionDenied } from '../../../../../kubernetes/errors.ts'
import type { MemberContext } from '../../../../contract/federation-driver.ts'
import { listAll } from '../../../../support/owned.ts'
import type { ProfileProperty } from '../host/content.ts'

/** What a look at the member showed. */
export type MemberFacts = {
  version: string | null
  properties: ProfileProperty[]
  /** For condition `ControlPlaneHealthy`. */
  health: { status: 'True' | 'False' | 'Unknown'; reason: string; message: string }
}

/** Longest value that a profile can hold; longer ones are left out, not cut (reference/clusterprofile.md 3.7). */
const VALUE_MAX = 1024

const Group = z.object({ preferredVersion: z.object({ version: z.string() }) })
const ClusterProperty = z.object({
  metadata: z.object({ name: z.string().max(253) }),
  spec: z.object({ value: z.string().min(1).max(VALUE_MAX) }),
})

/** The version of about-api in the member; undefined without it. */
const aboutVersion = async (client: KubernetesClient): Promise<string | undefined> => {
  const { status, body } = await client.raw('/apis/about.k8s.io')
  if (status !== 200) return undefined
  return Group.safeParse(JSON.parse(body)).data?.preferredVersion.version
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

/** Looks at the member. One that can't be reached has unknown health, and nothing else is known. */
export const memberFacts = async (context: MemberContext): Promise<MemberFacts> => {
  try {
    const client = await context.member.client()
    const [health, version, properties] = await Promise.all([
      healthOf(client),
      client.version(),
      clusterProperties(client),
    ])
    return { health, version: version.gitVersion || null, properties }
  } catch (error) {
    if (!isAppError(error) || error.kind !== 'unavailable') throw error
    return {
      health: { status: 'Unknown', reason: error.name, message: error.message },
      version: context.member.cluster.observation?.version ?? null,
      properties: [],
    }
  }
}
