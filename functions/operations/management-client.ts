import { type AppError, isAppError } from '../domain/app-error.ts'
import { AwsCredentialsMissing, CredentialMissing, ManagementUnreachable } from '../drivers/contract/errors.ts'
import { type Access, deniedAccess } from '../kubernetes/access-review.ts'
import type { KubernetesClient, Resource } from '../kubernetes/client.ts'
import {
  AddressForbidden,
  AnswerTooLarge,
  ClusterIdentityChanged,
  PermissionDenied,
  StoredConnectionInvalid,
} from '../kubernetes/errors.ts'

/** Verbs that a call needs of a resource; server-side apply makes what is absent. */
const VERBS = {
  get: ['get'],
  list: ['list'],
  create: ['create'],
  apply: ['patch', 'create'],
  patch: ['patch'],
  delete: ['delete'],
} as const satisfies Partial<Record<keyof KubernetesClient, readonly string[]>>

type Reviewed = keyof typeof VERBS

const isReviewed = (method: PropertyKey): method is Reviewed => Object.hasOwn(VERBS, method)

/** Faults of the way that only its operators can mend: to those who registered it these are refusals, of another kind than `unavailable`. */
const OF_ITS_OPERATORS = [
  AddressForbidden,
  AwsCredentialsMissing,
  ClusterIdentityChanged,
  CredentialMissing,
  StoredConnectionInvalid,
]

/** A fault of the way to the cluster, of its API server or its webhooks; not what it says to an object. */
const isOfTheWay = (error: AppError): boolean =>
  OF_ITS_OPERATORS.some((kind) => error instanceof kind) ||
  (error.kind === 'unavailable' && !(error instanceof AnswerTooLarge))

/** True when our rights are what is missing, not when admission refuses the object: both are 403. */
const lacksRights = async (
  client: KubernetesClient,
  verbs: readonly string[],
  resource: Resource,
): Promise<boolean> => {
  const { group, plural, namespace } = resource
  const of = { group, resource: plural, ...(namespace === undefined ? {} : { namespace }) }
  const denied = await deniedAccess(
    client,
    verbs.map((verb): Access => ({ verb, ...of })),
  )
  return denied.length > 0
}

/**
 * What a fault at a management cluster says to those whose clusters it makes. The words of its API server name addresses, accounts and webhooks that are its
 * operators', so they stay in `cause`, which the log has.
 */
export const managementFault = (name: string, error: unknown): unknown =>
  isAppError(error) && isOfTheWay(error)
    ? new ManagementUnreachable(
        `Management cluster ${name} can't be worked with at the moment (${error.name}). Its own health says more to its operators.`,
        { cause: error },
      )
    : error

type Call = { client: KubernetesClient; name: string; method: PropertyKey; resource: unknown }

const faultOf = async ({ client, name, method, resource }: Call, error: unknown): Promise<unknown> => {
  if (!(error instanceof PermissionDenied)) return managementFault(name, error)
  if (!isReviewed(method)) return error
  try {
    return (await lacksRights(client, VERBS[method], resource as Resource)) ? managementFault(name, error) : error
  } catch (other) {
    return managementFault(name, other)
  }
}

/** A client whose faults of the way are `ManagementUnreachable`; what the API server says to an object stays as it is. */
export const managementClient = (client: KubernetesClient, name: string): KubernetesClient =>
  new Proxy(client, {
    get: (target, method) => {
      const value: unknown = Reflect.get(target, method)
      if (typeof value !== 'function' || method === 'close') return value
      return async (...given: unknown[]) => {
        try {
          return await value.apply(target, given)
        } catch (error) {
          throw await faultOf({ client: target, name, method, resource: given[0] }, error)
        }
      }
    },
  })
