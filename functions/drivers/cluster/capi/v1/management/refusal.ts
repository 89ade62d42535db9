import type { AppError } from '../../../../../core/values/app-error.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { ObjectInvalid, PermissionDenied } from '../../../../../kubernetes/errors.ts'
import { wordsOf } from '../../../../../kubernetes/words-of.ts'

/** A refusal of the object itself: by its schema (400, 422), or by an admission webhook or policy (also 403). Where rights are missing, the client says something else. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof ObjectInvalid || error instanceof PermissionDenied

/** Makes the error that a refusal becomes, from the API server's words. */
type Refused = (words: string, cause: AppError) => AppError

const demand = async (call: Promise<unknown>, refused: Refused): Promise<void> => {
  try {
    await call
  } catch (error) {
    throw isRefusal(error) ? refused(wordsOf(error), error) : error
  }
}

/**
 * Asks the API server, with all its admission webhooks, whether it takes the object as we apply it; nothing is stored.
 *
 * @throws what `refused` makes, and errors of reaching the API server
 */
export const tryOut = (
  client: KubernetesClient,
  resource: Resource,
  object: KubernetesObject,
  refused: Refused,
): Promise<void> => demand(client.apply(resource, object, { dryRun: true }), refused)

/** The same of an object that somebody else will make. @throws as `tryOut` */
export const tryCreate = (
  client: KubernetesClient,
  resource: Resource,
  object: KubernetesObject,
  refused: Refused,
): Promise<void> => demand(client.create(resource, object, { dryRun: true }), refused)
