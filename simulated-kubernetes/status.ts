import { qualified } from './types.ts'

/** One cause in a Status, after metav1.StatusCause. */
export type StatusCause = { reason?: string; message: string; field?: string }

type Details = { name?: string; group?: string; kind?: string; causes?: StatusCause[] }
type Named = { group: string; plural: string; kind: string }

/** A failed request: becomes a `Status` object with the code, reason and message shape of a real API server. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly code: number
  /** Empty where the real server gives none. */
  readonly reason: string
  readonly details: Details | undefined

  constructor(code: number, reason: string, message: string, details?: Details) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
  }

  toStatus(): Record<string, unknown> {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    }
  }
}

const detailsOf = (type: Named, name: string): Details => ({
  ...(name === '' ? {} : { name }),
  ...(type.group === '' ? {} : { group: type.group }),
  kind: type.plural,
})

export const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized')

export const notFound = (type: Named, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(type)} "${name}" not found`, detailsOf(type, name))

/** The path names a resource that is not served. */
export const resourceUnknown = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})

export const alreadyExists = (type: Named, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${qualified(type)} "${name}" already exists`, detailsOf(type, name))

export const conflict = (type: Named, name: string, why: string): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(type)} "${name}": ${why}`,
    detailsOf(type, name),
  )

export const applyConflict = (causes: StatusCause[]): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Apply failed with ${causes.length} conflict${causes.length === 1 ? '' : 's'}: ${causes.map((cause) => `${cause.message}: ${cause.field}`).join(', ')}`,
    { causes },
  )

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message)

export const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/** A DELETE whose precondition names another uid. Messages and details name the kind here, not the plural. */
export const uidPreconditionFailed = (
  kind: string,
  name: string,
  uids: { asked: string; found: string },
): StatusError =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${kind} "${name}": the UID in the precondition (${uids.asked}) does not match the UID in record (${uids.found}). The object might have been deleted and then recreated`,
    { name, kind },
  )

/** A field that the schema does not have, in a server-side apply: 500 and without a reason, as the real server answers. */
export const undeclaredField = (object: string, fields: readonly string[]): StatusError => {
  const faults = fields.map((field) => `.${field}: field not declared in schema`).join(', ')
  return new StatusError(500, '', `failed to create typed patch object (${object}): ${faults}`)
}

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )

export const forbidden = (details: Details, message: string): StatusError =>
  new StatusError(403, 'Forbidden', message, details)

/** Creating content in a namespace that is on its way out. */
export const namespaceTerminating = (type: Named, name: string, namespace: string): StatusError =>
  new StatusError(
    403,
    'Forbidden',
    `${qualified(type)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      ...detailsOf(type, name),
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  )

/** Creating a custom resource whose definition is on its way out. */
export const definitionTerminating = (type: Named, name: string): StatusError =>
  new StatusError(
    403,
    'Forbidden',
    `${qualified(type)} "${name}" is forbidden: create not allowed while custom resource definition is terminating`,
    detailsOf(type, name),
  )

/** One fault of a field, after field.Error. */
export type FieldFault = {
  field: string
  reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueNotFound'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTypeInvalid'
  message: string
}

export const invalid = (
  type: { group: string; kind: string },
  name: string,
  faults: readonly FieldFault[],
): StatusError => {
  const texts = faults.map((fault) => `${fault.field}: ${fault.message}`)
  const list = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`
  return new StatusError(422, 'Invalid', `${kind} "${name}" is invalid: ${list}`, {
    ...(name === '' ? {} : { name }),
    ...(type.group === '' ? {} : { group: type.group }),
    ...(type.kind === '' ? {} : { kind: type.kind }),
    causes: faults.map(({ reason, message, field }) => ({ reason, message, field })),
  })
}
