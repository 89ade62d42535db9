import type { AppError } from '../core/values/app-error.ts'

/** Why an API server refuses something, in its own words and no others: not what was asked of whom. Whole sentences. */
export const wordsOf = ({ details: { said } }: Pick<AppError, 'details'>): string =>
  typeof said === 'string' && said !== '' ? `It says: ${said}.` : 'It gives no reason.'
