import { ManagementUnreachable } from '../../drivers/contract/errors.ts'
import { type Access, deniedAccess } from '../../kubernetes/access-review.ts'
import { type KubernetesClient, type Resource, wordsOf } from '../../kubernetes/client.ts'
import { ObjectConflict, ObjectInvalid, ObjectNotFound, PermissionDenied } from '../../kubernetes/errors.ts'
import { type AppError, type AppErrorOptions, isAppError } from '../values/app-error.ts'

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
  isAppError(error)
    ? new ManagementUnreachable(
        `Management cluster ${name} can't be worked with at the moment (${error.name}). Its own health says more to its operators.`,
        { cause: error },
      )
    : error

type Call = { client: KubernetesClient; name: string; method: PropertyKey; given: readonly unknown[] }

/** Without what was asked of whom: that stays in `cause`. */
const withoutAsked = (cause: AppError): AppErrorOptions => {
  const { said, reason, status } = cause.details
  return { cause, details: { said, reason, status } }
}

/** What admission or validation say of an object, which is whoever's it is. */
const refusal = (
  { name }: Call,
  cause: AppError,
  Kind: new (message: string, options: AppErrorOptions) => AppError,
): AppError => new Kind(`Management cluster ${name} refuses it. ${wordsOf(cause)}`, withoutAsked(cause))

/** A 404 to a write: an object that is missing is named in it, a kind that is not served is not. */
const notFound = (call: Call, cause: AppError): unknown => {
  const { name, method, given } = call
  // Of some kinds nobody needs to know whether they are served.
  if (method === 'list') return new ObjectNotFound(`Management cluster ${name} has no such list.`, withoutAsked(cause))
  if (!isReviewed(method)) return managementFault(name, cause)
  const { group, version, plural, namespace } = given[0] as Resource
  switch (cause.details.missing) {
    case '':
      return new ManagementUnreachable(
        `Management cluster ${name} does not serve ${plural} of ${group}/${version} at the moment. Its operators have to bring that back.`,
        { cause },
      )
    case 'namespaces':
      return new ManagementUnreachable(
        `Management cluster ${name} has no namespace ${namespace} at the moment, so that no ${plural} can be made in it.`,
        { cause },
      )
    default:
      return managementFault(name, cause)
  }
}

/** Whoever makes an object looks again when another one was quicker. Other conflicts pass. */
const conflict = ({ name, method, given }: Call, cause: AppError): unknown => {
  const { dryRun } = (given[2] ?? {}) as { dryRun?: boolean }
  return method === 'create' && !dryRun && cause.details.reason === 'AlreadyExists'
    ? new ObjectConflict(`Management cluster ${name} has it already.`, withoutAsked(cause))
    : managementFault(name, cause)
}

const denied = async (call: Call, cause: AppError): Promise<unknown> => {
  const { client, name, method, given } = call
  if (!isReviewed(method)) return managementFault(name, cause)
  try {
    return (await lacksRights(client, VERBS[method], given[0] as Resource))
      ? managementFault(name, cause)
      : refusal(call, cause, PermissionDenied)
  } catch (other) {
    return managementFault(name, other)
  }
}

const faultOf = async (call: Call, error: unknown): Promise<unknown> => {
  if (error instanceof PermissionDenied) return denied(call, error)
  if (error instanceof ObjectInvalid) return refusal(call, error, ObjectInvalid)
  if (error instanceof ObjectNotFound) return notFound(call, error)
  if (error instanceof ObjectConflict) return conflict(call, error)
  return managementFault(call.name, error)
}

/**
 * A client whose faults are `ManagementUnreachable`, but for what is said to an object: `ObjectInvalid` and `PermissionDenied` with the API server's own
 * words, `ObjectConflict` for what is to be made and is there, and `ObjectNotFound` for a list.
 */
export const managementClient = (client: KubernetesClient, name: string): KubernetesClient =>
  new Proxy(client, {
    get: (target, method) => {
      const value: unknown = Reflect.get(target, method)
      if (typeof value !== 'function' || method === 'close') return value
      return async (...given: unknown[]) => {
        try {
          return await value.apply(target, given)
        } catch (error) {
          throw await faultOf({ client: target, name, method, given }, error)
        }
      }
    },
  })
