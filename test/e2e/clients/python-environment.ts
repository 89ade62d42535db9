import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const FOLDER = path.join(import.meta.dirname, 'python')
/** Everything that decides what the environment is. */
const SOURCES = ['requirements.txt', 'older-client.txt', 'make_environment.py'].map((name) => path.join(FOLDER, name))
const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/fedplane-python')

/** The machine lacks what the tests with real clients need. The message says what to install. */
class PythonUnavailable extends Error {
  override readonly name = 'PythonUnavailable'
}

const HOW =
  'The end-to-end tests drive real OpenStack clients, which need python3 (3.10 or newer) with its venv module, and a Python package ' +
  'index that pip can reach. On Debian and Ubuntu: apt-get install python3 python3-venv.'

/** What a program of the system's Python prints. @throws PythonUnavailable saying how to get it, and what Python said */
const python3 = async (args: readonly string[]): Promise<string> => {
  try {
    return (await promisify(execFile)('python3', [...args])).stdout
  } catch (cause) {
    const { stderr, message } = cause as { stderr?: string; message: string }
    throw new PythonUnavailable(`${HOW}\n${stderr || message}`, { cause })
  }
}

const WHICH = 'import sys; assert sys.version_info >= (3, 10), sys.version; print(sys.version, sys.executable)'

/** The variables of this process, without those that tell a Python program or an OpenStack client something else than the test does. */
export const cleanEnvironment = (): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^(OS_|PYTHON|VIRTUAL_ENV|SCHEMATHESIS)/.test(name) ? [] : [[name, value]],
    ),
  ),
  no_proxy: '127.0.0.1',
  NO_PROXY: '127.0.0.1',
})

/** A virtual environment with the packages of `python/requirements.txt`. */
export type PythonEnvironment = {
  python: string
  /** `openstack coe …` */
  openstack: string
  schemathesis: string
  /** For PYTHONPATH: the package of `python/older-client.txt`. */
  olderClient: string
}

/**
 * The first who asks makes it, in about half a minute; then it is kept in `node_modules/.cache` for as long as the requirements and the
 * system's Python stay the same.
 *
 * @throws PythonUnavailable
 */
export const pythonEnvironment = async (): Promise<PythonEnvironment> => {
  const [version, ...sources] = await Promise.all([python3(['-c', WHICH]), ...SOURCES.map((file) => readFile(file))])
  const hash = createHash('sha256').update(version)
  for (const source of sources) hash.update(source)
  const folder = path.join(CACHE, hash.digest('hex').slice(0, 16))
  await python3([path.join(FOLDER, 'make_environment.py'), folder])
  const program = (name: string): string => path.join(folder, 'bin', name)
  return {
    python: program('python'),
    openstack: program('openstack'),
    schemathesis: program('schemathesis'),
    olderClient: path.join(folder, 'older-client'),
  }
}
