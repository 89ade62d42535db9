import { AppError } from './values/app-error.ts'
import { bytesMaxOf, jsonBytes, type SizedAttribute } from './values/attribute-sizes.ts'
import { quote } from './values/wording.ts'

/** The entity has another operation by now, or is gone: this execution has nothing more to say. Caught by every flow. */
export class OperationSuperseded extends AppError {
  override readonly name = 'OperationSuperseded'
  readonly kind = 'conflict'
}

/** An execution that was replaced has been asked to stop and still runs. */
export class ExecutionStillRunning extends AppError {
  override readonly name = 'ExecutionStillRunning'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** A cluster that a federation needs is no longer registered. */
export class ClusterGone extends AppError {
  override readonly name = 'ClusterGone'
  readonly kind = 'not-found'
}

/** A new endpoint answers with the registered identity, and nothing proves that it is the registered cluster. */
export class ClusterIdentityNotProved extends AppError {
  override readonly name = 'ClusterIdentityNotProved'
  readonly kind = 'conflict'
}

/** As many changes wait on the cluster as may. */
export class QueueFull extends AppError {
  override readonly name = 'QueueFull'
  readonly kind = 'conflict'
}

/** More was asked for than is carried out. `details.retryAfterSeconds` says when to try again. */
export class TooManyRequests extends AppError {
  override readonly name = 'TooManyRequests'
  readonly kind = 'throttled'
}

/** The body, or one part of it, is larger than allowed. */
export class RequestTooLarge extends AppError {
  override readonly name = 'RequestTooLarge'
  readonly kind = 'too-large'
}

/** A request that can't be carried out as it is: the message names the field and what is allowed. */
export class InvalidRequest extends AppError {
  override readonly name = 'InvalidRequest'
  readonly kind = 'invalid'
}

/** The state of the object, or something that runs on it, is in the way. */
export class StateConflict extends AppError {
  override readonly name = 'StateConflict'
  readonly kind = 'conflict'
}

/** No object with this id or name that the caller may see. Other projects' objects are answered so too. */
export class ObjectNotVisible extends AppError {
  override readonly name = 'ObjectNotVisible'
  readonly kind = 'not-found'
}

/** Limits, labels or taints that a node group can't have: 409 in Magnum, where other input errors are 400 (magnum-rest.md section 6). */
export class NodeGroupInvalid extends AppError {
  override readonly name = 'NodeGroupInvalid'
  readonly kind = 'conflict'
}

/** The cluster has a node group of this name. */
export class NodeGroupNameTaken extends AppError {
  override readonly name = 'NodeGroupNameTaken'
  readonly kind = 'conflict'
}

export type Noun =
  | 'Cluster'
  | 'Federation'
  | 'ClusterTemplate'
  | 'NodeGroup'
  | 'Quota'
  | 'Grant'
  | 'Trigger'
  | 'Delivery'
  | 'Hook'
  | 'Credential'

/** Said whether or not another project has it. */
export const IN_OWN_PROJECT = ' in your project'

/** @param where the end of the sentence: as far as was looked */
export const notFound = (noun: Noun, ident: string, where = ''): ObjectNotVisible =>
  new ObjectNotVisible(`${noun} ${quote(ident)} could not be found${where}.`)

type SizeOptions = {
  /** As it is stored: what was stored with more may stay, and become smaller. */
  before?: unknown
  /** A sentence on what counts, or what to try. */
  advice?: string
}

/** An attribute may be stored as it would be: the result of merging or patching, not what a request gives of it. @throws RequestTooLarge */
export const requireSize = (attribute: SizedAttribute, value: unknown, { before, advice }: SizeOptions = {}): void => {
  const bytes = jsonBytes(value)
  const max = bytesMaxOf(attribute)
  if (bytes <= max || (before !== undefined && bytes <= jsonBytes(before))) return
  const sentence = `"${attribute}" would have ${bytes} bytes; at most ${max} are allowed.`
  throw new RequestTooLarge(advice === undefined ? sentence : `${sentence} ${advice}`)
}
