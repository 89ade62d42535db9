import type * as z from 'zod'
import type { Method } from './route.ts'

/** A body as JSON, one for each media type, or null: none. */
export type Answer = z.ZodType | Readonly<Record<string, z.ZodType>> | null

/**
 * What routes answer when all is well, and how else: by method and path (`GET /v1/clusters`), then by status. Apart from the routes, because
 * only the OpenAPI document needs it, which is made when functions are bundled: none of them carries it.
 */
export type Answers = Readonly<Record<`${Method} ${string}`, Readonly<Record<number, Answer>>>>
