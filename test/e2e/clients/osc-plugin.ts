import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, pythonEnvironment } from './python-environment.ts'

const SOURCE = path.resolve(import.meta.dirname, '../../../clients/osc')

/** Files of a folder, without what Python compiles. */
export const filesIn = (folder: string): string[] =>
  globSync('**/*', { cwd: folder, exclude: (name) => /__pycache__|_cache$/.test(name) }).sort()

/** The plugin in an environment of its own, beside the real clients. */
export type OscPlugin = {
  python: string
  /** A copy of `clients/osc`, outside of the repository. */
  source: string
  /** Where the environment's own packages are. */
  packages: string
  /** Runs Python, and gives what it printed. @throws with what it said */
  run(...args: string[]): Promise<string>
  install(): Promise<void>
  close(): void
}

/**
 * A virtual environment over the one of `python/requirements.txt`: it sees the clients there, and what pip installs or takes away is its own,
 * so that other tests go on without the plugin.
 *
 * @throws PythonUnavailable
 */
export const oscPlugin = async (): Promise<OscPlugin> => {
  const clients = await pythonEnvironment()
  const folder = mkdtempSync(path.join(tmpdir(), 'fedplane-osc-'))
  const call = async (program: string, args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, [...args], { cwd: folder, env: cleanEnvironment() })
    return stdout.trim()
  }
  const purelib = ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']
  const python = path.join(folder, 'venv/bin/python')
  const source = path.join(folder, 'osc')
  cpSync(SOURCE, source, { recursive: true })
  await call(clients.python, ['-m', 'venv', path.join(folder, 'venv')])
  const packages = await call(python, purelib)
  writeFileSync(path.join(packages, 'clients.pth'), `${await call(clients.python, purelib)}\n`)
  const run = (...args: string[]): Promise<string> => call(python, args)
  return {
    python,
    source,
    packages,
    run,
    install: async () => void (await run('-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', source)),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
