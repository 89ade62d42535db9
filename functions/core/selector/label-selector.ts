import { InvalidRequest } from '../errors.ts'
import { isLabelValue, isQualifiedName, LABEL_VALUE_RULE, QUALIFIED_NAME_RULE } from '../values/kubernetes.ts'
import type { Labels } from '../values/labels.ts'
import { quote } from '../values/wording.ts'

/** One part of a selector: all of them must hold. */
type Requirement = { key: string; operator: 'in' | 'notin' | 'exists' | '!'; values: readonly string[] }

/** A selector in kubectl's syntax, read. */
export type LabelSelector = readonly Requirement[]

const TOKEN = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/y

const fault = (text: string, why: string): InvalidRequest =>
  new InvalidRequest(
    `The label selector ${quote(text)} can't be read: ${why}. It is written as for kubectl, for example "env=prod,tier in (edge,core),!legacy".`,
  )

const tokensOf = (text: string): string[] => {
  const trimmed = text.trim()
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < trimmed.length) {
    const token = TOKEN.exec(trimmed)?.[1]
    if (token === undefined) break
    tokens.push(token)
  }
  return tokens
}

/** Keywords are keys and values like others, as in kubectl. */
const isWord = (token: string | undefined): token is string => token !== undefined && !/^[=!(),<>]/.test(token)

/** Reads a selector from its tokens, with the rules of `labels.Parse` of Kubernetes' apimachinery. */
class Reader {
  readonly #text: string
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokensOf(text)
  }

  read(): Requirement[] {
    if (this.#tokens.length === 0) return []
    const requirements = [this.#requirement()]
    while (this.#peek() !== undefined) {
      this.#take(',')
      requirements.push(this.#requirement())
    }
    return requirements
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]
  }

  #fail(expected: string): InvalidRequest {
    const found = this.#peek()
    return fault(
      this.#text,
      `${expected} is expected, and ${found === undefined ? 'it ends' : `${quote(found)} follows`}`,
    )
  }

  #take(token: string): void {
    if (this.#peek() !== token) throw this.#fail(quote(token))
    this.#at += 1
  }

  #word(what: string): string {
    const token = this.#peek()
    if (!isWord(token)) throw this.#fail(what)
    this.#at += 1
    return token
  }

  #isAtEnd(): boolean {
    return this.#peek() === undefined || this.#peek() === ','
  }

  #requirement(): Requirement {
    const isNegated = this.#peek() === '!'
    if (isNegated) this.#at += 1
    const key = this.#word('a label key')
    if (!isQualifiedName(key)) throw fault(this.#text, `the key ${quote(key)} ${QUALIFIED_NAME_RULE}`)
    if (isNegated) return { key, operator: '!', values: [] }
    if (this.#isAtEnd()) return { key, operator: 'exists', values: [] }
    return { key, ...this.#comparison() }
  }

  #comparison(): Omit<Requirement, 'key'> {
    const operator = this.#peek()
    if (operator === undefined || !['=', '==', '!=', 'in', 'notin'].includes(operator))
      throw this.#fail('one of "=", "==", "!=", "in" and "notin"')
    this.#at += 1
    if (operator === 'in' || operator === 'notin') return { operator, values: this.#list() }
    const values = [this.#value(this.#isAtEnd())]
    return { operator: operator === '!=' ? 'notin' : 'in', values }
  }

  #value(isEmpty: boolean): string {
    const value = isEmpty ? '' : this.#word('a value')
    if (!isLabelValue(value)) throw fault(this.#text, `the value ${quote(value)} ${LABEL_VALUE_RULE}`)
    return value
  }

  /** `(a,b)`; an empty place is the empty value, and no value at all a fault. */
  #list(): string[] {
    this.#take('(')
    if (this.#peek() === ')') throw this.#fail('a value')
    const isPlaceEmpty = (): boolean => this.#peek() === ',' || this.#peek() === ')'
    const values = [this.#value(isPlaceEmpty())]
    while (this.#peek() === ',') {
      this.#at += 1
      values.push(this.#value(isPlaceEmpty()))
    }
    this.#take(')')
    return values
  }
}

/** Reads a selector. An empty one selects everything, as with kubectl. @throws InvalidRequest saying what is wrong */
export const parseLabelSelector = (text: string): LabelSelector => new Reader(text).read()

const holds = ({ key, operator, values }: Requirement, labels: Labels): boolean => {
  const isThere = Object.hasOwn(labels, key)
  switch (operator) {
    case 'exists':
      return isThere
    case '!':
      return !isThere
    case 'in':
      return isThere && values.includes(labels[key] ?? '')
    case 'notin':
      return !isThere || !values.includes(labels[key] ?? '')
  }
}

/** True where all requirements hold. `!=` and `notin` hold for what lacks the key. */
export const matchesLabels = (selector: LabelSelector, labels: Labels): boolean =>
  selector.every((requirement) => holds(requirement, labels))
