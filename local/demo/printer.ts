/** Writes the demo's lines: time of the step, then what happened. Plain text, the same for people and for files. */
export class Printer {
  readonly #write: (text: string) => void

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  heading(text: string): void {
    this.#write(`${text}\n\n`)
  }

  /** A step that is over, with its time. */
  step(milliseconds: number, text: string): void {
    this.#write(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${text}\n`)
  }

  /** Belongs to the step above. */
  detail(text: string): void {
    for (const line of text.split('\n')) this.#write(`          ${line}\n`)
  }

  failed(milliseconds: number, text: string): void {
    this.#write(`${(milliseconds / 1000).toFixed(1).padStart(6)} s  FAILED: ${text}\n`)
  }

  end(text: string): void {
    this.#write(`\n${text}\n`)
  }
}
