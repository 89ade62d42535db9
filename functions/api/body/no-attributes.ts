import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import type { Json } from '../../core/values/json.ts'
import { byNumber, listInWords, quote } from '../../core/values/wording.ts'
import type { BodySchema } from '../route.ts'

const parse = (body: Json | undefined): Record<string, never> => {
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidRequest('The body must be empty, or an empty JSON object.')
  }
  const keys = Object.keys(body)
  if (keys.length === 0) return {}
  throw new InvalidRequest(
    `Unknown ${byNumber(keys, 'attribute', 'attributes')}: ${listInWords(keys.map(quote))}. This request takes none: leave the body empty.`,
  )
}

/** Body of a request that says all by its path: none, or `{}` (magnum-rest.md 7.1). */
export const noAttributes: BodySchema<Record<string, never>> = {
  schema: z.object({}).optional(),
  bytesMax: 1024,
  parse,
}
