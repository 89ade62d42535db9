import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const MAKE = path.join(import.meta.dirname, 'make_environment.py')
const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/fedplane-python')

/** The machine lacks what tests with Python programs need. The message says what to install. */
class PythonUnavailable extends Error {
  override readonly name = 'PythonUnavailable'
}

const HOW =
  'These tests drive real Python programs, which need python3 (3.10 or newer) with its venv module, and a Python package index ' +
  'that pip can reach. On Debian and Ubuntu: apt-get install python3 python3-venv.'

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

export type Wishes = {
  /** Path of a requirements file. */
  requirements: string
  /** Folders inside of the environment for PYTHONPATH, by name, each with the requirements file of what is in it. */
  targets?: Readonly<Record<string, string>>
}

/**
 * A virtual environment. The first who asks makes it; then it is kept in `node_modules/.cache` for as long as the requirements and the
 * system's Python stay the same.
 *
 * @returns its folder
 * @throws PythonUnavailable
 */
export const virtualEnvironment = async ({ requirements, targets = {} }: Wishes): Promise<string> => {
  const sources = [MAKE, requirements, ...Object.values(targets)]
  const [version, ...texts] = await Promise.all([python3(['-c', WHICH]), ...sources.map((file) => readFile(file))])
  const hash = createHash('sha256').update(version)
  for (const text of texts) hash.update(text)
  const folder = path.join(CACHE, hash.digest('hex').slice(0, 16))
  await python3([MAKE, folder, requirements, ...Object.entries(targets).map(([name, file]) => `${name}=${file}`)])
  return folder
}
