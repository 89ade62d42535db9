import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as tar from 'tar'

/**
 * A data directory as the last release with dynoxide (1.2.1) left it when it was killed: three clusters of memory@1 (`host`, `member`, and `late`, whose
 * creation was under way), a federation and a template. Most of it lies in the write-ahead log.
 */
const FORMER = resolve(import.meta.dirname, '../../contract/local/releases/dynoxide-1.2.1.tar.gz')

/** A copy of it; the caller removes it. */
export const formerFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  tar.extract({ file: FORMER, cwd: folder, sync: true })
  return folder
}
