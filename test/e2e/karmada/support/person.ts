import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { programOf } from './kube.ts'

const MAIN = path.resolve(import.meta.dirname, '../../../../cli/main.ts')
const run = promisify(execFile)

type Issued = { kubeconfig: string; expires_at: string }

/** Somebody at a shell with `fedplane` and the real kubectl, and a home of their own. */
export class Person {
  readonly #home = mkdtempSync(path.join(tmpdir(), 'fedplane-person-'))
  readonly #env: Record<string, string>

  constructor(server: string) {
    // Nothing of this shell: kubectl starts the credential's program with little more.
    this.#env = { PATH: '/usr/bin:/bin', HOME: this.#home, FEDPLANE_SERVER: server }
  }

  /** Standard output. @throws with standard error when it fails */
  async fedplane(line: string): Promise<string> {
    return (await run(process.execPath, [MAIN, ...line.split(' ')], { env: this.#env })).stdout
  }

  async kubectl(line: string): Promise<string> {
    return (await run(programOf('kubectl'), line.split(' '), { env: this.#env })).stdout
  }

  get #cached(): string {
    const folder = path.join(this.#home, '.cache/fedplane/credentials')
    const [file = 'none'] = readdirSync(folder)
    return path.join(folder, file)
  }

  /** What `fedplane credential` keeps between calls of kubectl. */
  cachedCredential(): Issued {
    return JSON.parse(readFileSync(this.#cached, 'utf8'))
  }

  /** Lets the credential that is kept end in a minute. */
  ageCredential(): void {
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    writeFileSync(this.#cached, JSON.stringify({ ...this.cachedCredential(), expires_at }))
  }

  close(): void {
    rmSync(this.#home, { recursive: true, force: true })
  }
}
