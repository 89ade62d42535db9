import * as z from 'zod'
import { DynamoError, invalid, unsupported } from '../dynamo-error.ts'
import type { Item } from '../items/value.ts'
import type { Storage } from '../storage/storage.ts'
import type { Table } from '../storage/table.ts'

export type Context = {
  storage: Storage
  /** Epoch milliseconds. */
  now(): number
}

/** Carries out one request within the transaction that is open; the JSON of its answer. @throws DynamoError */
export type Operation = (context: Context, input: unknown) => string

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Looked through by `checkItem`, where it is stored. */
export const item = z.custom<Item>((value) => isRecord(value) && Object.values(value as object).every(isRecord))

export const expressions = {
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: item.optional(),
}

/** What of `ReturnConsumedCapacity` there is. */
export const capacity = { ReturnConsumedCapacity: z.enum(['NONE', 'TOTAL']).optional() }

const refusal = (name: string, { issues: [issue] }: z.ZodError): DynamoError => {
  if (issue?.code === 'unrecognized_keys') return unsupported(`${issue.keys.join(', ')} of ${name}`)
  const where = issue?.path.join('.') ?? ''
  if (issue?.code === 'invalid_value') return unsupported(`This value of ${where} in ${name}`)
  return invalid(
    `1 validation error detected: Value at '${where}' of ${name} failed to satisfy constraint: ${issue?.message}`,
  )
}

/** An operation whose input may have no other members: what it does not know it must not pass over. */
export const operation =
  <S extends z.ZodType>(
    name: string,
    schema: S,
    run: (context: Context, input: z.infer<S>) => object | string,
  ): Operation =>
  (context, input) => {
    const parsed = schema.safeParse(input)
    if (!parsed.success) throw refusal(name, parsed.error)
    const answer = run(context, parsed.data)
    return typeof answer === 'string' ? answer : JSON.stringify(answer)
  }

/** @throws DynamoError when there is none */
export const requireTable = ({ storage }: Context, name: string): Table => {
  const table = storage.table(name)
  if (table === undefined) throw new DynamoError('ResourceNotFoundException', 'Requested resource not found')
  return table
}
