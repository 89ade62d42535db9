import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, bundleFunctions, functionEntries, SIZE_MAX_BYTES } from '../../infra/bundle.ts'

let outdir: string
let bundles: Bundle[]

beforeAll(() => {
  outdir = mkdtempSync(path.join(tmpdir(), 'fedplane-dist-'))
  bundles = bundleFunctions(outdir)
}, 60_000)

afterAll(() => rmSync(outdir, { recursive: true }))

const bundleOf = (name: string): Bundle => {
  const found = bundles.find((bundle) => bundle.name === name)
  if (!found) throw new Error(`no bundle ${name}`)
  return found
}

describe('bundleFunctions', () => {
  it('bundles every Lambda entry file that there is', () => {
    const root = path.join(import.meta.dirname, '../..')
    const entries = execFileSync('find', ['functions', '-name', '*handler.ts'], { cwd: root })
      .toString()
      .trim()
      .split('\n')
    const lambda = entries.filter((file) => /(\/|\.)handler\.ts$/.test(file))
    expect(
      functionEntries()
        .map(({ entry }) => entry)
        .sort(),
    ).toEqual(lambda.sort())
  })

  it.each(functionEntries())('keeps $name within its size', ({ name, kind }) => {
    const { bytes } = bundleOf(name)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(SIZE_MAX_BYTES[kind])
  })

  it('makes each load on bare Node with a handler', () => {
    const files = bundles.map(({ folder }) => path.join(folder, 'index.js'))
    const script = `for (const file of ${JSON.stringify(files)}) console.log(typeof require(file).handler)`
    // No node_modules and no settings: as they lie in Lambda before the first event.
    const types = execFileSync(process.execPath, ['-e', script], { cwd: outdir, env: {} }).toString().trim()
    expect(types.split('\n')).toEqual(files.map(() => 'function'))
  })

  it('gives the table function no client for keys', () => {
    expect(bundleOf('table').inputs.filter((input) => input.includes('client-kms'))).toEqual([])
  })

  it('leaves the Kubernetes client library out', () => {
    const heavy = bundles.filter(({ inputs }) => inputs.some((input) => input.includes('@kubernetes/client-node')))
    expect(heavy.map(({ name }) => name)).toEqual([])
  })
})
