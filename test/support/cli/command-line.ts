import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import type { Environment } from '../../../cli/io.ts'
import { run } from '../../../cli/run.ts'

export type Ran = { code: number; stdout: string; stderr: string }

export type RunOptions = {
  /** Standard input. */
  input?: string | Buffer
  env?: Environment
  /** Ctrl-C as soon as this is written. */
  interruptAt?: string
  /** Aborted at Ctrl-C. */
  signal?: AbortSignal
}

/** The command line in this process, in a pipe, with a home of its own. */
export class CommandLine {
  readonly home = mkdtempSync(path.join(tmpdir(), 'fedplane-cli-'))
  readonly #env: Environment

  constructor(env: Environment = {}) {
    this.#env = env
  }

  get env(): Environment {
    return { HOME: this.home, NO_COLOR: '1', ...this.#env }
  }

  /** Words as a shell splits them at spaces; give a list where one has a space. */
  async run(
    line: string | readonly string[],
    { input = '', env = {}, interruptAt, signal }: RunOptions = {},
  ): Promise<Ran> {
    const written = { stdout: '', stderr: '' }
    const interrupt = new AbortController()
    const output = (name: 'stdout' | 'stderr') => ({
      write: (text: string) => {
        written[name] += text
        if (interruptAt !== undefined && written[name].includes(interruptAt)) interrupt.abort()
      },
    })
    const io = {
      stdout: output('stdout'),
      stderr: output('stderr'),
      stdin: Readable.from([input]),
      env: { ...this.env, ...env },
      signal: signal ?? interrupt.signal,
    }
    const code = await run(typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line, io)
    return { code, ...written }
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** Ids and times as words, so that a text can be compared with one that is written down. */
export const withoutIds = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, '<time>')
    .replaceAll(/\b\d+s( +|$)/gm, (_, gap: string) => (gap === '' ? '<age>' : '<age>   '))
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<server>')
