import { jsonOrNothing } from '../core/values/json.ts'
import { type HttpAnswer, type HttpCall, httpCall, NoWholeAnswer } from '../http/http-call.ts'
import { IdentityProviderUnavailable } from './errors.ts'

export type { HttpAnswer } from '../http/http-call.ts'

/** Keystone's answer for a token is 2 KiB without catalog, one with a large catalog some 100 KiB; a key set is a few KiB. */
const ANSWER_BYTES_MAX = 1024 * 1024

const JSON_TYPE = 'application/json'

/** A call whose body, if it has one, is JSON. */
export type IdentityCall = Omit<HttpCall, 'answerBytesMax'>

/**
 * One call to an identity provider.
 *
 * @throws IdentityProviderUnavailable when there is no whole answer; whatever its status is, an answer is returned
 */
export const identityCall = async (call: IdentityCall): Promise<HttpAnswer> => {
  const type = call.body === undefined ? {} : { 'content-type': JSON_TYPE }
  try {
    const headers = { accept: JSON_TYPE, ...call.headers, ...type }
    return await httpCall({ ...call, headers, answerBytesMax: ANSWER_BYTES_MAX })
  } catch (error) {
    if (!(error instanceof NoWholeAnswer)) throw error
    throw new IdentityProviderUnavailable(error.message, { details: error.details })
  }
}

/** A token with a catalog of a hundred services has 3,000 values. */
const VALUES_MAX = 20_000

/** Parses an answer's body; undefined when it is not JSON, or more than an identity provider answers. Never throws: the parser's message would quote it. */
export const jsonOf = (answer: HttpAnswer): unknown => jsonOrNothing(answer.body, VALUES_MAX)
