const MASK = '***'
const inspect = Symbol.for('nodejs.util.inspect.custom')

/** A value that must not be seen. Prints, serialises and inspects as `***`; `reveal()` is the only way to it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [inspect](): string {
    return MASK
  }
}
