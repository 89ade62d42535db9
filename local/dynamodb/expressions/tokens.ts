import { invalid } from '../dynamo-error.ts'

/** `name`: an identifier or keyword; `alias`: `#name`; `value`: `:value`; `index`: of a list; `sign`: punctuation. */
export type Token = { type: 'name' | 'alias' | 'value' | 'index' | 'sign' | 'end'; text: string; at: number }

const FORM =
  /\s*(?:(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<alias>#[A-Za-z0-9_]+)|(?<value>:[A-Za-z0-9_]+)|(?<index>\d+)|(?<sign><>|<=|>=|[=<>+\-(),.[\]]))/y

/** DynamoDB's limit for an expression, bytes. */
const EXPRESSION_BYTES_MAX = 4096
const NEAR = 12

/** Which parameter of a request an expression is, for messages. */
export type ExpressionKind =
  | 'ConditionExpression'
  | 'FilterExpression'
  | 'KeyConditionExpression'
  | 'UpdateExpression'
  | 'ProjectionExpression'

const toToken = (groups: Record<string, string | undefined>, at: number): Token => {
  const [type, text] = Object.entries(groups).find(([, found]) => found !== undefined) ?? ['end', '']
  return { type: type as Token['type'], text: text ?? '', at }
}

/** An expression as tokens, one after the other. */
export class Tokens {
  readonly kind: ExpressionKind
  readonly #text: string
  readonly #tokens: Token[] = []
  #next = 0

  /** @throws DynamoError for a character that belongs in no expression */
  constructor(kind: ExpressionKind, text: string) {
    this.kind = kind
    this.#text = text
    if (text.trim() === '') throw this.invalid('The expression can not be empty;')
    if (Buffer.byteLength(text) > EXPRESSION_BYTES_MAX) {
      throw this.invalid('Expression size has exceeded the maximum allowed size;')
    }
    FORM.lastIndex = 0
    const end = text.trimEnd().length
    for (let at = 0; at < end; at = FORM.lastIndex) {
      const found = FORM.exec(text)
      if (found?.groups === undefined) throw this.#unexpected(text.slice(at).trimStart().charAt(0), at)
      this.#tokens.push(toToken(found.groups, at))
    }
    this.#tokens.push({ type: 'end', text: '<EOF>', at: end })
  }

  /** The one to come, or a later one. */
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)] as Token
  }

  take(): Token {
    const token = this.peek()
    this.#next += 1
    return token
  }

  /** True, and taken, when it comes next. Keywords are so in any case. */
  takeIf(text: string): boolean {
    if (!this.isNext(text)) return false
    this.#next += 1
    return true
  }

  isNext(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return (token.type === 'name' || token.type === 'sign') && token.text.toUpperCase() === text
  }

  /** @throws DynamoError when something else comes */
  demand(text: string): void {
    if (!this.takeIf(text)) throw this.unexpected()
  }

  /** @throws DynamoError when there is more */
  requireEnd(): void {
    if (this.peek().type !== 'end') throw this.unexpected()
  }

  /** The next token has no place here. */
  unexpected(): Error {
    const { text, at } = this.peek()
    return this.#unexpected(text, at)
  }

  /** @param what is wrong, in DynamoDB's words */
  invalid(what: string): Error {
    return invalid(`Invalid ${this.kind}: ${what}`)
  }

  #unexpected(token: string, at: number): Error {
    const near = this.#text.slice(Math.max(0, at - NEAR / 2), at + NEAR).trim()
    return this.invalid(`Syntax error; token: "${token}", near: "${near}"`)
  }
}
