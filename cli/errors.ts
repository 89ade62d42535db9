/** Exit codes, documented in docs/cli.md. */
export const EXIT = {
  done: 0,
  /** The work failed, or the server refused it. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** What it names does not exist. */
  notFound: 3,
  /** No valid credential, or not enough rights. */
  denied: 4,
  /** `--timeout` is over; the work goes on. */
  timedOut: 5,
  /** No server answers. */
  unreachable: 6,
  /** Ctrl-C; the work goes on. */
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Why a command ends without success: one line of what was wrong, and the next thing to try. Neither holds a secret. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  /** A command, or a short sentence. */
  readonly remedy: string | undefined

  constructor(message: string, options: { exitCode?: ExitCode; remedy?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = options.exitCode ?? EXIT.failed
    this.remedy = options.remedy
  }
}

/** A command line that says too little, too much or something wrong. */
export const usageError = (message: string, remedy?: string): CliError =>
  new CliError(message, { exitCode: EXIT.usage, remedy })
