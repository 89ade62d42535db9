import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { ACCOUNT, REGION } from './emulator.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const CDK = path.join(ROOT, 'node_modules/.bin/cdk')

/** A command of the CDK CLI failed. The message has what it said. */
class CdkFailed extends Error {
  override readonly name = 'CdkFailed'
}

/** Outputs of the stacks, by stack and name. */
export type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The CDK CLI as an operator uses it, on an app that is synthesised once for each context (synthesis is most of the time). */
export class Cdk {
  readonly #environment: Record<string, string>
  readonly #output: string

  /** @param output folder for the synthesised app */
  constructor(environment: Record<string, string>, output: string) {
    this.#environment = { ...environment, PATH: `${path.dirname(CDK)}:${environment.PATH ?? ''}` }
    this.#output = output
  }

  #run(...args: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { cwd: ROOT, env: this.#environment, maxBuffer: 64 * 1024 * 1024 }
      execFile(CDK, [...args, '--no-notices', '--progress', 'events'], options, (error, stdout, stderr) => {
        if (error === null) resolve()
        else reject(new CdkFailed(`cdk ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error }))
      })
    })
  }

  /** Context as `-c name=value`. */
  async synth(context: Readonly<Record<string, string>>): Promise<void> {
    await rm(this.#output, { recursive: true, force: true })
    const given = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    await this.#run('synth', '-q', '--output', this.#output, ...given)
  }

  bootstrap(): Promise<void> {
    return this.#run('bootstrap', '--app', this.#output, `aws://${ACCOUNT}/${REGION}`)
  }

  /** What was synthesised last. */
  async deploy(): Promise<Outputs> {
    const file = `${this.#output}.outputs.json`
    await this.#run('deploy', '--all', '--app', this.#output, '--require-approval', 'never', '--outputs-file', file)
    return JSON.parse(await readFile(file, 'utf8')) as Outputs
  }

  destroy(): Promise<void> {
    return this.#run('destroy', '--all', '--force', '--app', this.#output)
  }
}
