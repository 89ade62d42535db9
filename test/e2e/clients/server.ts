import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TokenFile } from '../../../local/authorizer/token-file.schema.ts'
import { runFedplane } from '../../support/local/fedplane-process.ts'

/** fedplane as `npm start` runs it: a process of its own, in a folder of its own. */
export type Server = {
  /** Without `/v1`. */
  url: string
  /** Folder for files of the test; removed at the end. */
  folder: string
  /** What it has written to standard error. */
  stderr(): string
  close(): Promise<void>
}

/** Without `tokens` everybody is admin of project `local`. */
export const startServer = async (tokens?: TokenFile, environment: Record<string, string> = {}): Promise<Server> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fedplane-clients-'))
  const tokensFile = path.join(folder, 'tokens.json')
  if (tokens !== undefined) writeFileSync(tokensFile, JSON.stringify(tokens), { mode: 0o600 })
  const server = runFedplane(['--port', '0', '--data-dir', path.join(folder, 'data')], {
    ...environment,
    ...(tokens === undefined ? {} : { FEDPLANE_TOKENS: tokensFile }),
  })
  const close = async (): Promise<void> => {
    server.child.kill('SIGTERM')
    await server.ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return { url: await server.url(), folder, stderr: server.stderr, close }
  } catch (error) {
    await close()
    throw error
  }
}
