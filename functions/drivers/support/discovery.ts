import * as z from 'zod'
import { jsonOrNothing } from '../../core/values/bounded-json.ts'
import { ANSWER_BOUNDS } from '../../kubernetes/bounds.ts'
import type { KubernetesClient, Resource } from '../../kubernetes/client.ts'
import { ApiUnavailable, PermissionDenied } from '../../kubernetes/errors.ts'

const ResourceList = z.object({ resources: z.array(z.object({ name: z.string() })) })

/** Who lets an account ask. */
export const DISCOVERY_RIGHT = 'the ClusterRole system:discovery, which Kubernetes binds to all accounts by itself'

const pluralsIn = (text: string): string[] =>
  (ResourceList.safeParse(jsonOrNothing(text, ANSWER_BOUNDS.raw.values)).data?.resources ?? []).map(({ name }) => name)

/**
 * Plurals of what an API server serves of an API version; none when it does not serve the version. A 404 to anything else does not tell what is gone
 * from what is not served for a while.
 *
 * @throws PermissionDenied, ApiUnavailable when it does not tell
 */
export const servedOf = async (
  client: KubernetesClient,
  { group, version }: Pick<Resource, 'group' | 'version'>,
): Promise<ReadonlySet<string>> => {
  const { status, body } = await client.raw(`/apis/${group}/${version}`)
  if (status === 200) return new Set(pluralsIn(body))
  if (status === 404) return new Set()
  const words = `The API server does not tell what it serves of ${group}/${version} (${status})`
  if (status === 401 || status === 403) throw new PermissionDenied(`${words}: give our account ${DISCOVERY_RIGHT}.`)
  throw new ApiUnavailable(`${words}; it is asked again.`)
}
