import { isAppError } from '../../../core/values/app-error.ts'
import type { Secret } from '../../../core/values/secret.ts'
import type { KubernetesObject, Resource } from '../../../kubernetes/client.ts'
import { CredentialRejected } from '../../../kubernetes/errors.ts'
import type { MemberContext } from '../../contract/federation-driver.ts'
import { covers, isOwned, isTerminating, nameOf, type Site } from '../owned.ts'
import { whoAmI } from '../who-am-i.ts'
import { askWithToken } from './ask-with-token.ts'

/** An object of ours as it has to be. */
export type Made = { resource: Resource; desired: KubernetesObject }

const fieldsOf = ({ apiVersion: _, kind: __, metadata: ___, ...fields }: KubernetesObject): unknown => fields

/** What is the matter with one object of ours; none when it is as it has to be. */
const faultOf = async (site: Site, { resource, desired }: Made): Promise<string[]> => {
  const seen = await site.client.get(resource, desired.metadata.name)
  const named = nameOf(site, desired)
  if (seen === undefined) return [`${named} is gone.`]
  if (isTerminating(seen)) return [`${named} is being deleted.`]
  if (!isOwned(site, seen)) return [`${named} does not carry our label any more.`]
  return covers(fieldsOf(seen), fieldsOf(desired)) ? [] : [`${named} was changed.`]
}

/** What is missing or changed of objects of ours: one request for each. */
export const missingOf = async (site: Site, objects: readonly Made[]): Promise<string[]> =>
  (await Promise.all(objects.map((object) => faultOf(site, object)))).flat()

/**
 * Whether the member takes the stored token still: by one request with it, which also tells of an account or a token Secret that was deleted or made
 * anew. A member that can't be asked says nothing against it.
 */
export const tokenFaults = async (
  context: MemberContext,
  token: Secret | undefined,
  user: string,
): Promise<string[]> => {
  const { name } = context.member.cluster
  if (token === undefined) return []
  try {
    const seen = (await askWithToken(context, token, whoAmI)) ?? null
    return seen === null || seen === user ? [] : [`Member ${name} takes the token of ${user} for another one's.`]
  } catch (error) {
    if (error instanceof CredentialRejected)
      return [`Member ${name} refuses the token of ${user}: account or token are gone.`]
    if (isAppError(error)) return []
    throw error
  }
}
