import { PythonSession } from './python-session.ts'

/** What one run of a command gave. */
export type CommandResult = { code: number; stdout: string; stderr: string }

/**
 * Starting Python with the clients takes 1.5 s, one more command in the same process 0.05 s. `main` is what the program `openstack` calls; it sets
 * everything up for each command again, from the arguments and the environment on.
 */
const PRELUDE = `
import contextlib, io, sys
from importlib.metadata import entry_points
from openstackclient.shell import main

def openstack(arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code
    return {"code": code or 0, "stdout": out.getvalue(), "stderr": err.getvalue()}
`

/** A command ended otherwise than wanted; the message is what it said. */
class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/** `openstack coe …`, run as from a shell. */
export class OpenStackCli {
  /** Those that were run: `cluster template create` and so on. */
  readonly commandsRun = new Set<string>()
  readonly #session: PythonSession
  readonly #commands: readonly string[]

  private constructor(session: PythonSession, commands: readonly string[]) {
    this.#session = session
    this.#commands = commands
  }

  /** `environment`: `OS_…` variables. `python`: as of `PythonSession`. */
  static async start(environment: Record<string, string>, python?: string): Promise<OpenStackCli> {
    const session = await PythonSession.start(PRELUDE, { SHELL: '/bin/sh', ...environment }, python)
    const names = await session.run<string[]>('[e.name for e in entry_points(group="openstack.container_infra.v1")]')
    const commands = names.map((name) => name.replace(/^coe_/, '').replaceAll('_', ' '))
    return new OpenStackCli(session, commands)
  }

  /** All subcommands of `openstack coe` that the plugin has, sorted. */
  get commands(): string[] {
    return [...this.#commands].sort()
  }

  /** Runs `openstack coe <line>`, whatever comes of it. The line is split at spaces; `more` holds arguments that have some, or none. */
  async result(line: string, ...more: string[]): Promise<CommandResult> {
    const command = this.#commands.find((name) => line === name || line.startsWith(`${name} `))
    if (command === undefined) throw new CommandFailed(`openstack coe has no subcommand ${line}.`)
    this.commandsRun.add(command)
    return this.#session.run(`openstack(${JSON.stringify(['coe', ...line.split(' '), ...more])})`)
  }

  /** Runs any command of `openstack`, whatever comes of it: `token issue`. */
  openstack(...words: string[]): Promise<CommandResult> {
    return this.#session.run(`openstack(${JSON.stringify(words)})`)
  }

  /** What it prints. @throws CommandFailed unless it exits 0 */
  async run(line: string, ...more: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.result(line, ...more)
    if (code !== 0) throw new CommandFailed(`openstack coe ${line} exits ${code}: ${stderr}${stdout}`)
    return stdout
  }

  /** What it prints with the JSON formatter. */
  async json<T = Record<string, unknown>>(line: string): Promise<T> {
    const text = await this.run(`${line} -f json`)
    // `cluster template create` says that it was accepted first.
    return JSON.parse(text.replace(/^Request to .* accepted\n/, '')) as T
  }

  close(): Promise<void> {
    return this.#session.close()
  }
}
