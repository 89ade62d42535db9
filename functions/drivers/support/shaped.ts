import type * as z from 'zod'

/** Fields that are null are absent: clients of some languages write them so. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => (field === null ? [] : [[key, withoutNulls(field)]])),
  )
}

/** An object as it is used, or which field of it is none of Kubernetes'. */
export type Shaped<T> = { data: T; fault?: undefined } | { fault: string }

/** Reads an object of an API server, which may be anything that answers in its place. */
export const shaped = <T>(shape: z.ZodType<T>, object: unknown): Shaped<T> => {
  const asIs = shape.safeParse(object)
  // Nearly always right at once: only what is not is gone through.
  const { success, data, error } = asIs.success ? asIs : shape.safeParse(withoutNulls(object))
  if (success) return { data }
  const [issue] = error.issues
  return { fault: issue === undefined || issue.path.length === 0 ? 'the whole of it' : issue.path.join('.') }
}
