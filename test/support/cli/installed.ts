import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import type { Ran } from './command-line.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** The environment of a new user: nothing of this shell but where programs are, this Node first. */
export const newcomer = (home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  HOME: home,
  NO_COLOR: '1',
  npm_config_update_notifier: 'false',
  ...more,
})

/** `npm pack` in the root, into a folder. @returns the archive */
const pack = async (folder: string): Promise<string> => {
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT, env: newcomer(folder) })
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (archive === undefined) throw new Error('npm pack left no archive.')
  return path.join(folder, archive)
}

/** Runs a program to its end, whatever that is. */
export const finish = async (child: ChildProcess, input = ''): Promise<Ran> => {
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      written[name] += chunk
    })
  }
  child.stdin?.end(input)
  const [code] = await once(child, 'close')
  return { code, ...written }
}

/** The package as npm installs it from its archive: in an empty folder, with an empty home and no registry. */
export class Installed {
  readonly folder: string
  readonly home: string
  /** Where it is installed. */
  readonly place: string
  readonly program: string
  /** The package's own folder. */
  readonly root: string

  readonly #archive: string

  private constructor(folder: string, archive: string) {
    this.folder = folder
    this.home = path.join(folder, 'home')
    this.place = path.join(folder, 'place')
    this.program = path.join(this.place, 'node_modules/.bin/fedplane')
    this.root = path.join(this.place, 'node_modules/fedplane')
    this.#archive = archive
  }

  /** Packed, and not installed yet. */
  static async pack(): Promise<Installed> {
    const folder = mkdtempSync(path.join(tmpdir(), 'fedplane-installed-'))
    const installed = new Installed(folder, await pack(folder))
    for (const each of [installed.home, installed.place]) mkdirSync(each)
    return installed
  }

  /** Asks nobody: `--offline` forbids npm to, and the archive needs nothing else. */
  async install(): Promise<void> {
    const args = ['install', '--offline', '--no-audit', '--no-fund', this.#archive]
    await run('npm', args, { cwd: this.place, env: newcomer(this.home) })
  }

  /** Starts the installed program. */
  spawn(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    return spawn(this.program, args, { cwd: this.place, env: newcomer(this.home, env) })
  }

  /** Runs one command line; words as a shell splits them at spaces. */
  run(line: string, options: { env?: Readonly<Record<string, string>>; input?: string } = {}): Promise<Ran> {
    return finish(this.spawn(line.split(' '), options.env), options.input)
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Starts `fedplane server` of the package. @returns it and its URL, once it listens */
export const startInstalledServer = async (
  installed: Installed,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; url: string; ended: Promise<Ran> }> => {
  const child = installed.spawn(
    ['server', '--port', '0', '--data-dir', path.join(installed.folder, 'data'), ...args],
    env,
  )
  const ended = finish(child)
  const url = new Promise<string>((resolve) => {
    let text = ''
    child.stdout?.on('data', (chunk: string) => {
      text += chunk
      const [, found] = /listening on (\S+)\/v1\n/.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const first = await Promise.race([url, ended])
  if (typeof first === 'string') return { child, url: first, ended }
  throw new Error(`fedplane server ended: ${first.stderr}`)
}
