import { type AppError, isAppError } from '../../../../../domain/app-error.ts'
import { deniedAccess } from '../../../../../kubernetes/access-review.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ObjectInvalid, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { resourcePath } from '../../../../../kubernetes/resource-path.ts'

/** A refusal of the object itself: its schema (400, 422), or an admission webhook or policy (also 403), as far as our rights are not what is missing. */
const isRefusal = async (
  client: KubernetesClient,
  resource: Resource,
  verb: 'patch' | 'create',
  error: AppError,
): Promise<boolean> => {
  if (error instanceof ObjectInvalid) return true
  if (!(error instanceof PermissionDenied)) return false
  const { group, plural, namespace } = resource
  const access = { verb, group, resource: plural, ...(namespace === undefined ? {} : { namespace }) }
  return (await deniedAccess(client, [access])).length === 0
}

/** Makes the error that a refusal becomes, from the API server's words. */
type Refused = (words: string, cause: AppError) => AppError

/**
 * Asks the API server, with all its admission webhooks, whether it takes the object as we apply it; nothing is stored.
 *
 * @throws what `refused` makes, and errors of reaching the API server
 */
export const tryOut = async (
  client: KubernetesClient,
  resource: Resource,
  object: KubernetesObject,
  refused: Refused,
): Promise<void> => {
  try {
    await client.apply(resource, object, { dryRun: true })
  } catch (error) {
    if (isAppError(error) && (await isRefusal(client, resource, 'patch', error))) throw refused(error.message, error)
    throw error
  }
}

/** The same of an object that somebody else will make: also a field that is not known is refused. @throws as `tryOut` */
export const tryCreate = async (
  client: KubernetesClient,
  resource: Resource,
  object: KubernetesObject,
  refused: Refused,
): Promise<void> => {
  try {
    await client.post(`${resourcePath(resource)}?dryRun=All&fieldValidation=Strict`, object)
  } catch (error) {
    if (isAppError(error) && (await isRefusal(client, resource, 'create', error))) throw refused(error.message, error)
    throw error
  }
}
