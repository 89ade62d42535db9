/** More of what an error's answer holds, beside name and message. */
export type ErrorMembers = Readonly<Record<string, unknown>>

/** A refusal in DynamoDB's own words: its name and message reach the SDK, which makes the exception of it. */
export class DynamoError extends Error {
  override readonly name: string
  readonly members: ErrorMembers

  constructor(name: string, message: string, members: ErrorMembers = {}) {
    super(message)
    this.name = name
    this.members = members
  }
}

export const invalid = (message: string): DynamoError => new DynamoError('ValidationException', message)

/** What DynamoDB has and this database does not: nothing in fedplane asks for it, so it must not pass unnoticed. */
export const unsupported = (what: string): DynamoError =>
  invalid(`${what} is not supported by fedplane's embedded database.`)
