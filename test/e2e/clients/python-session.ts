import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { cleanEnvironment, pythonEnvironment } from './python-environment.ts'

const PROGRAM = path.join(import.meta.dirname, 'python/session.py')

/** What the Python code threw. `type` is the name of its class. */
class PythonError extends Error {
  override readonly name = 'PythonError'
  readonly type: string

  constructor(type: string, message: string) {
    super(`${type}: ${message}`)
    this.type = type
  }
}

type Said = { value?: unknown; error?: { type: string; message: string } }

/** A Python process that runs code for a test, one piece after the other; names stay from one to the next. */
export class PythonSession {
  readonly #child: ChildProcess
  readonly #answers: AsyncIterator<string>
  #stderr = ''
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk
    })
  }

  /**
   * Starts it with the packages of `python/requirements.txt`, or with those that another `python` has, and runs `prelude`.
   *
   * @throws PythonUnavailable, PythonError
   */
  static async start(
    prelude: string,
    environment: Record<string, string> = {},
    python?: string,
  ): Promise<PythonSession> {
    const program = python ?? (await pythonEnvironment()).python
    const env = { ...cleanEnvironment(), ...environment }
    const session = new PythonSession(spawn(program, [PROGRAM], { env, stdio: ['pipe', 'pipe', 'pipe'] }))
    await session.run(prelude)
    return session
  }

  /** The value of the last expression of `code`, as JSON has it. @throws PythonError */
  run<T = unknown>(code: string): Promise<T> {
    const turn = this.#turn.then(() => this.#ask(code))
    this.#turn = turn.catch(() => undefined)
    return turn as Promise<T>
  }

  /** What it has said on standard error so far: prints, warnings, tracebacks. */
  get stderr(): string {
    return this.#stderr
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'close')
    this.#child.stdin!.end()
    await ended
  }

  async #ask(code: string): Promise<unknown> {
    this.#child.stdin!.write(`${JSON.stringify({ run: code })}\n`)
    const line = await this.#answers.next()
    if (line.done) throw new Error(`The Python process has ended: ${this.#stderr}`)
    const { value, error } = JSON.parse(line.value) as Said
    if (error !== undefined) throw new PythonError(error.type, error.message)
    return value
  }
}
