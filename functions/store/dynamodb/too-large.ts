import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import { ItemTooLarge } from '../errors.ts'

/** DynamoDB tells it by the text alone: the name of the error is that of every request that can't be carried out. */
const TOO_LARGE = /\b(?:item|collection|aggregate) size\b.*\bexceed/i

/** True for DynamoDB's refusal of an item of more than 400 KB, or a transaction of more than 4 MB. */
export const saysTooLarge = (message: string | undefined): boolean => TOO_LARGE.test(message ?? '')

/** The same among the reasons of a transaction that was cancelled. */
export const anyTooLarge = (reasons: readonly CancellationReason[]): boolean =>
  reasons.some(({ Code, Message }) => Code === 'ValidationError' && saysTooLarge(Message))

/** @param cause what DynamoDB said */
export const itemTooLarge = (cause: Error): ItemTooLarge =>
  new ItemTooLarge(
    'What is stored of this would be larger than the database takes (400 KB for an object, 4 MB for a change). Shorten its texts, such as labels, or remove node groups, and try again.',
    { cause },
  )
