import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const GUIDE = path.resolve(import.meta.dirname, '../../../docs/deploy.md')
const MARKED = /<!-- test:deploy runs this block as it is -->\n```sh\n([\s\S]*?)```/

/** Enough for clusters and a federation on a busy machine, milliseconds. */
const TIMEOUT_MS = 240_000

/**
 * Runs the commands of "The first federation" in docs/deploy.md as a reader would, and gives what they print.
 *
 * @param folder with `paris.kubeconfig` and `tokyo.kubeconfig`
 */
export const firstFederation = async (folder: string, environment: { api: string; token: string }): Promise<string> => {
  const block = MARKED.exec(await readFile(GUIDE, 'utf8'))?.[1]
  if (block === undefined) throw new Error('docs/deploy.md has no block that is marked as the one to run.')
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', block], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    timeout: TIMEOUT_MS,
  })
  return stdout
}
