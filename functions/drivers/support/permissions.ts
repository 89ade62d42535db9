import { type Access, deniedAccess, describeAccess } from '../../kubernetes/access-review.ts'
import type { KubernetesClient } from '../../kubernetes/client.ts'

const ANYTHING: Access = { verb: '*', group: '*', resource: '*' }

/** What the credential may not do, in words: empty when nothing. One call for an administrator, else one more for each wish. */
export const missingAccess = async (client: KubernetesClient, desired: readonly Access[]): Promise<string> => {
  const restricted = (await deniedAccess(client, [ANYTHING])).length > 0
  const denied = restricted ? await deniedAccess(client, desired) : []
  return denied.map(describeAccess).join('; ')
}

/** The same verbs on one kind of objects. */
export const accessTo = (verbs: readonly string[], object: Omit<Access, 'verb'>): Access[] =>
  verbs.map((verb) => ({ verb, ...object }))
